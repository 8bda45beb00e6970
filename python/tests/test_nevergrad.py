"""The optimizer, in nevergrad itself."""

import math
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

ng = pytest.importorskip("nevergrad")

import zilch.nevergrad  # noqa: E402


def bowl(x):
    return (x[2] - 1.5)**2 + (x[5] + 0.5)**2


def optimizer_of(seed=1, parametrization=None, **options):
    optimizer = zilch.nevergrad.Zilch(ng.p.Array(shape=(8,)) if parametrization is None else parametrization,
                                      **{"budget": 300, "penalty": 0.01, **options})
    optimizer.parametrization.random_state.seed(seed)
    return optimizer


def points(optimizer, n):
    found = []
    for _ in range(n):
        candidate = optimizer.ask()
        found.append(candidate.value.copy())
        optimizer.tell(candidate, bowl(candidate.value))
    return np.array(found)


def test_it_is_in_the_registry():
    best = ng.optimizers.registry["Zilch"](8, budget=300).minimize(bowl)
    assert bowl(best.value) < 1e-3


def test_what_is_recommended_is_sparse():
    best = optimizer_of().minimize(bowl).value
    assert np.flatnonzero(best).tolist() == [2, 5] and bowl(best) < 1e-6


def test_inactive_is_the_initial_value_of_a_parameter():
    parametrization = ng.p.Instrumentation(ng.p.Scalar(init=3.0), y=ng.p.Scalar(init=-1.0), z=ng.p.Scalar(lower=0, upper=10))
    best = optimizer_of(parametrization=parametrization).minimize(lambda x, y, z: (y - 1)**2 + (z - 5)**2).value
    assert best[0] == (3.0,) and best[1]["z"] == 5 and best[1]["y"] == pytest.approx(1, abs=0.1)


def test_several_workers():
    with ThreadPoolExecutor(4) as pool:
        assert bowl(optimizer_of(num_workers=4).minimize(bowl, executor=pool).value) < 0.05


def test_the_same_seed_gives_the_same_points():
    assert np.array_equal(points(optimizer_of(), 60), points(optimizer_of(), 60))
    assert not np.array_equal(points(optimizer_of(), 60), points(optimizer_of(2), 60))


@pytest.mark.parametrize("n", [1, 7, 40])
def test_what_is_dumped_goes_on_to_the_same_bits(tmp_path, n):
    whole, first = optimizer_of(), optimizer_of()
    expected = points(whole, n + 60)
    points(first, n)
    first.dump(tmp_path / "zilch.pkl")
    again = zilch.nevergrad.Zilch.load(tmp_path / "zilch.pkl")
    assert np.array_equal(points(again, 60), expected[n:])
    assert np.array_equal(again.recommend().value, whole.recommend().value)


def test_candidates_of_others_count():
    optimizer = optimizer_of()
    good = optimizer.parametrization.spawn_child(new_value=np.array([0, 0, 1.5, 0, 0, -0.5, 0, 0.0]))
    optimizer.tell(good, 0.0)
    assert bowl(optimizer.recommend().value) == 0
    assert optimizer._search.progress.foreign == 1


def test_losses_that_are_no_numbers_are_failures():
    optimizer = optimizer_of()
    with pytest.warns(ng.errors.LossTooLargeWarning):
        best = optimizer.minimize(lambda x: math.nan if x[0] != 0 else bowl(x))
    assert bowl(best.value) < 1e-3 and optimizer._search.progress.failures > 0


def test_a_candidate_that_never_returns_holds_nothing_up():
    optimizer = optimizer_of()
    optimizer.ask()
    points(optimizer, 200)
    assert bowl(optimizer.recommend().value) < 0.01


def test_what_is_wrong_is_said():
    with pytest.raises(TypeError, match="did you mean penalty"):
        optimizer_of(penalt=1)
    with pytest.raises(TypeError, match="negate the loss"):
        optimizer_of(direction="maximize")


def test_without_nevergrad_the_remedy_is_named():
    code = "import sys; sys.modules['nevergrad'] = None; import zilch\ntry:\n  import zilch.nevergrad\nexcept ImportError as e: print(e)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out == "zilch.nevergrad: needs nevergrad; install it with: pip install nevergrad\n"
    assert subprocess.run([sys.executable, "-c", "import sys, zilch; print('nevergrad' in sys.modules)"], capture_output=True, text=True,
                          check=True).stdout == "False\n"
