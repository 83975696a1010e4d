"""The page for review, driven by the keyboard alone."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from turbotree.checking import (
    Annotation,
    Doubt,
    Finding,
    exceptions_path,
    read_exceptions,
    write_findings,
)
from turbotree.serving.running import LOOPBACK
from turbotree.text import Sentence, check_tree, read_conllu, treebank, write_conllu

HEBREW = Sentence.from_words(
    ["הילד", "קרא", "ספר", "."],
    upos=["NOUN", "VERB", "NOUN", "PUNCT"],
    heads=[2, 0, 2, 2],
    labels=["nsubj", "root", "nsubj", "punct"],
    comments=["sent_id = hebrew"],
)


class Reviewed(NamedTuple):
    """Where the server is, the treebank, and where corrections go."""

    address: str
    treebank: Path
    folder: Path
    review: Any

    def corrected(self) -> list[Sentence]:
        path = self.folder / "now.conllu"
        path.write_bytes(self.review.corrected(self.treebank.name))
        return list(read_conllu(path))


def finding(sentence: Sentence, word: int, head: int, label: str) -> Finding:
    old = sentence.words[word - 1]
    annotation = Annotation(old.upos, old.xpos, old.feats, old.head or 0, old.deprel)
    heads, labels = [h or 0 for h in sentence.heads], list(sentence.labels)
    heads[word - 1], labels[word - 1] = head, label
    doubts = (
        Doubt("head", str(old.head), 0.1, str(head), 0.85),
        Doubt("label", old.deprel, 0.05, label, 0.9),
    )
    return Finding(
        sentence.path,
        sentence.place(word)[1],
        0,
        sentence.sent_id or "",
        word,
        old.form,
        0.8,
        annotation,
        dataclasses.replace(annotation, head=head, label=label),
        doubts,
        heads=tuple(heads),
        labels=tuple(labels),
    )


@pytest.fixture
def served(tmp_path: Path, run_app: Any) -> Iterator[Reviewed]:
    pytest.importorskip("fastapi")
    from turbotree.serving import create_app
    from turbotree.serving.review import Review

    path = tmp_path / "train.conllu"
    write_conllu([HEBREW, *treebank(6, seed=4)], path)
    found = []
    for sentence in read_conllu(path):
        # The last word hangs from the first of the others that is no descendant: a tree as well.
        word = len(sentence) if sentence.sent_id != "hebrew" else 3
        head = next(h for h in range(1, word) if h != sentence.heads[word - 1])
        found.append(finding(sentence, word, head, "obj"))
    write_findings(found, tmp_path / "findings.jsonl")
    review = Review(tmp_path / "findings.jsonl", tmp_path / "review")
    app = create_app(None, review=review, hosts=LOOPBACK)
    with run_app(app) as address:
        yield Reviewed(address, path, tmp_path / "review", review)
    review.close()


@pytest.fixture
def page(browser: Any, served: Reviewed, watch: Any) -> Iterator[Any]:
    with watch(browser, served.address) as page:
        page.goto(f"{served.address}/review")
        page.wait_for_selector("body[data-ready]")
        yield page


def press(page: Any, key: str) -> None:
    """Press a key that decides, and wait for another finding."""
    before = page.get_attribute("body", "data-shown")
    page.keyboard.press(key)
    page.wait_for_function("old => document.body.dataset.shown !== old", arg=before)


def choose(page: Any, key: str, text: str) -> None:
    page.keyboard.press(key)
    page.wait_for_selector("#typed")
    page.keyboard.type(text)
    page.keyboard.press("Enter")
    page.wait_for_selector("#typed", state="detached")


def test_a_review_from_first_to_last_by_keys(page: Any, served: Reviewed) -> None:
    before = list(read_conllu(served.treebank))
    assert page.get_attribute("#scroller", "dir") == "rtl"  # the first sentence is Hebrew
    assert page.locator("#scroller .disputed").get_attribute("data-word") == "3"
    page.keyboard.press("t")  # the alternative
    page.wait_for_selector('#scroller [data-word="3"].pinned')
    press(page, "Enter")
    press(page, "Enter")  # this one is right
    press(page, "e")  # this one too, for ever
    press(page, "k")
    choose(page, "h", "1")
    choose(page, "l", "my:own")
    choose(page, "g", "SYM")
    press(page, "Enter")
    after = served.corrected()
    for old, new in zip(before, after, strict=True):
        check_tree(new)
        assert (old == new) is (new.sent_id not in (before[0].sent_id, before[4].sent_id))
    assert (after[0].heads[2], after[0].labels[2]) == (1, "obj")
    word = len(after[4])
    last = after[4].words[word - 1]
    assert (last.head, last.deprel, last.upos) == (1, "my:own", "SYM")
    (kept,) = read_exceptions(exceptions_path(served.treebank))
    assert kept.sent_id == before[2].sent_id
    verdicts = served.review.status()["verdicts"]
    assert verdicts == {"correct": 2, "accept": 1, "acknowledge": 1, "skip": 1}
    assert "5 of 7 findings decided" in page.inner_text("#model")


def test_changes_and_decisions_are_undone(page: Any, served: Reviewed) -> None:
    page.keyboard.press("t")
    page.wait_for_selector("#scroller .arc.pinned")
    page.keyboard.press("u")
    page.wait_for_function("() => !document.querySelector('#scroller .arc.pinned')")
    press(page, "e")
    page.keyboard.press("u")
    page.wait_for_function("() => document.body.dataset.shown === '0'")
    assert served.review.status()["decided"] == 0
    assert read_exceptions(exceptions_path(served.treebank)) == []
    assert served.corrected() == list(read_conllu(served.treebank))


def test_a_circle_is_refused_and_explained(page: Any, served: Reviewed) -> None:
    page.keyboard.press("Home")  # הילד, under קרא
    page.keyboard.press("ArrowUp")
    choose(page, "h", "1")
    page.wait_for_selector("#message:not([hidden])")
    assert "circle" in page.inner_text("#message")
    assert served.review.status()["decided"] == 0


def test_a_word_is_dragged_onto_its_head(page: Any) -> None:
    page.locator('#scroller [data-at="3"]').hover()
    page.mouse.down()
    page.locator('#scroller [data-at="1"]').hover()
    page.mouse.up()
    page.wait_for_selector('#scroller [data-word="3"].pinned')
    assert "הילד" in page.get_attribute('#scroller [data-word="3"]', "aria-label")


def test_the_last_finding_is_followed_by_nothing(page: Any) -> None:
    for _ in range(7):
        press(page, "k")
    assert page.is_visible("#finished")
    page.keyboard.press("u")
    page.wait_for_selector("#tree-card:not([hidden])")


@pytest.mark.parametrize("width", [1200, 390])
def test_the_page_is_no_wider_than_the_screen(page: Any, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    press(page, "k")
    page.keyboard.press("t")
    page.wait_for_selector("#scroller .arc.pinned")
    page.keyboard.press("l")
    page.wait_for_selector("#typed")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
