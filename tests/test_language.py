"""The project is written in plain English: expressions that native speakers avoid are found here.

Each pattern comes with what to write instead. They look at code, comments, messages and prose
alike, so they are kept narrow: a sentence that is right must never have to be changed.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
#: Folders and files that are read, with the endings of what is text.
PLACES = (
    *(".", "docs", "examples", "benchmarks", "src", "core", "tests", "tools"),
    *(".ci", ".github"),
)
ENDINGS = (".md", ".py", ".cpp", ".h", ".js", ".html", ".txt", ".toml", ".yml")
NAMES = ("Makefile", "run")

#: What can be counted per something.
_COUNTED = (
    r"words|tokens|sentences|parts|rows|lines|bytes|heads|arcs|labels|features|files|pages|modules|"
    r"functions|variables|vectors|entries|probabilit(?:y|ies)|scores?|calls?|steps?|links?|factors|"
    r"rounds|epochs|answers?|requests|pieces|points|numbers?|tests|trees?|templates|nodes|"
    r"values?|models?|columns?|sums?|features?|groups?|sentence|bits|runs?|"
    r"word|token|row|line|byte|page|module|function|variable|vector|entry|file|class|state|piece|"
    r"probability|parser|value|candidate|point|commodity|sketch|scale|norm|GB|MB|kB|seconds|CPU s|"
    r"microseconds|µs|ms"
)
_PER = (
    r"word|token|part|sentence|second|CPU second|minute|hour|epoch|template|kind|factor|link|"
    r"family|head|modifier|label|arc|variable|row|line|node|thread|worker|shard|file|folder|verb|"
    r"command|tree|treebank|feature|graph|solver|round|pass|step|call|length|page|task|test|pixel|"
    r"suite|model|group|document|block|slot|key|instance|weight|attribute|matrix|piece|run|score|"
    r"bucket|home|look-up|element|input|point|loss|paper|probability|dense"
)
PATTERNS = {
    "per": (
        rf"\b(?:one|two|three|four|\d[\d,.]*) (?:\w+ )?(?:{_COUNTED}) an? (?:{_PER})\b"
        r"(?! (?:of|that|which|has|is|may|can))"
        rf"|\ban? (?:entry|row|line|column|number|file|thread|process|vector) an? (?:{_PER})\b"
        r"|\b(?:words|tokens|sentences|bytes|features|files|entries|probabilities|arcs|vectors|"
        rf"variables|pieces|templates|trees|nodes) an? (?:{_PER})\b"
        r"(?! (?:of|that|which|has|is|takes|stands))"
        r"|\bone an? (?:word|row|score|group|arc|part|pair of \w+)\b(?! (?:of|that|which|has|is))"
        rf"|\b(?:ns|µs|ms|microseconds|bits) an? (?:{_PER})\b(?! takes)|\btimes an? second\b"
    ),
    "per second": (
        r"\b(?:words|tokens|sentences|graphs|trees|answers|requests|GB|MB|bytes) "
        r"an? (?:CPU )?second\b"
    ),
    "O(...) per pass": r"O\([^)]*\) an? (?:pass|step|word|row|call|round|node|link)\b",
    "once per epoch": (
        r"\b(?:once|twice|(?:four|five|ten) times) an? (?:epoch|second|sentence|round|batch)\b"
    ),
    "package": (
        r"\b(?:each|every|which|this|the|other|own|of|one|two|these|those|its) rooms?\b(?! for)"
        r"|<room>"
    ),
    "bundled": (
        r"\b(?:comes?|came|taken?|takes) along\b(?! the)"
        r"|\b(?:model|treebank|grammar|rules?|set) of the package\b"
    ),
    "process": r"\bworks? (?:\w+ ){0,4}off\b|\bworked off\b|work_off\b",
    "converge": r"\b(?:comes?|came|coming) to rest\b|\bat rest\b",
    "omit, skip": (
        r"\b(?:is|are|was|were|be)(?: then)? left out\b|\bleft out[:,]"
        r"|\bleav(?:e|es|ing) (?:\w+ ){0,3}out\b|left_out|leaving_out"
    ),
    "command": (
        r"\b(?:a|the|this|each|every|one|other|of) verbs? "
        r"(?:of the command line|takes?|reads?|writes?|prints?)\b"
    ),
    "factor score": r"\bown scores? of (?:a |the )?factors?\b|\bfactors?'s? own scores?\b",
    "a fraction of": r"\bas a share of\b",
    "again": r"(?:\b|_)anew\b",
    "the method's name": r"\b(?:desks?|crews?|workshops?|lazily|hasten\w*|hurr(?:y|ies)|stirs)\b",
    "rounds, training run": r"_course\b|\b(?:the|a) course of (?:training|learning)\b",
    "a trial": r"\bcosts?[ =][`\"']*worth\b",
}


def files() -> list[Path]:
    """List everything that is read."""
    found = []
    for place in PLACES:
        path = ROOT / place
        inside = sorted(path.glob("*") if place == "." else path.rglob("*"))
        found += [
            one for one in inside if (one.suffix in ENDINGS or one.name in NAMES) and one.is_file()
        ]
    return [one for one in found if one != Path(__file__).resolve()]


@pytest.mark.parametrize("instead", PATTERNS)
def test_nothing_is_written_in_a_private_dialect(instead: str) -> None:
    pattern = re.compile(PATTERNS[instead], re.IGNORECASE)
    odd = []
    for path in files():
        # Line ends are spaces, as sentences run over them; comment signs go with them.
        text = path.read_text(encoding="utf-8")
        plain = re.sub(r"\n[ \t]*(?://|#|\*)?[ \t]*", lambda end: " " * len(end[0]), text)
        plain = re.sub(r"  +", lambda run: " " + "\0" * (len(run[0]) - 1), plain)
        tight, places = [], []
        for place, letter in enumerate(plain):
            if letter != "\0":
                tight.append(letter)
                places.append(place)
        for match in pattern.finditer("".join(tight)):
            line = text.count("\n", 0, places[match.start()]) + 1
            odd.append(f"{path.relative_to(ROOT)}:{line}: {match[0]!r}")
    assert not odd, f"write {instead!r} instead:\n" + "\n".join(odd)


@pytest.mark.parametrize(
    ("instead", "sentence"),
    [
        ("per", "one row a part"),
        ("per", "one small file a factor"),
        ("per second", "12,000 words a second"),
        ("O(...) per pass", "O(n) a pass"),
        ("once per epoch", "mixed once an epoch"),
        ("package", "what each room may import"),
        ("bundled", "An English model comes along"),
        ("process", "works a folder off"),
        ("converge", "until messages come to rest"),
        ("omit, skip", "such sentences are left out"),
        ("command", "a verb takes a model"),
        ("per", "labels, one a word"),
        ("per", "32 bits a weight"),
        ("omit, skip", "the sentence is then left out"),
        ("omit, skip", "leave broken sentences out"),
        ("again", "averaged_anew"),
        ("the method's name", "rules are grounded lazily"),
        ("per", "one probability a variable"),
        ("per", "links to every experiment, a line a paper"),
        ("per second", "graphs a second"),
        ("omit, skip", "leaving_out_failures"),
    ],
)
def test_the_dialect_is_recognised(instead: str, sentence: str) -> None:
    assert re.search(PATTERNS[instead], sentence, re.IGNORECASE)


@pytest.mark.parametrize(
    "sentence",
    [
        "one row per part",
        "two words, a second sentence",
        "a second run with the same name",
        "room for more",
        "a verb has at most one subject",
        "the path goes along the chain",
        "one of a word's features",
        "the last bits of a weight",
        "the best one is a tree",
    ],
)
def test_what_is_right_is_left_alone(sentence: str) -> None:
    for pattern in PATTERNS.values():
        assert not re.search(pattern, sentence, re.IGNORECASE)
