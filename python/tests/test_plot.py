"""zilch.plot draws what a study, a result and a law hold."""
import numpy as np
import pytest

import zilch

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("agg")

import zilch.plot  # noqa: E402


def search(path=None, seed=1):
    return zilch.minimize(lambda x: (x[0] - 1) ** 2 + (x[2] + 2) ** 2, 6, penalty=0.1, population=30, generations=8, seed=seed,
                          study=path)


@pytest.fixture
def path(tmp_path):
    for seed in (1, 2):
        search(tmp_path / "a.study", seed)
    return tmp_path / "a.study"


@pytest.mark.parametrize(("draw", "column"), [(zilch.plot.values, "best_value"), (zilch.plot.active, "best_active")])
def test_curves_are_those_of_the_study(path, draw, column):
    lines = draw(path).get_lines()
    assert len(lines) == 2
    with zilch.Study(path) as study:
        for run, line in enumerate(lines, 1):
            history = study.generations(run)
            assert line.get_xdata().tolist() == [row["generation"] for row in history]
            assert line.get_ydata().tolist() == [row[column] for row in history]


def test_a_result_has_one_curve():
    result = search()
    (line,) = zilch.plot.values(result).get_lines()
    assert np.array_equal(line.get_ydata(), result.history["best_value"])


def test_activity_is_the_share_of_active_points(path):
    image = zilch.plot.activity(path, run=2).get_images()[0].get_array()
    with zilch.Study(path) as study:
        last = np.array([row["x"] for row in study.evaluations(2) if row["generation"] == 8])
    assert image.shape == (6, 8)
    assert np.array_equal(image[:, 7], (last != 0).mean(axis=0))


def test_the_front_ends_in_the_recommended_point():
    result = search()
    seen, recommended = zilch.plot.front(result).get_lines()
    assert seen.get_xdata().tolist() == [point.active for point in result.front]
    assert (recommended.get_xdata()[0], recommended.get_ydata()[0]) == (result.active, result.fun)


def test_correlations_are_the_laws():
    rng = np.random.default_rng(1)
    law = zilch.ZeroInflatedGaussian().fit(rng.normal(size=(50, 3)) * (rng.random((50, 3)) < 0.6))
    assert np.array_equal(zilch.plot.correlations(law).get_images()[0].get_array(), law.corr_)


def test_a_study_at_a_glance_can_be_written(path, tmp_path):
    figure = zilch.plot.study(path)
    figure.savefig(tmp_path / "a.png")
    assert len(figure.axes) == 4  # three pictures and a scale
    assert (tmp_path / "a.png").stat().st_size > 10_000


def test_a_study_without_generations_is_said(tmp_path):
    with zilch.Study(tmp_path / "empty.study", "create"):
        pass
    with pytest.raises(ValueError, match="no run"):
        zilch.plot.study(tmp_path / "empty.study")
