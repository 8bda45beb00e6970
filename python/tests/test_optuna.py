"""The sampler, in Optuna itself."""

import pathlib
import pickle
import subprocess
import sys

import pytest

import zilch

optuna = pytest.importorskip("optuna")

import zilch.optuna  # noqa: E402

optuna.logging.set_verbosity(optuna.logging.ERROR)

FLOAT, INT, CHOICE = (optuna.distributions.FloatDistribution, optuna.distributions.IntDistribution,
                      optuna.distributions.CategoricalDistribution)


def bowl(trial):
    x = [trial.suggest_float(f"x{i}", -5, 5) for i in range(8)]
    return (x[2] - 1.5)**2 + (x[5] + 0.5)**2


def switched(trial):
    """Two of eight are worth their cost."""
    value = 0.0
    for i in range(8):
        if trial.suggest_categorical(f"use_x{i}", [False, True]):
            x = trial.suggest_float(f"x{i}", 1, 10, log=i % 2 == 0)
            value += (x - 3)**2 - 4 if i in (2, 5) else 0.5
    return value


def study_of(storage=None, name=None, direction="minimize", **options):
    sampler = zilch.optuna.Sampler(**{"seed": 1, "penalty": 0.01, **options})
    return optuna.create_study(storage=storage, study_name=name, load_if_exists=True, sampler=sampler, direction=direction)


def params(study):
    return [trial.params for trial in study.trials]


# ---- What is found

def test_few_floats_are_active():
    study = study_of()
    study.optimize(bowl, n_trials=200)
    assert {name for name, x in study.best_params.items() if x} == {"x2", "x5"}
    assert study.best_value < 1e-4
    assert sum(x == 0 for trial in study.trials for x in trial.params.values()) > 0.5 * 8 * 200


def test_the_greatest_value():
    study = study_of(direction="maximize")
    study.optimize(lambda trial: -bowl(trial), n_trials=200)
    assert study.best_value > -1e-4


def test_a_switch_and_its_parameter_are_one_coordinate():
    study = study_of()
    study.optimize(switched, n_trials=300)
    assert {name for name, x in study.best_params.items() if x is True} == {"use_x2", "use_x5"}
    assert study.best_value < -7.9
    assert len(study.sampler._search.coordinates) == 8
    assert all(study.trials[0].params[f"use_x{i}"] for i in range(8))  # to see what there is


def test_a_switch_may_turn_on_several():
    def objective(trial):
        if not trial.suggest_categorical("momentum", ["off", "on"]) == "on":
            return 1.0
        return (trial.suggest_float("rate", 0, 1) - 0.3)**2 + (trial.suggest_float("decay", 0, 1) - 0.6)**2

    study = study_of(switches={"momentum": ["rate", "decay"]}, inactive={"momentum": "off"})
    study.optimize(objective, n_trials=150)
    assert study.best_value < 1e-3
    assert [each.name for each in study.sampler._search.coordinates] == ["decay", "rate"]
    assert {frozenset(trial.params) for trial in study.trials} == {frozenset(["momentum"]), frozenset(["momentum", "rate", "decay"])}


def test_ints_steps_flags_and_defaults_keep_their_values():
    def objective(trial):
        n = trial.suggest_int("n", 0, 10)
        odd = trial.suggest_int("odd", 1, 9, step=2)
        x = trial.suggest_float("x", -1, 1, step=0.25)
        rate = trial.suggest_float("rate", 1e-5, 1e-1, log=True)
        size = trial.suggest_int("size", 1, 1024, log=True)
        flag = trial.suggest_categorical("flag", [True, False])
        trial.suggest_categorical("kind", ["a", "b", "c"])
        assert odd % 2 == 1 and (x * 4) % 1 == 0 and 1 <= size <= 1024 and 1e-5 <= rate <= 1e-1
        return (n - 3)**2 + (odd - 5)**2 + (x - 0.5)**2 + (rate > 0.01) + (not flag) + abs(size - 64) / 64

    study = study_of(inactive={"rate": 1e-3, "size": 64})
    study.optimize(objective, n_trials=200)
    assert study.best_value < 1e-3
    best = study.best_params
    assert (best["n"], best["odd"], best["x"], best["rate"], best["size"], best["flag"]) == (3, 5, 0.5, 1e-3, 64, True)
    assert {type(best[name]) for name in ("n", "odd", "size")} == {int}


