"""The page for annotation, driven by the keyboard alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from turbotree.parsing import Parser
from turbotree.serving import Annotations, Engine, Limits
from turbotree.serving.running import LOOPBACK
from turbotree.text import Sentence, check_tree, read_conllu, treebank, write_conllu

HEBREW = Sentence.from_words(
    ["הילד", "קרא", "ספר", "ישן", "."],
    upos=["NOUN", "VERB", "NOUN", "ADJ", "PUNCT"],
    comments=["sent_id = hebrew"],
)


class Bench(NamedTuple):
    """Where the workbench is, and where it saves."""

    address: str
    folder: Path

    def trees(self, annotator: str) -> list[Sentence]:
        return list(read_conllu(self.folder / "annotators" / annotator / "annotations.conllu"))


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory, run_app: Any) -> Iterator[Bench]:
    pytest.importorskip("fastapi")
    from turbotree.serving import create_app
    from turbotree.serving.workbench import Workbench, WorkbenchOptions

    folder = tmp_path_factory.mktemp("bench")
    write_conllu([HEBREW, *treebank(30, seed=7)], folder / "queue.conllu")
    parser = Parser.train(treebank(150, seed=1), model="arc", epochs=2, pruner_epochs=1)
    with Annotations(folder / "saved") as store:
        options = WorkbenchOptions(overlap=0.5, retrain_share=0.0)
        workbench = Workbench(
            Engine(parser, "small", Limits()), store, folder / "queue.conllu", options
        )
        app = create_app(workbench.engine, annotations=store, workbench=workbench, hosts=LOOPBACK)
        with run_app(app) as address:
            yield Bench(address, folder / "saved")
        workbench.close()


@pytest.fixture
def page(browser: Any, bench: Bench, watch: Any) -> Iterator[Any]:
    with watch(browser, bench.address) as page:
        page.goto(f"{bench.address}/docs")  # a page that remembers nobody
        page.evaluate("localStorage.clear()")
        page.goto(f"{bench.address}/annotate")
        page.wait_for_selector("body[data-ready]")
        yield page


def begin(page: Any, name: str) -> str:
    """Type a name and wait for the first sentence; give what it is called."""
    page.keyboard.type(name)
    page.keyboard.press("Enter")
    page.wait_for_selector("#tree-card:not([hidden]) svg.tree")
    return str(page.get_attribute("body", "data-shown"))


def save(page: Any, shown: str) -> str:
    page.keyboard.press("Enter")
    page.wait_for_function("name => document.body.dataset.shown !== name", arg=shown)
    return str(page.get_attribute("body", "data-shown"))


def selected(page: Any) -> int:
    return int(page.get_attribute("svg.tree .arc.selected", "data-word"))


def pinned(page: Any) -> set[int]:
    found = page.locator("svg.tree .arc.pinned").all()
    return {int(one.get_attribute("data-word")) for one in found}


def go_to(page: Any, word: int) -> None:
    page.keyboard.press("Home")
    for _ in range(word - 1):
        page.keyboard.press("ArrowRight")
    page.wait_for_function(
        "m => document.querySelector('.arc.selected')?.dataset.word === String(m)", arg=word
    )


def test_a_tree_is_corrected_and_saved_by_keys(page: Any, bench: Bench) -> None:
    shown = begin(page, "Ann")
    heads = page.locator("svg.tree .arc[data-word]").count()
    go_to(page, 3)
    page.keyboard.press("h")
    page.wait_for_selector("#typed")
    page.keyboard.type("1")
    page.keyboard.press("Enter")
    page.wait_for_selector('[data-word="3"].pinned')
    page.keyboard.press("l")
    page.wait_for_selector("#typed")
    page.keyboard.type("my:own")  # a relation that the parser has never seen
    page.keyboard.press("Enter")
    page.wait_for_function(
        "() => document.querySelector('[data-word=\"3\"] .label').textContent === 'my:own'"
    )
    save(page, shown)
    (tree,) = bench.trees("Ann")
    assert tree.sent_id == shown
    assert (tree.heads[2], tree.labels[2]) == (1, "my:own")
    assert len(tree) == heads
    check_tree(tree)


def test_sure_arcs_are_accepted_by_one_key_and_open_ones_one_by_one(
    page: Any, bench: Bench
) -> None:
    shown = begin(page, "Bob")
    sure = {int(one.get_attribute("data-word")) for one in page.locator("svg.tree .arc.sure").all()}
    page.keyboard.press("a")
    if sure:
        page.wait_for_selector("svg.tree .arc.pinned")
        assert pinned(page) == sure
        page.keyboard.press("u")
        page.wait_for_function("() => !document.querySelector('svg.tree .arc.pinned')")
    # Space accepts an arc and goes on to the next one that is open.
    page.keyboard.press("n")
    word = selected(page)
    page.keyboard.press("Space")
    page.wait_for_selector(f'[data-word="{word}"].pinned')
    page.wait_for_function(
        "m => document.querySelector('.arc.selected')?.dataset.word !== String(m)", arg=word
    )
    assert save(page, shown) != shown
    assert [tree.sent_id for tree in bench.trees("Bob")] == [shown]
    page.wait_for_function("() => Number(document.getElementById('learning').dataset.learnt) > 0")


def test_a_circle_of_pins_lets_go_of_the_older_ones(page: Any) -> None:
    begin(page, "Cid")
    for word, head in ((1, 2), (2, 1)):
        go_to(page, word)
        page.keyboard.press("h")
        page.wait_for_selector("#typed")
        page.keyboard.type(str(head))
        page.keyboard.press("Enter")
        page.wait_for_selector(f'[data-word="{word}"].pinned')
    assert pinned(page) == {2}
    assert not page.is_visible("#message")


def test_skipping_gives_another_sentence_and_a_name_is_remembered(page: Any) -> None:
    shown = begin(page, "Dan")
    page.keyboard.press("k")
    page.wait_for_function("name => document.body.dataset.shown !== name", arg=shown)
    another = page.get_attribute("body", "data-shown")
    page.reload()
    page.wait_for_selector("#tree-card:not([hidden]) svg.tree")
    assert page.get_attribute("body", "data-shown") == another
    assert "Dan" in page.inner_text("#who")
    assert "1 skipped" in page.inner_text("#who")


def test_a_name_that_is_none_is_refused(page: Any) -> None:
    page.keyboard.type("../x")
    with page.expect_response(re.compile("/queue")) as answer:
        page.keyboard.press("Enter")
    assert answer.value.status == 422
    page.wait_for_selector("#message:not([hidden])")
    assert page.is_visible("#name-form")


def test_agreement_is_shown_where_annotators_overlap(page: Any, bench: Bench) -> None:
    shown = begin(page, "Eve")
    for _ in range(8):
        shown = save(page, shown)
    shared = {tree.sent_id for tree in bench.trees("Eve")} & {
        tree.sent_id for who in ("Ann", "Bob") for tree in bench.trees(who)
    }
    if shared:
        page.wait_for_selector("#agreement-card:not([hidden])")
        assert "kappa" in page.inner_text("#agreement")


def test_a_sentence_from_right_to_left_is_annotated(page: Any, bench: Bench) -> None:
    shown = begin(page, "Noa")
    for _ in range(31):
        if shown == "hebrew":
            break
        page.keyboard.press("k")
        page.wait_for_function("name => document.body.dataset.shown !== name", arg=shown)
        shown = page.get_attribute("body", "data-shown")
    assert shown == "hebrew"
    assert page.get_attribute("#scroller", "dir") == "rtl"
    page.keyboard.press("Home")
    page.keyboard.press("ArrowLeft")  # the next word is to the left
    page.wait_for_function("() => document.querySelector('.arc.selected').dataset.word === '2'")
    page.keyboard.press("h")
    page.wait_for_selector("#typed")
    page.keyboard.type("0")
    page.keyboard.press("Enter")
    page.wait_for_selector('[data-word="2"].pinned')
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.body.dataset.shown !== 'hebrew'")
    (tree,) = bench.trees("Noa")
    assert tree.forms == HEBREW.forms
    assert tree.heads[1] == 0


@pytest.mark.parametrize("width", [1200, 390])
def test_the_page_is_no_wider_than_the_screen(page: Any, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    begin(page, "Fay")
    page.keyboard.press("l")
    page.wait_for_selector("#typed")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
