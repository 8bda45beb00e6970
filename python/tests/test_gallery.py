"""The pages of the gallery's cases: their tables are those of the numbers that are kept, and everything that belongs to a case is there."""
import json
import pathlib
import sys

import pytest

SOURCE = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(SOURCE / "tools" / "gallery"))
import pages  # noqa: E402

DOCS = SOURCE / "docs"


def test_every_script_is_a_case():
    assert sorted(pages.CASES) == sorted(path.stem for path in (SOURCE / "examples" / "gallery").glob("*.py"))
    assert sorted(pages.CASES) == sorted(path.stem for path in (DOCS / "gallery").glob("*.md"))


@pytest.mark.parametrize("case", sorted(pages.CASES))
def test_a_page_has_the_tables_of_its_numbers(case):
    found = json.loads((DOCS / "gallery" / f"{case}.json").read_text(encoding="utf-8"))
    lines = (DOCS / "gallery" / f"{case}.md").read_text(encoding="utf-8").split("\n")
    for line in pages.table(case, found["rows"]).split("\n"):
        assert line in lines
    assert {"zilch", "python", "numpy"} <= found["versions"].keys() and found["machine"]["cores"] >= 1
    assert found["processor seconds"] < 2 * 600  # ten minutes of two cores
    assert ("slow" in found) == any("slow" in row for row in found["rows"])


@pytest.mark.parametrize("case", sorted(pages.CASES))
def test_a_case_has_its_figure_and_stands_in_the_gallery(case):
    page = (DOCS / "gallery" / f"{case}.md").read_text(encoding="utf-8")
    assert f"]({case}.svg)" in page and f"]({case}.json)" in page and f"tools/gallery.sh build/gallery {case}" in page
    gallery = (DOCS / "gallery.md").read_text(encoding="utf-8")
    assert f"](gallery/{case}.svg)" in gallery and f"](gallery/{case}.md)" in gallery and f"](../examples/gallery/{case}.py)" in gallery


def test_the_limit_of_basis_pursuit_is_that_of_the_theory():
    assert 100 * pages.half_found(0.5) == pytest.approx(19.28448, abs=1e-3)  # by SciPy's minimize_scalar and brentq
    assert f"k = {2 * pages.half_found(0.5):.3f} · 50 = {100 * pages.half_found(0.5):.0f}" in (DOCS / "gallery" / "sensing.md").read_text(encoding="utf-8")