@pytest.mark.parametrize("distribution", [
    FLOAT(-5, 5), FLOAT(1, 10), FLOAT(1e-5, 1e-1, log=True), FLOAT(-1, 1, step=0.1), FLOAT(0.05, 0.95, step=0.1), INT(0, 10), INT(1, 9, step=2),
    INT(1, 1024, log=True), INT(-4, 4)])
@pytest.mark.parametrize("switch", [None, "use_x"])
def test_values_come_back_from_their_coordinates(distribution, switch):
    rules = zilch.optuna._Rules({}, {})
    coordinate, = rules.coordinates({"x": distribution, **({switch: CHOICE([False, True])} if switch else {})})
    low, high = coordinate.bounds
    for part in (0.0, 0.3, 0.5, 0.77, 1.0):
        x = coordinate.decode(low + part * (high - low))
        assert distribution._contains(distribution.to_internal_repr(x))
        again = coordinate.decode(coordinate.encode({"x": x, "use_x": True}, lambda name: False))
        assert again == pytest.approx(x, rel=1e-12)
    assert coordinate.encode({"use_x": False} if switch else {"x": 0} if coordinate.inactive == 0 else {}, lambda name: False) == (
        0 if switch or coordinate.inactive == 0 else pytest.approx((low + high) / 2))


# ---- Going on

@pytest.mark.parametrize("objective", [bowl, switched])
def test_a_study_goes_on_as_if_it_had_not_stopped(tmp_path, objective):
    whole = study_of()
    whole.optimize(objective, n_trials=60)
    for _ in range(4):  # each with a sampler that knows nothing
        parts = study_of(f"sqlite:///{tmp_path}/a.db", "a")
        parts.optimize(objective, n_trials=15)
    assert params(parts) == params(whole)


def test_values_that_were_known_are_known_again_after_parallel_trials(tmp_path):
    """The order of asking and telling is in the storage: whoever comes later is where the first was."""
    url = f"sqlite:///{tmp_path}/a.db"
    first = study_of(url, "a")
    first.optimize(bowl, n_trials=40, n_jobs=4)
    second = study_of(url, "a")
    trial = second.ask()
    expected = second.sampler.sample_relative(second, second.trials[-1], second.sampler.infer_relative_search_space(second, second.trials[-1]))
    del trial
    assert expected == first.sampler.sample_relative(first, first.trials[-1],
                                                     first.sampler.infer_relative_search_space(first, first.trials[-1]))


def test_another_seed_or_none_is_another_search():
    def points(seed):
        study = study_of(seed=seed)
        study.optimize(bowl, n_trials=20)
        return params(study)

    assert points(1) == points(1) != points(2)
    assert points(None) != points(None)


def test_a_sampler_can_be_pickled():
    study = study_of()
    study.optimize(bowl, n_trials=20)
    copy = optuna.create_study(sampler=pickle.loads(pickle.dumps(study.sampler)))
    copy.add_trials(study.trials)
    copy.optimize(bowl, n_trials=10)
    study.optimize(bowl, n_trials=10)
    assert params(copy) == params(study)


# ---- Ask and tell, failures, parallel trials

def test_ask_and_tell_is_the_same_as_optimize():
    one, other = study_of(), study_of()
    one.optimize(bowl, n_trials=30)
    for _ in range(30):
        trial = other.ask()
        other.tell(trial, bowl(trial))
    assert params(one) == params(other)


def test_with_a_search_space_the_first_trial_is_the_searchs_own():
    space = {f"x{i}": FLOAT(-5, 5) for i in range(8)}
    study = study_of(search_space=space)
    for _ in range(3):
        study.ask(space)
    assert all("zilch:ask" in trial.system_attrs for trial in study.trials)
    assert study.trials[1].params != study.trials[2].params


def test_trials_of_others_count():
    study = study_of()
    study.enqueue_trial({f"x{i}": 1.5 if i == 2 else -0.5 if i == 5 else 0.0 for i in range(8)})
    study.add_trial(optuna.create_trial(params={"x1": 2.0}, distributions={"x1": FLOAT(-5, 5)}, value=9.0))
    study.optimize(bowl, n_trials=30)
    assert study.sampler._search.optimizer.progress.foreign >= 2
    assert study.best_value == 0


