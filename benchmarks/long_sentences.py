"""Text without punctuation, one sentence however long: what a word costs, and memory.

Usage: python benchmarks/long_sentences.py [--words 30,100,300,600,1000,2000,5000]

Each length is parsed by the bundled model in a process of its own: words of the built-in treebank
in lower case without punctuation. Bars: 1,000 words in 10 CPU seconds and 1 GB, 5,000 in 60 CPU
seconds and 2 GB with a note; what a word costs after pruning is at 1,000 words at most four times
what it is at 100.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time

import turbotree as tt
from turbotree.parsing.profile import Profile
from turbotree.text import treebank

#: Words, and the most CPU seconds and megabytes that they may take.
_BARS = {1000: (10.0, 1000), 5000: (60.0, 2000)}
_GROWTH = 4.0


def text_of(words: int) -> str:
    """Return so many words without an end between them."""
    forms: list[str] = []
    for sentence in treebank(words, seed=1):
        forms += [form.lower() for form in sentence.forms if form.isalpha()]
        if len(forms) >= words:
            break
    return " ".join(forms[:words])


def measure(words: int) -> dict[str, float | str]:
    """Parse one text in this process, and tell what it took."""
    nlp = tt.load("en")
    nlp("A first sentence, so that everything is there.")
    profile = Profile()
    text = text_of(words)
    started = time.process_time()
    parses = nlp(text, profile=profile)
    seconds = time.process_time() - started
    after_pruning = sum(own for name, own in profile.seconds.items() if name != "pruning")
    return {
        "longest": max(len(parse.heads) for parse in parses),
        "seconds": seconds,
        "pruning": 1e6 * profile.seconds["pruning"] / words,
        "after": 1e6 * after_pruning / words,
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000,
        "note": "; ".join(parse.certificate.note for parse in parses if parse.certificate.note),
    }


def main() -> None:
    """Measure all lengths, and hold them against the bars."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--words", default="30,100,300,600,1000,2000,5000")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one is not None:
        print(json.dumps(measure(options.one)))
        return
    print(f"{'words':>6} {'CPU s':>7} {'µs per word: pruning':>21} {'after it':>9} {'MB':>6}  note")
    failed = []
    after: dict[int, float] = {}
    for words in map(int, options.words.split(",")):
        command = [sys.executable, __file__, "--one", str(words)]
        found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        print(
            f"{words:6} {found['seconds']:7.2f} {found['pruning']:21.0f} {found['after']:9.0f} "
            f"{found['megabytes']:6.0f}  {found['note']}",
            flush=True,
        )
        after[words] = found["after"]
        seconds, megabytes = _BARS.get(words, (float("inf"), float("inf")))
        if found["seconds"] > seconds or found["megabytes"] > megabytes:
            failed.append(f"{words} words")
        if words >= 5000 and not found["note"]:
            failed.append(f"{words} words have no note")
    if {100, 1000} <= after.keys() and after[1000] > _GROWTH * after[100]:
        failed.append("what a word costs grows with the sentence")
    print("bars: " + (", ".join(failed) + " FAILED" if failed else "all met"))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
