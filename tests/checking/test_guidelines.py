"""Each bundled rule against small trees: one that breaks it, one that obeys."""

from __future__ import annotations

from pathlib import Path

import pytest

from turbotree.checking.guidelines import Guidelines
from turbotree.errors import InputError
from turbotree.text import Sentence

UD = Guidelines.bundled()

# The rule, the words that it blames, and the tree: tag, head and relation of each word.
BROKEN = [
    ("one_root", {1, 2}, "VERB 0 root, VERB 0 root"),
    ("root_label", {1}, "VERB 0 dep, NOUN 1 obj"),
    ("root_head", {2}, "VERB 0 root, NOUN 1 root"),
    ("leaf_punct", {2, 3}, "VERB 0 root, PUNCT 1 punct, NOUN 2 obj"),
    ("leaf_aux_cop", {1, 3}, "AUX 2 aux, VERB 0 root, NOUN 1 obj"),
    ("leaf_mark_case", {1, 3}, "ADP 2 case, VERB 0 root, NOUN 1 obj"),
    ("leaf_cc", {1, 3}, "CCONJ 2 cc, VERB 0 root, NOUN 1 obj"),
    ("leaf_det", {1, 3}, "DET 2 det, NOUN 0 root, NOUN 1 nsubj"),
    ("leaf_clf", {1, 3}, "NOUN 2 clf, NOUN 0 root, NOUN 1 nsubj"),
    ("leaf_fixed", {2, 3}, "ADP 0 root, ADP 1 fixed, NOUN 2 obl"),
    ("leaf_goeswith", {2, 3}, "NOUN 0 root, X 1 goeswith, X 2 goeswith"),
    ("left_to_right_conj", {1}, "NOUN 2 conj, NOUN 0 root"),
    ("left_to_right_fixed", {1}, "ADP 2 fixed, ADP 0 root"),
    ("left_to_right_flat", {1}, "PROPN 2 flat, PROPN 0 root"),
    ("left_to_right_goeswith", {1}, "X 2 goeswith, NOUN 0 root"),
    ("left_to_right_appos", {1}, "NOUN 2 appos, NOUN 0 root"),
    ("gap_fixed", {2, 3}, "ADP 0 root, NOUN 1 obl, ADP 1 fixed"),
    ("gap_goeswith", {2, 3}, "X 0 root, NOUN 1 obl, X 1 goeswith"),
    ("punct_is_nonprojective", {2}, "VERB 0 root, PUNCT 4 punct, NOUN 1 obj, NOUN 1 obl"),
    ("punct_causes_nonprojectivity", {2, 3}, "VERB 4 nsubj, PUNCT 4 punct, X 1 dep, VERB 0 root"),
    ("orphan_parent", {3}, "VERB 0 root, NOUN 1 obj, NOUN 2 orphan"),
    ("one_subject", {1, 2}, "NOUN 3 nsubj, NOUN 3 nsubj:pass, VERB 0 root"),
    ("one_object", {1, 2}, "NOUN 3 obj, NOUN 3 obj, VERB 0 root"),
    ("tag_of_det", {1}, "ADJ 2 det, NOUN 0 root"),
    ("tag_of_nummod", {1}, "ADJ 2 nummod, NOUN 0 root"),
    ("tag_of_advmod", {1}, "NOUN 2 advmod, VERB 0 root"),
    ("tag_of_expl", {1}, "NOUN 2 expl, VERB 0 root"),
    ("tag_of_aux", {1}, "VERB 2 aux, VERB 0 root"),
    ("tag_of_cop", {1}, "VERB 2 cop, NOUN 0 root"),
    ("tag_of_case", {1}, "DET 2 case, NOUN 0 root"),
    ("tag_of_mark_cc", {1}, "NOUN 2 mark, VERB 0 root"),
    ("tag_of_punct", {1}, "NOUN 2 punct, VERB 0 root"),
    ("relation_of_punct", {1}, "PUNCT 2 dep, VERB 0 root"),
]
# Exceptions that the guidelines know.
OBEYED = [
    ("one_subject", "NOUN 3 nsubj:outer, NOUN 3 nsubj, NOUN 0 root"),
    ("leaf_punct", "VERB 0 root, PUNCT 1 punct, PUNCT 2 punct"),
    ("leaf_aux_cop", "AUX 4 aux, CCONJ 3 cc, AUX 1 conj, VERB 0 root"),
    ("leaf_mark_case", "ADP 3 case, ADP 1 fixed, NOUN 0 root"),
    ("leaf_mark_case", "ADV 2 advmod, ADP 3 case, NOUN 0 root"),
    ("leaf_det", "ADV 2 advmod, DET 3 det, NOUN 0 root"),
    ("leaf_cc", "CCONJ 3 cc, ADV 1 fixed, NOUN 0 root"),
    ("orphan_parent", "VERB 0 root, NOUN 1 conj, NOUN 2 orphan"),
    ("gap_fixed", "ADP 0 root, ADP 1 fixed, ADP 1 fixed"),
    ("tag_of_advmod", "NOUN 3 advmod, ADP 1 fixed, VERB 0 root"),
    ("tag_of_det", "X 3 det, X 1 goeswith, NOUN 0 root"),
    ("relation_of_punct", "PUNCT 0 root, PUNCT 1 punct"),
    # The question mark is inside the nonprojective arc, but so is its own head.
    (
        "punct_causes_nonprojectivity",
        "NOUN 4 obj, VERB 0 root, PUNCT 2 punct, VERB 2 ccomp",
    ),
]


def tree(text: str) -> Sentence:
    """Read a tree: tag, head and relation of each word."""
    tags, heads, labels = zip(*(word.split() for word in text.split(", ")), strict=True)
    numbers = [int(head) for head in heads]
    forms = [f"w{place}" for place in range(len(tags))]
    return Sentence.from_words(forms, upos=tags, heads=numbers, labels=labels)


def blamed(rule: str, text: str) -> set[int]:
    """Return the words that a rule blames."""
    found = UD.broken(tree(text))
    return {word for word, rules in found.items() if rule in {one.name for one in rules}}


@pytest.mark.parametrize(("rule", "words", "text"), BROKEN, ids=[one[0] for one in BROKEN])
def test_a_broken_rule_is_found(rule: str, words: set[int], text: str) -> None:
    assert blamed(rule, text) == words


@pytest.mark.parametrize(("rule", "text"), OBEYED)
def test_known_exceptions_break_nothing(rule: str, text: str) -> None:
    assert blamed(rule, text) == set()


def test_every_rule_has_a_test_and_a_guideline() -> None:
    assert {rule for rule, _, _ in BROKEN} == UD.notes.keys()
    for note in UD.notes.values():
        assert note.address.startswith("https://universaldependencies.org/u/")
        assert note.message.endswith(".")


def test_own_rules_join_the_bundled_ones(tmp_path: Path) -> None:
    path = tmp_path / "own.rules"
    path.write_text("rule short: forall h, m: label(h, m, 'obj') -> m - h < 2\n")
    both = UD.joined([Guidelines.of_file(path)])
    broken = both.broken(tree("VERB 0 root, ADJ 3 amod, NOUN 1 obj"))
    assert [rule.message for rule in broken[3]] == ["breaks short"]
    with pytest.raises(InputError, match=r"own\.rules: there is another rule 'short'"):
        both.joined([Guidelines.of_file(path)])
