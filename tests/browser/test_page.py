"""The web page in a real browser: parse, pin, forbid, rules, downloads, saving."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from turbotree.text import Sentence, check_tree, read_conllu

WORDS = "the/DET dog/NOUN saw/VERB a/DET cat/NOUN in/ADP the/DET garden/NOUN ./PUNCT"
COUNT = len(WORDS.split())


def parse(page: Any, text: str = WORDS) -> None:
    page.fill("#input", text)
    page.click("#parse")
    # The tree of these words: that of the last sentence stays until its successor is there.
    page.wait_for_function(
        """forms => forms.join(" ") === Array.from(
            document.querySelectorAll("#found:not([hidden]) svg.tree .form"),
            form => form.textContent).join(" ")""",
        arg=[word.rpartition("/")[0] for word in text.split()],
    )
    page.wait_for_selector("#proof svg")


def download(page: Any, button: str, folder: Path) -> Path:
    with page.expect_download() as waiting:
        page.click(button)
    path = folder / waiting.value.suggested_filename
    waiting.value.save_as(path)
    return path


def tree(page: Any, folder: Path) -> Sentence:
    """The tree that is shown, by way of its download."""
    (sentence,) = read_conllu(download(page, "#get-conllu", folder))
    return sentence


def select(page: Any, word: int) -> None:
    page.locator(f'[data-at="{word}"]').click()
    page.wait_for_selector("#inspector #pin")


def test_a_sentence_is_parsed_and_its_tree_drawn(page: Any, tmp_path: Path) -> None:
    assert page.is_visible("#empty")
    parse(page)
    assert not page.is_visible("#empty")
    assert page.locator("svg.tree .arc[data-word]").count() == COUNT
    assert [form.split("/")[0] for form in WORDS.split()] == page.locator(
        "svg.tree .form"
    ).all_text_contents()
    assert "Proven best" in page.inner_text("#badge")
    assert page.locator("#others li").count() == 5
    heads = tree(page, tmp_path).heads
    described = page.get_attribute('[data-word="2"]', "aria-label")
    expected = WORDS.split()[heads[1] - 1].split("/")[0] if heads[1] else "root"
    assert expected in described


def test_an_arc_is_pinned_by_a_click_and_let_go_by_undo(page: Any, tmp_path: Path) -> None:
    parse(page)
    before = tree(page, tmp_path).heads
    select(page, 8)
    other = next(h for h in (5, 3, 2) if h != before[7])
    page.select_option("#any-head", str(other))
    page.wait_for_selector(".chips .pin")
    after = tree(page, tmp_path).heads
    assert after[7] == other
    check_tree(tree(page, tmp_path))
    assert page.locator('[data-word="8"]').get_attribute("aria-pressed") == "true"
    page.click("#undo")
    page.wait_for_selector(".chips", state="hidden")
    assert tree(page, tmp_path).heads == before


def test_an_arc_is_forbidden_with_the_keyboard_alone(page: Any, tmp_path: Path) -> None:
    parse(page)
    before = tree(page, tmp_path).heads
    page.focus("#get-svg")
    for _ in range(5):  # past the button that saves, into the tree
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.dataset.word") is not None:
            break
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.dataset.word") == "2"
    outline = page.evaluate(
        "getComputedStyle(document.activeElement.querySelector('.pill')).strokeWidth"
    )
    assert float(outline.removesuffix("px")) >= 2  # the focus can be seen
    page.keyboard.press("x")
    page.wait_for_selector(".chips .ban")
    # The focus stays where it was, so that one can go on.
    assert page.evaluate("document.activeElement.dataset.word") == "2"
    page.keyboard.press("p")
    page.wait_for_selector(".chips .pin")
    assert tree(page, tmp_path).heads[1] != before[1]
    assert page.get_attribute('[data-word="2"]', "aria-pressed") == "true"


def test_arcs_that_clash_are_told_and_taken_back(page: Any, tmp_path: Path) -> None:
    parse(page)
    for word in (1, 2):  # the head of one is not the other, and is to be
        select(page, word)
        if tree(page, tmp_path).heads[word - 1] == 3 - word:
            page.click("#pin")
        else:
            page.select_option("#any-head", str(3 - word))
        if word == 1:
            page.wait_for_selector(".chips .pin")
    page.wait_for_selector("#message:not([hidden])")
    assert "No such tree" in page.inner_text("#message")
    assert page.locator(".chips li").count() == 1
    assert tree(page, tmp_path).heads[0] == 2


def test_rules_are_edited_and_hold(page: Any, tmp_path: Path) -> None:
    parse(page)
    page.fill("#rules-text", "forall h, m: ark(h, m) and h != root -> h > m")
    page.wait_for_selector("#rules-said .error")
    assert "Line 1, column 14: unknown predicate 'ark'" in page.inner_text("#rules-said")
    assert page.locator(".gutter .wrong").inner_text() == "1"
    page.click("#rules-said .error")
    assert page.evaluate("document.activeElement.selectionStart") == 13
    page.fill("#rules-text", "forall h, m: arc(h, m) and h != root -> h > m")
    page.wait_for_selector("#rules-text:not([aria-invalid])")
    page.wait_for_selector("#proof svg")
    heads = tree(page, tmp_path).heads
    assert all(head == 0 or head > word for word, head in enumerate(heads, 1))


def test_pictures_stand_alone(page: Any, tmp_path: Path) -> None:
    parse(page)
    select(page, 5)
    text = download(page, "#get-svg", tmp_path).read_text("utf-8")
    root = ElementTree.fromstring(text)
    space = "{http://www.w3.org/2000/svg}"
    assert root.tag == f"{space}svg"
    assert "--p4" in (root.findtext(f"{space}style") or "")
    assert len(root.findall(f".//{space}polygon")) == COUNT
    assert not re.findall(r"https?://(?!www\.w3\.org)", text)


def test_another_tree_of_the_list_is_shown(page: Any, tmp_path: Path) -> None:
    parse(page)
    before = tree(page, tmp_path).heads
    page.click("#others li:nth-child(2) button")
    assert page.get_attribute("#others li:nth-child(2) button", "aria-pressed") == "true"
    assert "2. best" in page.inner_text("#badge")
    assert tree(page, tmp_path).heads != before


def test_a_word_shows_its_alternatives_and_one_is_pinned(page: Any, tmp_path: Path) -> None:
    parse(page)
    for word in range(1, COUNT + 1):
        select(page, word)
        if page.locator("svg.tree .other").count():
            break
    else:
        pytest.fail("no word has an alternative")
    name = page.locator("#inspector .alternatives .chip").first.inner_text().split("\n")[0]
    page.locator("#inspector .alternatives .chip").first.click()
    page.wait_for_selector(".chips .pin")
    head = tree(page, tmp_path).heads[word - 1]
    assert name == (WORDS.split()[head - 1].split("/")[0] if head else "root")


def in_the_file(served: Any) -> list[Sentence]:
    file = served.folder / "annotations.conllu"
    return list(read_conllu(file)) if file.exists() else []


def save(page: Any, served: Any) -> None:
    page.click("#save")
    page.wait_for_selector("#save:has-text('Saved')")
    count = len(in_the_file(served))
    sentences = "1 sentence" if count == 1 else f"{count} sentences"
    assert page.inner_text("#counts") == f"{sentences} in annotations.conllu"
    assert page.inner_text("#said") == f"saved: {sentences} in annotations.conllu"


def test_corrected_trees_are_saved(page: Any, served: Any, tmp_path: Path) -> None:
    before = in_the_file(served)
    parse(page)
    save(page, served)
    select(page, 4)
    page.select_option("#any-head", "3")
    page.wait_for_selector(".chips .pin")
    save(page, served)  # in place of the first one
    *others, saved = in_the_file(served)
    assert others == before
    assert saved == tree(page, tmp_path)
    assert saved.heads[3] == 3
    page.reload()
    page.wait_for_selector(f"#counts:has-text('{len(others) + 1} sentence')")


def test_equal_sentences_are_saved_each_for_itself(page: Any, served: Any) -> None:
    before = in_the_file(served)
    for text in ("Birds/NOUN sing/VERB\nBirds/NOUN sing/VERB", "Birds/NOUN sing/VERB"):
        page.fill("#input", text)
        page.click("#parse")
        count = text.count("Birds")
        last = f"#which option:nth-child({count}):last-child"
        page.wait_for_selector(last, state="attached")
        page.wait_for_selector("#save:has-text('Save tree')")
        for number in range(count):
            if number:
                page.click("#next")
            save(page, served)
    after = in_the_file(served)
    assert after[: len(before)] == before
    assert [one.forms for one in after[len(before) :]] == [("Birds", "sing")] * 3
    assert len({one.sent_id for one in after}) == len(after)


def test_a_tree_whose_answer_got_lost_is_kept_once(page: Any, served: Any) -> None:
    before = in_the_file(served)
    parse(page)

    def lose_the_answer(route: Any) -> None:
        route.fetch()
        route.abort()

    page.route("**/annotations", lose_the_answer)
    page.click("#save")
    page.wait_for_selector("#message:has-text('Not saved')")
    page.unroute("**/annotations")
    save(page, served)
    assert len(in_the_file(served)) == len(before) + 1


def test_a_file_that_cannot_be_written_is_no_failure_to_save(page: Any, served: Any) -> None:
    parse(page)
    file = served.folder / "annotations.conllu"
    aside = file.with_suffix(".aside")
    if file.exists():
        file.rename(aside)
    file.mkdir()
    try:
        page.click("#save")
        page.wait_for_selector("#message:has-text('The tree is saved, but not yet in')")
        assert "Saved" in page.inner_text("#save")
        assert page.inner_text("#counts").endswith(", 1 tree in its journal")
    finally:
        file.rmdir()
        if aside.exists():
            aside.rename(file)
    page.click("#save")
    page.wait_for_selector("#message", state="hidden")
    save(page, served)


def test_a_page_that_is_loaded_again_keeps_its_text(page: Any, browser: Any, served: Any) -> None:
    page.fill("#input", "a/DET dog/NOUN")
    page.reload()
    page.wait_for_selector("body[data-ready]")
    assert page.input_value("#input") == "a/DET dog/NOUN"
    assert page.is_visible("#empty")  # it was not parsed
    parse(page)
    rules = "rule few: forall h: at most 3 m: arc(h, m)"
    page.fill("#rules-text", rules)
    page.wait_for_selector("text=The tree satisfies these rules")
    page.wait_for_timeout(600)  # the editor waits until typing has paused
    page.reload()
    page.wait_for_selector("#found:not([hidden]) svg.tree")
    assert (page.input_value("#input"), page.input_value("#rules-text")) == (WORDS, rules)
    other = browser.new_page()  # other tabs have texts of their own
    other.goto(served.address)
    other.wait_for_selector("body[data-ready]")
    assert other.input_value("#input") == ""
    other.close()


HEBREW = "הילדה/NOUN ראתה/VERB כלב/NOUN גדול/ADJ ./PUNCT"


def test_sentences_from_right_to_left_begin_at_the_right(page: Any) -> None:
    def places() -> list[float]:
        words = page.locator("svg.tree .form")
        return [words.nth(i).bounding_box()["x"] for i in range(words.count())]

    parse(page)
    assert places() == sorted(places())
    assert page.get_attribute("#scroller", "dir") == "ltr"
    parse(page, HEBREW)
    assert places() == sorted(places(), reverse=True)
    assert page.get_attribute("#scroller", "dir") == "rtl"
    assert page.evaluate("getComputedStyle(document.getElementById('input')).direction") == "rtl"
    # The arrow keys go where they point.
    select(page, 2)
    page.keyboard.press("ArrowLeft")
    assert page.get_attribute(".arc.selected", "data-word") == "3"
    page.keyboard.press("ArrowRight")
    assert page.get_attribute(".arc.selected", "data-word") == "2"
    said = page.locator("#others .what").nth(1)
    assert said.locator("bdi").count() >= 1  # words of the list do not turn one another about
    assert page.locator("#others .what").nth(1).inner_text()


def test_several_sentences_can_be_walked_through(page: Any) -> None:
    page.fill("#input", f"{WORDS}\nBirds/NOUN sing/VERB")
    page.click("#parse")
    page.wait_for_selector("#sentences:not([hidden])")
    page.click("#next")
    assert page.locator("svg.tree .arc[data-word]").count() == 2
    assert page.is_disabled("#next")


def test_mistakes_are_told_in_words(page: Any) -> None:
    page.click("#parse")
    assert "nothing to parse" in page.inner_text("#message")
    page.fill("#input", "Birds sing")
    page.click("#parse")
    page.wait_for_selector("#message:has-text('has no tag')")
    page.route("**/parse", lambda route: route.abort())
    page.fill("#input", WORDS)
    page.click("#parse")
    page.wait_for_selector("#message:has-text('cannot be reached')")
    page.unroute("**/parse")


@pytest.mark.parametrize("width", [375, 768])
def test_the_page_fits_a_phone(page: Any, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    parse(page, " ".join([WORDS] * 4))
    select(page, 2)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("document.getElementById('scroller').scrollWidth") > width
    small = page.evaluate(
        "[...document.querySelectorAll('button:not([hidden])')].filter(b => b.offsetParent &&"
        " b.getBoundingClientRect().height < 24).length"
    )
    assert small == 0


def test_dark_mode_has_dark_paper_and_light_ink(page: Any) -> None:
    page.emulate_media(color_scheme="dark")
    parse(page)

    def light(selector: str, what: str) -> float:
        color = page.evaluate(f"getComputedStyle(document.querySelector('{selector}')).{what}")
        return sum(map(float, re.findall(r"[\d.]+", color)[:3])) / 3

    assert light(".card", "backgroundColor") < 60
    assert light("svg.tree .form", "fill") > 180


def test_the_api_is_described_on_a_page(page: Any, served: Any) -> None:
    page.goto(f"{served.address}/docs")
    page.wait_for_selector(".route")
    assert page.locator(".route h2 code").first.inner_text() == "/parse"
