"""The pages print the figures that were measured, and benchmarks record them in one file."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))

import draw_figures  # noqa: E402
from figures import FIGURES, read_figures, record  # noqa: E402


@pytest.mark.parametrize("page", draw_figures.pages(), ids=lambda p: p.relative_to(ROOT).as_posix())
def test_a_page_has_the_figures_of_the_file(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    name = page.relative_to(ROOT).as_posix()
    assert draw_figures.redrawn(name, text, read_figures()) == text, "run `make figures`"


def test_every_table_stands_on_a_page() -> None:
    texts = "".join(page.read_text(encoding="utf-8") for page in draw_figures.pages())
    for name in draw_figures.TABLES:
        assert f"<!-- figures: {name} -->" in texts, name


def test_a_page_that_disagrees_is_found(tmp_path: Path) -> None:
    figures = read_figures()
    right = draw_figures.redrawn(
        "page", "<!-- figures: losses -->\n<!-- end of figures -->", figures
    )
    assert draw_figures.redrawn("page", right, figures) == right
    wrong = right.replace("82.83", "92.83")
    assert wrong != right
    assert draw_figures.redrawn("page", wrong, figures) == right


def test_the_size_of_the_bundled_model_is_that_of_its_file() -> None:
    size = (ROOT / "src/turbotree/models/en.safetensors").stat().st_size
    assert read_figures()["model/en"]["MB"] == round(size / 1e6, 1)


def test_every_figure_says_where_it_comes_from() -> None:
    for name, figure in read_figures().items():
        assert figure.setting, name
        assert figure.source or (figure.machine and figure.date and figure.script), name
        if figure.script.endswith(".py"):
            assert figure.commit, name
            assert (ROOT / "benchmarks" / figure.script).exists(), name


def test_what_is_recorded_replaces_the_same_values_and_keeps_the_others(tmp_path: Path) -> None:
    path = tmp_path / "figures.json"
    record("a/b", {"UAS": 1.0, "LAS": 2.0}, setting="first", script="one.py", path=path)
    record("a/b", {"LAS": 3.0}, setting="second", script="/somewhere/two.py", path=path)
    record("c", {"MB": 5}, setting="first", script="one.py", path=path)
    found = read_figures(path)
    assert list(found) == ["a/b", "c"]
    assert found["a/b"].values == {"UAS": 1.0, "LAS": 3.0}
    assert (found["a/b"].setting, found["a/b"].script) == ("second", "two.py")
    assert found["a/b"].machine
    assert found["a/b"].date
    assert found["a/b"].commit


def test_the_file_of_figures_is_written_as_it_is_read(tmp_path: Path) -> None:
    from figures import write_figures

    write_figures(read_figures(), tmp_path / "again.json")
    assert (tmp_path / "again.json").read_text("utf-8") == FIGURES.read_text("utf-8")
