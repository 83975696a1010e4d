"""Random CoNLL-U files for hypothesis: valid, but as odd as the format allows."""

from __future__ import annotations

from hypothesis import strategies as st

# Characters that other tools take for line ends or blanks are data here.
ODD = "\r\x0b\x0c\x1c\x1d\x1e\x85\xa0\u2028\u2029\ufeff\u200d\u0301#_-.=| 猫é😀"
values = st.text(
    st.one_of(
        st.sampled_from(ODD),
        st.characters(exclude_characters="\t\n", exclude_categories=["Cs"]),
    ),
    max_size=5,
)
# At the end of a line a CR belongs to the line ending, as in files from Windows.
last_values = values.map(lambda value: value.rstrip("\r"))


@st.composite
def word_line(draw: st.DrawFn, identifier: str, ending: str) -> str:
    """One line of ten columns."""
    columns = [identifier, *(draw(values) for _ in range(8)), draw(last_values)]
    return "\t".join(columns) + ending


@st.composite
def block(draw: st.DrawFn, ending: str) -> tuple[str, int]:
    """The text of one sentence without the blank line after it, and its number of words."""
    count = draw(st.integers(1, 6))
    lines = ["#" + draw(last_values) + ending for _ in range(draw(st.integers(0, 2)))]
    if draw(st.booleans()):
        lines.append(draw(word_line("0.1", ending)))
    covered = 0
    for number in range(1, count + 1):
        if number > covered and draw(st.integers(0, 4)) == 0:
            covered = draw(st.integers(number, count))
            lines.append(draw(word_line(f"{number}-{covered}", ending)))
        lines.append(draw(word_line(str(number), ending)))
        for empty in range(1, draw(st.sampled_from([1, 1, 1, 2, 3]))):
            lines.append(draw(word_line(f"{number}.{empty}", ending)))
    return "".join(lines), count


@st.composite
def conllu_files(draw: st.DrawFn) -> tuple[bytes, list[int]]:
    """A whole file, and the number of words of each of its sentences."""
    ending = draw(st.sampled_from(["\n", "\n", "\r\n"]))
    blocks = draw(st.lists(block(ending), min_size=1, max_size=4))
    text = draw(st.sampled_from(["", "\ufeff", ending]))
    for lines, _ in blocks:
        text += lines + ending * draw(st.integers(1, 3))
    cut = draw(st.sampled_from([0, 0, 1, 2]))
    if cut:  # no blank line at the end, or not even a line end
        text = text.rstrip("\r\n") + (ending if cut == 1 else "")
    return text.encode(), [count for _, count in blocks]
