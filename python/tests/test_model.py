"""The law: against NumPy's moments, a simulation of its definition, scikit-learn's conventions and the command."""

import copy
import os
import pickle
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pytest

from zilch import ZeroInflatedGaussian

BUILT = Path(__file__).parents[2] / "build/release/cli/zilch"
COMMAND = os.environ.get("ZILCH") or shutil.which("zilch") or (str(BUILT) if BUILT.exists() else None)
needs_command = pytest.mark.skipif(COMMAND is None, reason="no command: put its path into ZILCH")

PARTS = ("p_", "mean_", "std_", "threshold_", "corr_")


def command(*words):
    return subprocess.run([COMMAND, *map(str, words)], check=True, capture_output=True, text=True).stdout


def table(rows=400, cols=4, seed=0):
    """Sparse and correlated: a common factor moves values and masks."""
    rng = np.random.default_rng(seed)
    factor = rng.normal(size=(rows, 1))
    values = 1.0 + 0.6 * factor + rng.normal(size=(rows, cols))
    return np.where(0.5 * factor + rng.normal(size=(rows, cols)) > np.linspace(-0.6, 0.9, cols), values, 0.0)


def correlations(d, seed=3):
    """Random latent ones, without any between a coordinate's value and its own mask, which a fit takes to be 0."""
    rng = np.random.default_rng(seed)
    a = rng.normal(size=(2 * d, 3 * d))
    c = a @ a.T
    for i in range(d):
        c[i, d + i] = c[d + i, i] = 0.0
    scale = np.sqrt(np.diag(c))
    c = 0.8 * c / np.outer(scale, scale)
    np.fill_diagonal(c, 1.0)
    assert np.linalg.eigvalsh(c).min() > 0
    return c


def known_law():
    return ZeroInflatedGaussian.from_parameters([0.4, 0.6, 0.75], [2.0, -1.0, 0.0], [1.0, 0.5, 3.0], correlations(3))


def assert_same_law(a, b):
    for part in PARTS:
        np.testing.assert_array_equal(getattr(a, part), getattr(b, part), err_msg=part)
    assert (a.observed_ is None) == (b.observed_ is None)
    if a.observed_ is not None:
        np.testing.assert_array_equal(a.observed_, b.observed_)
    assert a.report_ == b.report_
    assert a.n_features_in_ == b.n_features_in_
    np.testing.assert_array_equal(a.sample(50, seed=4), b.sample(50, seed=4))


# ---- Fitting

