"""Pictures of trees."""

import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turbotree.errors import InputError
from turbotree.text import draw_svg, draw_text, find_cycle

SVG = "{http://www.w3.org/2000/svg}"


@st.composite
def trees(draw: st.DrawFn) -> list[int]:
    """Random trees of any shape: each word hangs on one that stands before it in some order."""
    count = draw(st.integers(1, 12))
    order = draw(st.permutations(range(1, count + 1)))
    heads = [0] * count
    for place, word in enumerate(order):
        above = draw(st.integers(0, place))
        heads[word - 1] = order[above - 1] if above else 0
    return heads


def arcs_of(drawing: str) -> list[int]:
    """Read the heads back from the drawing by following its lines, as an eye would."""
    rows = [
        line[: line.index(next(c for c in line if c.isdigit()))] for line in drawing.split("\n")
    ]
    own: dict[int, int] = {}  # (row of) head by its own line's column
    heads = [0] * len(rows)
    for row, line in enumerate(rows):
        # The word's own lane begins the last stretch of line without arrow.
        if not line.rstrip().endswith("►"):
            starts = [c for c, shape in enumerate(line) if shape in "┌├└┬┼┴"]
            if starts and "─" in line:
                own[row] = starts[-1]
    for row, line in enumerate(rows):
        if "►" not in line:
            continue
        column = max(c for c, shape in enumerate(line[: line.index("►")]) if shape in "┌├└")
        reached = [r for r in _along(rows, row, column) if own.get(r) == column]
        assert len(reached) == 1, drawing
        heads[row] = reached[0] + 1
    return heads


def _along(rows: list[str], row: int, column: int) -> list[int]:
    found = [row]
    upward, downward = "└├│┼┴", "┌├│┼┬"
    for step, shapes in ((-1, upward), (1, downward)):
        at = row
        while rows[at][column] in shapes:
            at += step
            found.append(at)
    return found


@settings(max_examples=200, deadline=None)
@given(trees())
def test_following_the_lines_of_a_text_drawing_gives_the_tree_back(heads: list[int]) -> None:
    drawing = draw_text(["w"] * len(heads), heads, ["l"] * len(heads))
    assert arcs_of(drawing) == heads


@settings(max_examples=60, deadline=None)
@given(trees())
def test_a_text_drawing_has_one_line_a_word_with_all_that_is_known(heads: list[int]) -> None:
    count = len(heads)
    forms, labels = [f"word{i}." for i in range(count)], [f"label{i}." for i in range(count)]
    drawing = draw_text(forms, heads, labels, [0.5] * count)
    for row, line in enumerate(drawing.split("\n")):
        assert line.split()[-5:] == [
            str(row + 1), forms[row], labels[row], str(heads[row]), "50.0%",
        ]  # fmt: skip
    for text in forms + labels:
        assert drawing.count(text) == 1


def test_colours_only_colour() -> None:
    arguments = (["a", "b", "c"], [2, 0, 2], ["x", "root", "y"], [0.95, 0.6, 0.2])
    coloured = draw_text(*arguments, color=True)
    assert "\x1b[31m" in coloured
    codes = {"\x1b[1m", "\x1b[2m", "\x1b[36m", "\x1b[32m", "\x1b[33m", "\x1b[31m", "\x1b[0m"}
    for code in codes:
        coloured = coloured.replace(code, "")
    assert coloured == draw_text(*arguments)


def test_wide_letters_keep_the_columns_straight() -> None:
    first, second = draw_text(["猫", "ab"], [2, 0], ["x", "y"]).split("\n")
    assert first.index("x") + 1 == second.index("y")  # one wide letter takes two cells


def test_control_characters_are_not_printed() -> None:
    assert "\x1b" not in draw_text(["a\x1b[31m", "b\n"], [2, 0], ["x\t", "y"])


def test_missing_heads_are_drawn_as_such() -> None:
    assert draw_text(["a", "b"], [None, 1], ["_", "x"]).split("\n")[0].endswith("1 a  _  _")
    assert draw_svg(["a"], [None], ["_"]).count("<path") == 0
    assert draw_text([], [], []) == ""
    assert ET.fromstring(draw_svg([], [], [])).tag == f"{SVG}svg"


@settings(max_examples=60, deadline=None)
@given(trees(), st.booleans())
def test_every_word_and_label_stands_in_the_picture_once(heads: list[int], sure: bool) -> None:
    count = len(heads)
    forms, labels = [f"word{i}" for i in range(count)], [f"label{i}" for i in range(count)]
    chances = [0.99] * count if sure else None
    root = ET.fromstring(draw_svg(forms, heads, labels, chances, tags=["T"] * count))
    texts = [element.text for element in root.iter(f"{SVG}text")]
    expected = [*forms, *labels, *["T"] * count]
    assert sorted(t for t in texts if t not in ("arc probability 0", "1")) == sorted(expected)
    assert len(list(root.iter(f"{SVG}path"))) == count


