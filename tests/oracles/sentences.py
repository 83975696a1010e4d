"""Random small sentences for hypothesis: few values, so that they repeat."""

from __future__ import annotations

from hypothesis import strategies as st

from turbotree.text import Sentence

FORMS = ["dog", "Dogs", "DOG", "be", "a", "1,024", "Ünïcorn's", "McX", ",", "İ"]
LEMMAS = ["_", "dog", "be", "Ünïcorn"]
UPOS = ["NOUN", "VERB", "PUNCT", "_"]
XPOS = ["_", "NN", "VB"]
FEATS = ["_", "Case=Nom", "Case=Acc|Number=Sing", "Case=Nom|Number=Plur|Typo=Yes", "Odd"]

#: A word that occurs in no training sentence.
STRANGERS = {
    "forms": "Zyx-9",
    "lemmas": "zyx",
    "upos": "X",
    "xpos": "ZZ",
    "feats": "Case=Gen|Mood=Ind",
}


@st.composite
def sentences(draw: st.DrawFn, *, longest: int = 7, strangers: bool = False) -> Sentence:
    """Draw a sentence without a tree."""
    length = draw(st.integers(1, longest))

    def column(name: str, values: list[str]) -> list[str]:
        values = [*values, STRANGERS[name]] if strangers else values
        return draw(st.lists(st.sampled_from(values), min_size=length, max_size=length))

    return Sentence.from_words(
        column("forms", FORMS),
        column("lemmas", LEMMAS),
        column("upos", UPOS),
        column("xpos", XPOS),
        column("feats", FEATS),
    )