def test_moments_are_those_of_the_active_values():
    x = table()
    law = ZeroInflatedGaussian().fit(x)
    active = [column[column != 0] for column in x.T]
    np.testing.assert_allclose(law.p_, (x != 0).mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(law.mean_, [values.mean() for values in active], rtol=1e-12)
    np.testing.assert_allclose(law.std_, [values.std() for values in active], rtol=1e-12)


def test_observed_correlations_are_pearsons_of_standardised_values_and_masks():
    x = table()
    law = ZeroInflatedGaussian().fit(x)
    masks = x != 0
    values = np.where(masks, (x - law.mean_) / law.std_, 0.0)
    expected = np.corrcoef(np.hstack([values, masks]), rowvar=False)
    d = x.shape[1]
    own = np.eye(2 * d, k=d, dtype=bool) | np.eye(2 * d, k=-d, dtype=bool)  # a value and its own mask: 0 by definition
    np.testing.assert_allclose(law.observed_[~own], expected[~own], atol=1e-12)


def test_threshold_is_the_normal_quantile_of_being_inactive():
    law = ZeroInflatedGaussian.from_parameters([0.01, 0.3, 0.5, 0.99], np.zeros(4), np.ones(4))
    np.testing.assert_allclose(law.threshold_, [NormalDist().inv_cdf(1 - p) for p in law.p_], rtol=1e-12, atol=1e-15)


def test_always_and_never_active_have_infinite_thresholds():
    x = table()
    x[:, 0] = 0.0
    x[:, 1] = np.random.default_rng(1).normal(size=len(x))
    law = ZeroInflatedGaussian().fit(x)
    assert list(law.p_[:2]) == [0, 1]
    assert list(law.threshold_[:2]) == [np.inf, -np.inf]
    drawn = law.sample(200)
    assert not drawn[:, 0].any()
    assert drawn[:, 1].all()


def test_fit_recovers_a_known_law_from_50000_samples():
    """A latent correlation's standard error is about 0.01 here: 0.05 is far outside for the greatest of thirty."""
    law = known_law()
    fitted = ZeroInflatedGaussian().fit(law.sample(50_000, seed=9))
    np.testing.assert_allclose(fitted.p_, law.p_, atol=0.01)
    np.testing.assert_allclose(fitted.mean_, law.mean_, atol=0.06)
    np.testing.assert_allclose(fitted.std_, law.std_, rtol=0.03)
    np.testing.assert_allclose(fitted.corr_, law.corr_, atol=0.05)
    assert np.abs(law.corr_ - np.eye(6)).max() > 0.2  # there was something to recover


def test_integer_weights_are_repeated_rows():
    x = table(rows=60)
    weight = np.random.default_rng(5).integers(0, 5, size=len(x))
    a = ZeroInflatedGaussian().fit(x, sample_weight=weight)
    b = ZeroInflatedGaussian().fit(np.repeat(x, weight, axis=0))
    for part in PARTS:
        np.testing.assert_allclose(getattr(a, part), getattr(b, part), rtol=1e-9, atol=1e-9, err_msg=part)


def test_weights_count_relative_to_each_other():
    x = table(rows=60)
    weight = np.random.default_rng(5).random(len(x))
    a = ZeroInflatedGaussian().fit(x, sample_weight=weight)
    b = ZeroInflatedGaussian().fit(x, sample_weight=1000 * weight)
    np.testing.assert_allclose(a.corr_, b.corr_, atol=1e-9)


@pytest.mark.parametrize("options", [{"inverter": "amortised"}, {"shrinkage": "bayes"}, {"shrinkage": "fisher"},
                                     {"projection": "clip"}, {"projection": "nearest"}, {"projection": "weighted"}])
def test_every_way_of_fitting_gives_a_correlation_matrix(options):
    law = ZeroInflatedGaussian(**options).fit(table())
    np.testing.assert_allclose(law.corr_, law.corr_.T)
    np.testing.assert_allclose(np.diag(law.corr_), 1.0, atol=1e-12)
    assert np.linalg.eigvalsh(law.corr_).min() > -1e-9
    assert {name: law.report_[name] for name in options} == options


def test_shrinkage_all_leaves_no_correlation():
    np.testing.assert_array_equal(ZeroInflatedGaussian(shrinkage="all").fit(table()).corr_, np.eye(8))


def test_sigma_floor_is_the_least_deviation():
    x = np.array([[1.0, 5.0], [1.0, 7.0], [1.0, 9.0], [0.0, 1.0]])
    assert ZeroInflatedGaussian(sigma_floor=0.25).fit(x).std_[0] == 0.25


def test_lists_integers_float32_and_fortran_order_are_the_same_data():
    x = np.round(table(rows=30), 1).astype(np.float32)
    law = ZeroInflatedGaussian().fit(x)
    for same in (x.astype(np.float64).tolist(), np.asfortranarray(x), np.repeat(x, 2, axis=0)[::2]):
        assert_same_law(ZeroInflatedGaussian().fit(same), law)
    whole = np.random.default_rng(0).integers(-3, 4, size=(30, 3))
    assert_same_law(ZeroInflatedGaussian().fit(whole), ZeroInflatedGaussian().fit(whole.astype(float)))


def test_fit_does_not_change_its_arguments():
    x = table(rows=30)
    x.setflags(write=False)
    weight = np.ones(30)
    weight.setflags(write=False)
    ZeroInflatedGaussian().fit(x, sample_weight=weight)


# ---- Sampling

def test_sample_has_the_distribution_that_the_definition_gives():
    """The definition, simulated by NumPy: the latent Gaussian, cut off at the thresholds."""
    law = known_law()
    n, d = 100_000, 3
    latent = np.random.default_rng(11).multivariate_normal(np.zeros(2 * d), law.corr_, size=n)
    threshold = [NormalDist().inv_cdf(1 - p) for p in law.p_]
    expected = np.where(latent[:, d:] >= threshold, law.mean_ + law.std_ * latent[:, :d], 0.0)
    drawn = law.sample(n, seed=2)
    masked = np.hstack([drawn, drawn != 0]), np.hstack([expected, expected != 0])
    np.testing.assert_allclose(*(np.mean(a, axis=0) for a in masked), atol=0.04)
    np.testing.assert_allclose(*(np.corrcoef(a, rowvar=False) for a in masked), atol=0.02)


def test_same_seed_same_bits_and_another_seed_other_ones():
    law = known_law()
    np.testing.assert_array_equal(law.sample(20, seed=5), law.sample(20, seed=5))
    assert not np.array_equal(law.sample(20, seed=5), law.sample(20, seed=6))


def test_fewer_samples_are_the_first_of_more():
    law = known_law()
    few, many = law.sample(7, seed=5), law.sample(20, seed=5)[:7]
    np.testing.assert_array_equal(few == 0, many == 0)
    np.testing.assert_allclose(few, many, rtol=1e-13)  # BLAS may round a row otherwise when others stand beside it


def test_threads_may_share_a_law():
    law = known_law()
    expected = [law.sample(3000, seed=seed) for seed in range(8)]
    with ThreadPoolExecutor(4) as executor:
        for one, other in zip(executor.map(lambda seed: law.sample(3000, seed=seed), range(8)), expected):
            np.testing.assert_array_equal(one, other)


def test_no_samples_are_an_empty_array():
    assert known_law().sample(0).shape == (0, 3)


# ---- The command

@needs_command
def test_sample_equals_that_of_the_command(tmp_path):
    law = ZeroInflatedGaussian().fit(table())
    law.save(tmp_path / "a.model")
    command("sample", tmp_path / "a.model", "-n", 300, "--seed", 17, "-o", tmp_path / "x.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "x.npy"), law.sample(300, seed=17))


@needs_command
@pytest.mark.parametrize("options", [{}, {"inverter": "amortised", "shrinkage": "fisher", "projection": "clip"},
                                     {"projection": "weighted", "sigma_floor": 0.5}])
def test_fit_equals_that_of_the_command(tmp_path, options):
    x = table()
    np.save(tmp_path / "x.npy", x)
    words = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
    command("fit", tmp_path / "x.npy", "-o", tmp_path / "a.model", *words)
    assert_same_law(ZeroInflatedGaussian.load(tmp_path / "a.model"), ZeroInflatedGaussian(**options).fit(x))


@needs_command
def test_weighted_fit_of_text_equals_that_of_the_command(tmp_path):
    x = table(rows=60)
    weight = np.random.default_rng(1).random(60)
    np.savetxt(tmp_path / "x.csv", x, delimiter=",", fmt="%.17g")
    np.savetxt(tmp_path / "w.csv", weight, fmt="%.17g")
    command("fit", tmp_path / "x.csv", "-o", tmp_path / "a.model", "--row-weights", tmp_path / "w.csv")
    assert_same_law(ZeroInflatedGaussian.load(tmp_path / "a.model"), ZeroInflatedGaussian().fit(x, sample_weight=weight))


# ---- Keeping

def round_trips(law, folder):
    law.save(folder / "a.model")
    yield ZeroInflatedGaussian.load(folder / "a.model")
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        yield pickle.loads(pickle.dumps(law, protocol))
    yield copy.copy(law)
    yield copy.deepcopy(law)


@pytest.mark.parametrize("make", [known_law, lambda: ZeroInflatedGaussian(shrinkage="bayes").fit(table())])
def test_round_trips_are_exact(tmp_path, make):
    law = make()
    for again in round_trips(law, tmp_path):
        assert_same_law(again, law)
        assert again.get_params() == law.get_params()


def test_an_unfitted_law_can_be_pickled():
    again = pickle.loads(pickle.dumps(ZeroInflatedGaussian(shrinkage="bayes")))
    assert again.shrinkage == "bayes"
    assert not hasattr(again, "corr_")


def test_pickle_and_copy_keep_parameters_that_were_set_after_the_fit():
    law = ZeroInflatedGaussian(sigma_floor=0.5).fit(table()).set_params(projection="nearest")
    for again in (pickle.loads(pickle.dumps(law)), copy.deepcopy(law)):
        assert again.get_params() == law.get_params()


def test_a_missing_file_is_an_oserror(tmp_path):
    with pytest.raises(OSError, match="none.model"):
        ZeroInflatedGaussian.load(tmp_path / "none.model")
    with pytest.raises(OSError, match="nowhere"):
        known_law().save(tmp_path / "nowhere" / "a.model")


def test_a_damaged_file_is_a_valueerror(tmp_path):
    path = tmp_path / "a.model"
    known_law().save(path)
    whole = path.read_bytes()
    flipped = bytes([*whole[:60], whole[60] ^ 1, *whole[61:]])
    for data in (b"", b"no model", whole[:-1], whole[:60], whole + b"\0", flipped):
        path.write_bytes(data)
        with pytest.raises(ValueError, match="a.model"):
            ZeroInflatedGaussian.load(path)


def test_a_damaged_pickle_is_a_valueerror():
    state = known_law().__getstate__()
    state["_model"] = state["_model"][:-1]
    with pytest.raises(ValueError):
        ZeroInflatedGaussian().__setstate__(state)


# ---- scikit-learn's conventions

def test_clone_has_the_parameters_and_is_not_fitted():
    base = pytest.importorskip("sklearn.base")
    law = ZeroInflatedGaussian(shrinkage="fisher", sigma_floor=0.1).fit(table())
    twin = base.clone(law)
    assert twin.get_params() == law.get_params()
    assert not [name for name in vars(twin) if name.endswith("_")]
    with pytest.raises(RuntimeError, match="not fitted"):
        twin.save("nowhere")


def test_get_params_are_the_arguments_of_the_constructor():
    options = {"structure": "low-rank", "rank": 3, "inverter": "amortised", "shrinkage": "bayes", "projection": "clip", "sigma_floor": 0.5,
               "random_state": 7}
    assert ZeroInflatedGaussian(**options).get_params() == options
    assert ZeroInflatedGaussian().set_params(**options).get_params() == options


def test_set_params_gives_the_law_and_refuses_unknown_names():
    law = ZeroInflatedGaussian()
    assert law.set_params(shrinkage="bayes") is law
    with pytest.raises(ValueError, match="ridge"):
        law.set_params(ridge=1)


def test_repr_has_what_differs_from_the_defaults():
    assert repr(ZeroInflatedGaussian(shrinkage="bayes")) == "ZeroInflatedGaussian(shrinkage='bayes')"
    assert repr(ZeroInflatedGaussian().fit(table())) == "ZeroInflatedGaussian()"


def test_fit_gives_the_law_itself():
    law = ZeroInflatedGaussian()
    assert law.fit(table()) is law


def test_a_fit_that_fails_leaves_the_law_as_it_was():
    law = ZeroInflatedGaussian().fit(table())
    before = copy.deepcopy(law)
    with pytest.raises(ValueError):
        law.fit([[np.nan, 1.0], [1.0, 2.0]])
    assert_same_law(law, before)


# ---- What is wrong is said

def test_what_needs_a_fit_says_so(tmp_path):
    with pytest.raises(RuntimeError, match="not fitted yet"):
        ZeroInflatedGaussian().save(tmp_path / "a.model")
    with pytest.raises(RuntimeError, match="not fitted yet"):
        ZeroInflatedGaussian().sample(3)


def test_complex_data_are_a_valueerror_as_in_scikit_learn():
    with pytest.raises(ValueError, match="^X: Complex data not supported"):
        ZeroInflatedGaussian().fit(np.ones((3, 2), complex))


@pytest.mark.parametrize("x", [[["a", "b"], ["c", "d"]], np.array([[1, None], [2, 3]])])
def test_data_that_are_no_real_numbers_are_a_typeerror(x):
    with pytest.raises(TypeError, match="^X: must be real numbers"):
        ZeroInflatedGaussian().fit(x)


@pytest.mark.parametrize("x", [[1.0, 2.0, 3.0], 3.0, np.ones((2, 2, 2)), [[1.0, 2.0], [3.0]]])
def test_data_of_a_wrong_shape_are_a_valueerror(x):
    with pytest.raises(ValueError, match="^X: "):
        ZeroInflatedGaussian().fit(x)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_data_that_are_not_finite_are_a_valueerror_that_says_where(value):
    x = table(rows=10)
    x[7, 2] = value
    with pytest.raises(ValueError, match="row 7, column 2 .counted from 0.: the value is not finite") as refused:
        ZeroInflatedGaussian().fit(x)
    assert (refused.value.row, refused.value.column) == (7, 2)
    assert not hasattr(refused.value, "coordinate")


@pytest.mark.parametrize("x", [np.ones((0, 3)), np.ones((1, 3)), np.ones((3, 0))])
def test_too_few_data_are_a_valueerror(x):
    with pytest.raises(ValueError):
        ZeroInflatedGaussian().fit(x)


@pytest.mark.parametrize("weight, error, words", [
    ([-1.0] + 9 * [1.0], ValueError, "row 0 .counted from 0.: the weight"), ([np.nan] + 9 * [1.0], ValueError, "row 0 .counted from 0.: the weight"),
    (9 * [0.0] + [1.0], ValueError, "positive weight"), (9 * [1.0], ValueError, r"sample_weight: .*\(10,\), not \(9,\)"),
    (np.ones((10, 1)), ValueError, r"sample_weight: .*\(10, 1\)"), (10 * ["a"], TypeError, "sample_weight: "),
    (10 * [1j], TypeError, "sample_weight: "), (10 * [None], TypeError, "sample_weight: ")])
def test_wrong_weights_are_named(weight, error, words):
    with pytest.raises(error, match=words):
        ZeroInflatedGaussian().fit(table(rows=10), sample_weight=weight)


@pytest.mark.parametrize("options, error, words", [
    ({"inverter": "magic"}, ValueError, "magic"), ({"shrinkage": 3}, TypeError, "shrinkage"),
    ({"projection": "oblique"}, ValueError, "oblique"), ({"sigma_floor": -1.0}, ValueError, "sigma_floor"),
    ({"sigma_floor": "low"}, TypeError, "sigma_floor")])
def test_wrong_parameters_are_named_by_the_fit(options, error, words):
    with pytest.raises(error, match=words):
        ZeroInflatedGaussian(**options).fit(table(rows=10))


@pytest.mark.parametrize("change, words", [
    ({"p": [0.5, 1.5]}, "coordinate 1"), ({"std": [-1.0, 1.0]}, "coordinate 0"), ({"mean": [0.0]}, "^mean: "),
    ({"std": [[1.0, 1.0]]}, "^std: "), ({"p": 0.5}, "^p: "), ({"corr": np.eye(2)}, "^corr: "),
    ({"corr": np.eye(4) * 2}, "correlation"), ({"mean": [np.nan, 0.0]}, "coordinate 0"),
    ({"corr": np.eye(4) + np.eye(4, k=1) * 0.5}, "symmetric")])
def test_wrong_parameters_of_a_known_law_are_named(change, words):
    right = {"p": [0.5, 0.5], "mean": [0.0, 0.0], "std": [1.0, 1.0]}
    with pytest.raises(ValueError, match=words):
        ZeroInflatedGaussian.from_parameters(**{**right, **change})


def test_correlations_that_no_law_has_are_refused():
    with pytest.raises((ValueError, ArithmeticError), match="semidefinite"):
        ZeroInflatedGaussian.from_parameters([0.5, 0.5], [0.0, 0.0], [1.0, 1.0], np.where(np.eye(4) == 1, 1.0, -0.9))


@pytest.mark.parametrize("arguments, error", [
    ({"n": -1}, ValueError), ({"n": 2.5}, TypeError), ({"n": "3"}, TypeError), ({"n": 1, "seed": -1}, ValueError),
    ({"n": 1, "seed": 2**64}, ValueError), ({"n": 1, "seed": 0.5}, TypeError), ({"n": 1, "seed": "x"}, TypeError)])
def test_wrong_arguments_of_sample_are_named(arguments, error):
    with pytest.raises(error, match=f"^{[*arguments][-1]}: "):
        known_law().sample(**arguments)


def factors(d: int) -> np.ndarray:
    """Values on one factor, masks on another."""
    loadings = np.zeros((2, 2 * d))
    loadings[0, :d] = 0.7 * (-1.0) ** np.arange(d)
    loadings[1, d:] = 0.5
    return loadings


def test_low_rank_law_is_what_its_loadings_say():
    d = 6
    law = ZeroInflatedGaussian.from_parameters(np.ones(d), np.zeros(d), np.ones(d), loadings=factors(d))
    assert law.structure == "low-rank" and law.loadings_.shape == (2, 2 * d) and law.observed_ is None
    expected = factors(d).T @ factors(d)
    np.fill_diagonal(expected, 1.0)
    np.testing.assert_allclose(law.corr_, expected)
    np.testing.assert_allclose(np.corrcoef(law.sample(40_000).T), expected[:d, :d], atol=0.03)
    with pytest.raises(ValueError, match="not both"):
        ZeroInflatedGaussian.from_parameters([1.0], [0.0], [1.0], np.eye(2), np.zeros((1, 2)))
    with pytest.raises(ValueError, match="explain all of it"):
        ZeroInflatedGaussian.from_parameters([1.0], [0.0], [1.0], loadings=[[1.0, 0.0]])


def test_structures_are_fitted_and_kept(tmp_path):
    d = 40
    truth = ZeroInflatedGaussian.from_parameters(np.full(d, 0.6), np.zeros(d), np.ones(d), loadings=factors(d))
    x = truth.sample(120, seed=3)
    law = ZeroInflatedGaussian(structure="low-rank", rank=4, shrinkage="fisher").fit(x)
    assert 1 <= len(law.loadings_) <= 4 and law.report_["structure"] == "low-rank"
    assert np.linalg.eigvalsh(law.corr_)[0] > 0
    off = ~np.eye(2 * d, dtype=bool)
    assert np.sqrt(np.mean((law.corr_ - truth.corr_)[off] ** 2)) < np.sqrt(np.mean(truth.corr_[off] ** 2)) / 2
    law.save(tmp_path / "law")
    again = ZeroInflatedGaussian.load(tmp_path / "law")
    assert again.structure == "low-rank" and (again.sample(50, seed=1) == law.sample(50, seed=1)).all()
    assert (pickle.loads(pickle.dumps(law)).sample(50, seed=1) == law.sample(50, seed=1)).all()
    plain = ZeroInflatedGaussian(structure="diagonal").fit(x)
    assert plain.loadings_ is None and (plain.corr_ == np.eye(2 * d)).all()
    with pytest.raises(ValueError):
        ZeroInflatedGaussian(structure="lowrank").fit(x)


class Frame(np.ndarray):
    """As much of a DataFrame as a fit looks at."""

    columns: tuple = ()


def test_names_of_columns_are_kept(tmp_path):
    frame = np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 1.0], [2.0, 2.0]]).view(Frame)
    frame.columns = ("flour", "söt")
    model = ZeroInflatedGaussian().fit(frame)
    model.save(tmp_path / "model")
    for other in (model, ZeroInflatedGaussian.load(tmp_path / "model"), pickle.loads(pickle.dumps(model))):
        assert list(other.feature_names_in_) == ["flour", "söt"]
    assert model.fit(np.asarray(frame)).feature_names_in_ is None
    frame.columns = (0, 1)
    assert model.fit(frame).feature_names_in_ is None