@settings(max_examples=100, deadline=None)
@given(trees())
def test_labels_of_a_picture_do_not_overlap(heads: list[int]) -> None:
    labels = [f"label{i}" * (1 + i % 3) for i in range(len(heads))]
    root = ET.fromstring(draw_svg(["w"] * len(heads), heads, labels))
    boxes = [
        tuple(float(element.get(key, "0")) for key in ("x", "y", "width", "height"))
        for element in root.iter(f"{SVG}rect")
        if element.get("class") == "halo"
    ]
    for i, (x, y, wide, high) in enumerate(boxes):
        for other_x, other_y, other_wide, other_high in boxes[i + 1 :]:
            apart = x + wide <= other_x + 0.2 or other_x + other_wide <= x + 0.2
            assert apart or y + high <= other_y or other_y + other_high <= y
    size = float(root.get("width", "0"))
    assert all(x >= 0 and x + wide <= size for x, _, wide, _ in boxes)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(max_size=6), min_size=1, max_size=5))
def test_any_text_gives_well_formed_xml(texts: list[str]) -> None:
    heads = [0] + [1] * (len(texts) - 1)
    picture = draw_svg(texts, heads, texts, [0.5] * len(texts), tags=texts, title=texts[0])
    picture.encode()
    ET.fromstring(picture)


def test_markup_in_words_is_escaped() -> None:
    picture = draw_svg(["<b>&"], [0], ['"x"<'], tags=["<t>"], title="</title><script>")
    assert "<script>" not in picture
    root = ET.fromstring(picture)
    assert [element.text for element in root.iter(f"{SVG}text")] == ['"x"<', "<b>&", "<t>"]
    assert root.findtext(f"{SVG}title") == "</title><script>"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((["a"], [0, 1], ["x"]), "2 heads for 1 words"),
        ((["a"], [0], []), "0 labels for 1 words"),
        ((["a"], [0], ["x"], [0.1, 0.2]), "2 probabilities for 1 words"),
        ((["a"], [2], ["x"]), "head 2 of word 1 is outside"),
        ((["a", "b"], [2, 1], ["x", "y"]), "words 1, 2 form a cycle"),
        ((["a"], [0], ["x"], [1.5]), "probability 1.5"),
        ((["a"], [0], ["x"], [float("nan")]), "probability nan"),
    ],
)
def test_what_is_no_tree_is_refused(arguments: tuple, reason: str) -> None:  # type: ignore[type-arg]
    for draw in (draw_text, draw_svg):
        with pytest.raises(InputError, match=reason):
            draw(*arguments)  # type: ignore[operator]
    with pytest.raises(InputError, match="2 tags for 1 words"):
        draw_svg(["a"], [0], ["x"], tags=["T", "U"])


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(0, 6), min_size=6, max_size=6))
def test_a_cycle_is_found_if_and_only_if_some_word_never_reaches_the_root(heads: list[int]) -> None:
    def reaches_root(word: int) -> bool:
        for _ in heads:
            word = heads[word - 1] if word else 0
        return word == 0

    cycle = find_cycle(heads)
    assert bool(cycle) == (not all(reaches_root(word) for word in range(1, 7)))
    for word, above in zip(cycle, [*cycle[1:], *cycle[:1]], strict=True):
        assert heads[word - 1] == above


HEBREW = ["הילדה", "ראתה", "IBM", "."]
HEBREW_TREE = ([2, 0, 2, 2], ["nsubj", "root", "obj", "punct"])


def test_a_sentence_from_right_to_left_is_drawn_as_its_mirror() -> None:
    def places(forms: list[str]) -> list[float]:
        picture = draw_svg(forms, *HEBREW_TREE)
        return [float(x) for x in re.findall(r'class="word" x="([\d.]+)"', picture)]

    # Letters of the same width: the place of each word is that of its mirror image.
    from_left, from_right = places(["éééé", "ééé", "ééé", "é"]), places(["אאאא", "אאא", "אאא", "א"])
    assert from_left == sorted(from_left)
    assert from_right == sorted(from_right, reverse=True)
    sums = [a + b for a, b in zip(from_left, from_right, strict=True)]
    assert max(sums) - min(sums) < 0.25  # places are rounded
    arcs = re.findall(r"<title>([^<]*)</title>", draw_svg(HEBREW, *HEBREW_TREE))
    assert "\u2068ראתה\u2069 → \u2068הילדה\u2069: nsubj" in arcs


def test_words_from_right_to_left_leave_the_columns_of_a_terminal_alone() -> None:
    lines = draw_text(HEBREW, *HEBREW_TREE).splitlines()
    assert "\u2068הילדה\u2069  nsubj" in lines[0]  # isolated, and padded outside
    assert "3 IBM    obj" in lines[2]
    plain = [re.sub("[\u2068\u2069]", "", line) for line in lines]
    assert (
        len({line.rindex(str(head)) for line, head in zip(plain, HEBREW_TREE[0], strict=True)}) == 1
    )