def test_failed_and_pruned_trials_are_no_values():
    def objective(trial):
        value = bowl(trial)
        if trial.number % 3 == 1:
            raise ValueError
        if trial.number % 3 == 2:
            trial.report(-100.0, 0)
            raise optuna.TrialPruned
        return value

    study = study_of()
    study.optimize(objective, n_trials=300, catch=ValueError)
    assert study.best_value < 1e-2
    study.sampler.infer_relative_search_space(study, study.trials[-1])
    assert study.sampler._search.optimizer.progress.failures > 150
    assert study.sampler._search.optimizer.best.value == pytest.approx(study.best_value, abs=1e-12)


def test_a_study_whose_trials_all_fail_goes_on():
    study = study_of(search_space={"x0": FLOAT(-5, 5), "x1": FLOAT(0, 1)})
    study.optimize(lambda trial: trial.suggest_float("x0", -5, 5) * float("nan"), n_trials=60)
    assert {trial.state.name for trial in study.trials} == {"FAIL"}


def test_a_trial_that_never_ends_holds_nothing_up():
    study = study_of(search_space={f"x{i}": FLOAT(-5, 5) for i in range(8)})
    bowl(study.ask())  # and nobody tells
    study.optimize(bowl, n_trials=200)
    assert study.best_value < 1e-2


def test_trials_on_threads_are_different():
    study = study_of()
    study.optimize(bowl, n_trials=200, n_jobs=4)
    assert study.best_value < 0.05
    assert len({tuple(sorted(trial.params.items())) for trial in study.trials}) > 150


def test_constraints_come_first():
    def objective(trial):
        x = [trial.suggest_float(f"x{i}", -5, 5) for i in range(5)]
        trial.set_user_attr("limit", 1 - x[0] - x[1])
        return sum(each**2 for each in x)

    study = study_of(constraints_func=lambda trial: [trial.user_attrs["limit"]])
    study.optimize(objective, n_trials=200)
    best = study.sampler._search.optimizer.best
    assert best.violation == 0 and best.value == pytest.approx(0.5, abs=0.05)
    assert study.best_value == pytest.approx(best.value)


# ---- What is refused

def test_what_is_wrong_is_said():
    with pytest.raises(TypeError, match="did you mean penalty"):
        zilch.optuna.Sampler(penalt=1)
    with pytest.raises(TypeError, match="give it to optuna.create_study"):
        zilch.optuna.Sampler(direction="maximize")
    with pytest.raises(ValueError, match="several objectives"):
        optuna.create_study(directions=["minimize"] * 2, sampler=zilch.optuna.Sampler()).optimize(bowl, n_trials=1)
    with pytest.raises(ValueError, match="x0 cannot be 9"):
        study_of(inactive={"x0": 9}).optimize(bowl, n_trials=2)


def test_without_optuna_the_remedy_is_named():
    code = "import sys; sys.modules['optuna'] = None; import zilch\ntry:\n  import zilch.optuna\nexcept ImportError as e: print(e)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out == "zilch.optuna: needs Optuna; install it with: pip install optuna\n"
    assert subprocess.run([sys.executable, "-c", "import sys, zilch; print('optuna' in sys.modules)"], capture_output=True, text=True,
                          check=True).stdout == "False\n"


def test_the_form_of_optunahub_has_the_sampler():
    folder = pathlib.Path(__file__).parents[1] / "optunahub/package/samplers/zilch"
    if not folder.exists():
        pytest.skip("not in a checkout")
    space = {}
    exec((folder / "__init__.py").read_text(), space)
    assert [space[name] for name in space["__all__"]] == [zilch.optuna.Sampler]
    head = (folder / "README.md").read_text().split("---\n")[1]
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    assert list(fields) == ["author", "title", "description", "tags", "optuna_versions", "license"]
    assert "sampler" in fields["tags"] and optuna.__version__ in fields["optuna_versions"]
    assert {"LICENSE", "README.md", "__init__.py", "example.py"} <= {each.name for each in folder.iterdir()}
