"""What the validator of Universal Dependencies asks on its levels 1 and 2, written down again.

``problems_of(text)`` lists what is wrong with a CoNLL-U file; nothing, if all is well. Contents
that differ between languages (levels 3 to 5) are not looked at.
"""

from __future__ import annotations

import re

COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
UPOS = {
    *("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN"),
    *("PUNCT", "SCONJ", "SYM", "VERB", "X"),
}
FEATURE = re.compile(
    r"[A-Z][A-Za-z0-9]*(\[[a-z0-9]+\])?=[A-Z0-9][A-Za-z0-9]*(,[A-Z0-9][A-Za-z0-9]*)*"
)
RELATION = re.compile(r"[a-z]+(:[a-z]+)?")
ENHANCED = re.compile(r"[^\s:]+(:\S+)?")
WORD = re.compile(r"[1-9]\d*")
RANGE = re.compile(r"([1-9]\d*)-([1-9]\d*)")
EMPTY = re.compile(r"(0|[1-9]\d*)\.([1-9]\d*)")


def problems_of(text: str, *, raw: bool = True, single_root: bool = True) -> list[str]:
    """List what is wrong with a file.

    Parameters
    ----------
    text
        The whole file.
    raw
        Whether it was made from raw text: then sentences have names and their text.
    single_root
        Whether each tree has exactly one root.
    """
    if not text:
        return []
    found: list[str] = []
    if not text.endswith("\n\n"):
        found.append("no blank line at the end")
    if "\n\n\n" in text or text.startswith("\n"):
        found.append("a blank line too many")
    if "\r" in text:
        found.append("a carriage return")
    names: set[str] = set()
    for number, block in enumerate(text.strip("\n").split("\n\n"), 1):
        lines = block.split("\n")
        comments = [line for line in lines if line.startswith("#")]
        rows = [line.split("\t") for line in lines[len(comments) :]]
        own = [f"line {line[0]}: {len(line)} columns" for line in rows if len(line) != 10]
        if not own:
            own += _ids(rows) + _columns(rows) + _tree(rows, single_root)
            if raw:
                own += _metadata(comments, rows, names)
        found += [f"sentence {number}: {problem}" for problem in own]
    return found


def _ids(rows: list[list[str]]) -> list[str]:
    """Words are numbered 1, 2, ...; ranges come before their first word and do not overlap."""
    found, words, last_empty, covered = [], 0, 0, 0
    total = sum(bool(WORD.fullmatch(row[0])) for row in rows)
    for own, *_ in rows:
        if WORD.fullmatch(own):
            words, last_empty = words + 1, 0
            if int(own) != words:
                found.append(f"word {own} where {words} was expected")
        elif among := RANGE.fullmatch(own):
            first, last = map(int, among.groups())
            if not words + 1 == first < last <= total or first <= covered:
                found.append(f"range {own} after word {words} of {total}")
            covered = last
        elif node := EMPTY.fullmatch(own):
            after, place = map(int, node.groups())
            if after != words or place != last_empty + 1:
                found.append(f"empty node {own} after word {words}")
            last_empty = place
        else:
            found.append(f"ID {own!r}")
    return found + ([] if total else ["no words"])


def _columns(rows: list[list[str]]) -> list[str]:
    """Nothing is empty, ranges have forms alone, and each column what it may have."""
    found = []
    numbers = {row[0] for row in rows} - {row[0] for row in rows if "-" in row[0]}
    for row in rows:
        own, _, lemma, upos, xpos, feats, head, label, deps, _ = row
        for name, value in zip(COLUMNS, row, strict=True):
            if not value:
                found.append(f"word {own}: {name} is empty")
            if value != value.strip() or "  " in value:
                found.append(f"word {own}: spaces in {name} {value!r}")
            if name not in ("FORM", "LEMMA", "MISC") and re.search(r"\s", value):
                found.append(f"word {own}: spaces in {name} {value!r}")
        if "-" in own:
            if [lemma, upos, xpos, head, label, deps] != ["_"] * 6 or feats not in (
                "_",
                "Typo=Yes",
            ):
                found.append(f"range {own} has more than FORM and MISC")
            continue
        if upos not in UPOS | ({"_"} if "." in own else set()):
            found.append(f"word {own}: UPOS {upos}")
        features = [] if feats == "_" else feats.split("|")
        if not all(FEATURE.fullmatch(one) for one in features):
            found.append(f"word {own}: FEATS {feats}")
        if features != sorted(features, key=lambda one: one.split("=")[0].lower()):
            found.append(f"word {own}: FEATS are not sorted: {feats}")
        if "." in own:
            if (head, label) != ("_", "_"):
                found.append(f"empty node {own} has a head")
        elif not RELATION.fullmatch(label):
            found.append(f"word {own}: DEPREL {label!r}")
        places = []
        for arc in [] if deps == "_" else deps.split("|"):
            above, _, relation = arc.partition(":")
            if above not in numbers | {"0"} or above == own or not ENHANCED.fullmatch(relation):
                found.append(f"word {own}: DEPS {deps}")
                continue
            places.append((float(above), relation))
        if places != sorted(set(places)):
            found.append(f"word {own}: DEPS are not sorted: {deps}")
    return found


def _tree(rows: list[list[str]], single_root: bool) -> list[str]:
    """Every word hangs from the root, by way of heads in the sentence; ``root`` is right there."""
    found = []
    words = [row for row in rows if WORD.fullmatch(row[0])]
    head_of: dict[int, int] = {}
    for own, *_, head, label, _, _ in words:
        if not re.fullmatch(r"0|[1-9]\d*", head) or int(head) > len(words) or head == own:
            found.append(f"word {own}: HEAD {head}")
            continue
        head_of[int(own)] = int(head)
        if (head == "0") != (label.split(":")[0] == "root"):
            found.append(f"word {own}: {label} under {head}")
    if found:
        return found
    roots = sum(head == 0 for head in head_of.values())
    if roots == 0 or (single_root and roots > 1):
        found.append(f"{roots} roots")
    for word in head_of:
        at, steps = word, 0
        while at and steps <= len(words):
            at, steps = head_of[at], steps + 1
        if at:
            found.append(f"word {word} does not hang from the root")
    return found


def _metadata(comments: list[str], rows: list[list[str]], names: set[str]) -> list[str]:
    """The sentence has one name, like no other, and one text, which its tokens spell."""
    found = []
    values: dict[str, list[str]] = {"sent_id": [], "text": []}
    for comment in comments:
        key, equals, value = comment[1:].partition(" = ")
        if equals and key.strip() in values:
            values[key.strip()].append(value)
    if len(values["sent_id"]) != 1 or not re.fullmatch(r"[^\s/]+", values["sent_id"][0]):
        found.append(f"sent_id {values['sent_id']}")
    elif values["sent_id"][0] in names:
        found.append(f"sent_id {values['sent_id'][0]} again")
    names.update(values["sent_id"])
    if len(values["text"]) != 1:
        return [*found, f"{len(values['text'])} texts"]
    spelled, hidden = "", 0
    for own, form, *_, misc in rows:
        without_space = "SpaceAfter=No" in misc.split("|")
        if "." in own:
            continue
        if "-" in own:
            hidden = int(own.split("-")[1])
        elif int(own) <= hidden:
            if "SpaceAfter" in misc:
                found.append(f"word {own} of a multiword token: {misc}")
            continue
        spelled += form + ("" if without_space else " ")
    text = values["text"][0]
    if not text or text != text.strip():
        found.append(f"spaces around the text {text!r}")
    if spelled.rstrip(" ") != text:
        found.append(f"text {text!r}, but tokens spell {spelled!r}")
    return found
