"""Experiments run on every treebank, and go on where an interrupted run stood."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from turbotree.errors import InputError
from turbotree.evaluation import Difference
from turbotree.experiments import (
    EXPERIMENTS,
    SMALL,
    Cache,
    Claim,
    Dataset,
    Experiment,
    ExperimentContext,
    Figure,
    Paper,
    Series,
    Shown,
    Table,
    built_in,
    choose,
    report_html,
    run_experiments,
)
from turbotree.experiments.catalogue.koo2010.table2 import random_cases
from turbotree.experiments.measuring import decode_along, decode_cases, make_cases
from turbotree.parsing.parts import families_of

PAPER = Paper("someone2000", "Someone & Other (2000): <Titles>")


def counting(calls: list[str], fail_on: str = "") -> Experiment:
    """Make an experiment that notes where it ran."""

    def measure(context: ExperimentContext) -> dict[str, int]:
        if context.dataset.name == fail_on:
            raise KeyboardInterrupt
        calls.append(context.dataset.name)
        return {"sentences": len(context.gold)}

    def show(measured: object) -> Shown:
        assert isinstance(measured, dict)
        rows = tuple((name, str(found["sentences"])) for name, found in measured.items())
        line = Series("a < b", (1.0, 2.0), (3.0, 4.0))
        claim = Claim("b > a & so on", "UAS", Difference(1.0, 2.0, 1.0, -1.0, 3.0, 0.4))
        table = Table("How many", ("treebank", "paper"), rows, "a note")
        return Shown((table,), (Figure("Up", "x", "y", (line,)),), (claim,))

    return Experiment("some-table1", PAPER, "Table 1", "a & b", "b", "none", "test", measure, show)


def treebanks() -> list[Dataset]:
    one = built_in(12, 4)
    return [one, replace(one, name="other", test=one.test[:3])]


def test_a_second_run_takes_everything_from_the_cache(tmp_path: Path) -> None:
    calls: list[str] = []
    for run in range(2):
        (outcome,) = run_experiments([counting(calls)], treebanks(), SMALL, Cache(tmp_path))
        assert outcome.cached == 2 * run
        assert outcome.shown.tables[0].rows == (("built-in", "4"), ("other", "3"))
    assert calls == ["built-in", "other"]


def test_an_interrupted_run_goes_on(tmp_path: Path) -> None:
    calls: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        run_experiments([counting(calls, "other")], treebanks(), SMALL, Cache(tmp_path))
    run_experiments([counting(calls)], treebanks(), SMALL, Cache(tmp_path))
    assert calls == ["built-in", "other"]


def test_a_report_of_what_is_kept_does_no_work(tmp_path: Path) -> None:
    calls: list[str] = []
    experiments = [counting(calls), replace(counting(calls), id="some-table2")]
    with pytest.raises(InputError, match="nothing of what was asked for"):
        run_experiments(experiments, treebanks(), SMALL, Cache(tmp_path), kept_only=True)
    with pytest.raises(KeyboardInterrupt):
        run_experiments([counting(calls, "other")], treebanks(), SMALL, Cache(tmp_path))
    (outcome,) = run_experiments(experiments, treebanks(), SMALL, Cache(tmp_path), kept_only=True)
    assert calls == ["built-in"]
    assert outcome.datasets == ("built-in",)
    assert "the test sentences of built-in<" in report_html([outcome], treebanks(), SMALL)


def test_data_that_no_experiment_can_use_are_refused(tmp_path: Path) -> None:
    chunks = [replace(built_in(12, 4), kind="chunks")]
    with pytest.raises(InputError, match="no data for what was asked for; expected trees"):
        run_experiments([counting([])], chunks, SMALL, Cache(tmp_path))


def test_other_settings_or_sentences_are_other_results(tmp_path: Path) -> None:
    calls: list[str] = []
    first = treebanks()[:1]
    changed = [replace(first[0], train=first[0].train[1:])]
    for datasets, settings in (
        (first, SMALL),
        (first, SMALL.with_epochs(7)),
        (changed, SMALL),
        (first, SMALL),
    ):
        run_experiments([counting(calls)], datasets, settings, Cache(tmp_path))
    assert len(calls) == 3


def test_a_damaged_model_is_trained_again(tmp_path: Path) -> None:
    notes: list[str] = []
    work = ExperimentContext(built_in(12, 4), "test", SMALL, Cache(tmp_path), note=notes.append)
    first = work.parser({"parts": ["arc"], "epochs": 1})
    (path,) = tmp_path.glob("*.safetensors")
    whole = path.read_bytes()
    path.write_bytes(whole[:-3])
    again = work.parser({"parts": ["arc"], "epochs": 1})
    assert "damaged" in notes[1]
    assert path.read_bytes() == whole
    assert again.parse(work.gold[0]).heads == first.parse(work.gold[0]).heads
    assert list(tmp_path.iterdir()) == [path]  # no checkpoint is left


class Checker(HTMLParser):
    """Notes what is not closed, and what would be fetched."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.cells: list[str] = []
        self.links: list[str] = []
        self.images = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        if tag in ("td", "th"):
            self.cells.append("")
        self.note_links(attrs)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.images += tag == "img"
        self.note_links(attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.cells and {"td", "th"} & set(self.open):
            self.cells[-1] += data

    def note_links(self, attrs: list[tuple[str, str | None]]) -> None:
        self.links += [value or "" for name, value in attrs if name in ("src", "href")]


def checked(page: str) -> Checker:
    found = Checker()
    found.feed(page)
    found.close()
    assert found.open == []
    return found


def test_a_report_is_whole_filled_in_and_needs_nothing_else(tmp_path: Path) -> None:
    outcomes = run_experiments([counting([])], treebanks(), SMALL, Cache(tmp_path))
    page = report_html(outcomes, treebanks(), SMALL)
    found = checked(page)
    assert found.cells
    assert all(cell.strip() for cell in found.cells)
    assert found.images == 1
    assert all(link.startswith(("data:", "#")) for link in found.links)
    assert "Someone &amp; Other (2000): &lt;Titles&gt;" in page
    assert "holds, but within chance" in page
    assert "prefers-color-scheme: dark" in page


def test_experiments_are_chosen_by_name_paper_and_text() -> None:
    assert choose(EXPERIMENTS, "all") == list(EXPERIMENTS)
    assert [e.id for e in choose(EXPERIMENTS, "koo2010", ["table1"])] == ["koo2010-table1"]
    assert [e.id for e in choose(EXPERIMENTS, "admm2011-fig2")] == ["admm2011-fig2"]
    with pytest.raises(InputError, match="unknown experiment 'koo'"):
        choose(EXPERIMENTS, "koo")
    with pytest.raises(InputError, match="leaves nothing"):
        choose(EXPERIMENTS, "koo2010", ["table9"])


def test_names_of_experiments_are_unique_and_begin_with_their_paper() -> None:
    assert len({e.id for e in EXPERIMENTS}) == len(EXPERIMENTS)
    assert all(e.id.startswith(f"{e.paper.key}-") for e in EXPERIMENTS)


@pytest.mark.parametrize(
    ("difference", "or_equal", "verdict"),
    [
        (Difference(1, 2, 1.0, 0.5, 1.5, 0.01), False, "holds"),
        (Difference(1, 2, 1.0, -0.5, 1.5, 0.3), False, "holds, but within chance"),
        (Difference(2, 1, -1.0, -1.5, -0.5, 0.01), True, "DOES NOT HOLD"),
        (Difference(2, 1, -1.0, -1.5, 0.5, 0.3), True, "does not hold, within chance"),
        (Difference(1, 1, 0.0, 0.0, 0.0, 1.0), True, "holds: no difference"),
        (Difference(1, 1, 0.0, 0.0, 0.0, 1.0), False, "does not hold, within chance"),
    ],
)
def test_a_verdict_is_plain(difference: Difference, or_equal: bool, verdict: str) -> None:
    assert Claim("b above a", "UAS", difference, or_equal).verdict == verdict


def test_decoding_along_rounds_is_decoding_with_each_limit(tmp_path: Path) -> None:
    work = ExperimentContext(built_in(30, 8), "dev", SMALL, Cache(tmp_path))
    cases = make_cases(work.parser({"parts": ["arc", "sibling"], "epochs": 1}), work.gold)
    grid = (1, 3, 30)
    for decoder in ("subgradient", "koo2010"):
        along = decode_along(cases, grid, decoder)["along"]
        for limit in grid:
            alone = decode_cases(cases, decoder, max_iterations=limit)
            names = ("right", "every", "proven", "tree")
            assert along[str(limit)] == {name: alone[name] for name in names}


def test_decoders_agree_on_random_problems_where_both_have_proofs() -> None:
    cases = random_cases(list(families_of("", ["sibling", "grandparent"])), 6, 4, seed=3)
    exact = decode_cases(cases, "ilp")
    assert all(exact["proven"])
    loose, tight = (sum(decode_cases(cases, name)["proven"]) for name in ("lp-single", "lp"))
    assert loose <= tight <= len(cases)
