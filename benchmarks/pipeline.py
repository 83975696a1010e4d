"""A pipeline from raw text: accuracy, size, speed.

    python benchmarks/pipeline.py --data FOLDER
    python benchmarks/pipeline.py --data FOLDER --model mine.safetensors
    python benchmarks/pipeline.py --data FOLDER --model build/pt/model.safetensors --name pt \\
      --treebank pt_bosque --record

FOLDER holds Universal Dependencies treebanks. Without a model, the bundled one is measured; a
file that is not there yet is trained first, which takes half an hour or more. ``--record`` writes
the figures of the model to figures.json, under its name. The text is that of the test set, with a
blank line between paragraphs.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from figures import record
from reporting import Bar, Report
from timing import fastest

import turbotree as tt
from turbotree.evaluation import attachment_scores, raw_scores
from turbotree.models import USUAL, located
from turbotree.text import read_conllu
from turbotree.text.surface import raw_text

# UDPipe 1 on English EWT with predicted tags and gold tokens; from raw text it was not measured.
_PEER_LAS = 80.53
_PEER_UPOS = 94.30
_REPEATS = 3
# Makes the file small enough, at little cost on the development data.
_TRIM = {"parts": 1.5, "labels": 6.0}


def main() -> int:
    """Run and report; 1 if a bar was missed."""
    options = _arguments()
    start = options.data / f"{options.treebank}-ud"
    model = Path(located(options.model))
    if not model.exists():
        nlp = tt.Pipeline.train(
            f"{start}-train.conllu",
            dev=f"{start}-dev.conllu",
            bits=16,
            parser={"model": options.kind, "network": options.network, "epochs": 5, "trim": _TRIM},
        )
        nlp.save(model)
    nlp = tt.Pipeline.load(model)
    gold = list(read_conllu(f"{start}-{options.split}.conllu"))
    text = raw_text(gold)
    report = Report()
    seconds, parses = fastest(_REPEATS, lambda: [p.to_sentence() for p in nlp(text)])
    words = sum(map(len, parses))
    scores = raw_scores(gold, parses)
    report.section(f"{options.treebank} {options.split} from raw text")
    report.lines += str(scores).splitlines()
    found = [p.to_sentence() for p in nlp.annotate_stream(gold)]
    trees = attachment_scores(gold, found)
    right = sum(
        a == b
        for s, t in zip(gold, found, strict=True)
        for a, b in zip(s.upos, t.upos, strict=True)
    )
    upos = 100.0 * right / sum(map(len, gold))
    report.section("with gold tokens")
    report.lines.append(f"  UPOS {upos:.2f}  UAS {trees.uas:.2f}  LAS {trees.las:.2f}")
    size = model.stat().st_size / 1e6
    report.section(f"{size:.1f} MB; {words / seconds:,.0f} words per CPU second, text to CoNLL-U")
    report.data = {
        "raw": scores.to_dict(),
        "gold_tokens": {"UPOS": upos, "UAS": trees.uas, "LAS": trees.las},
        "megabytes": size,
        "words_per_cpu_second": words / seconds,
    }
    if options.treebank == "en_ewt" and options.split == "test":
        report.bars += [
            Bar("tokens, F1", scores.f1("tokens"), 99.2, True),
            Bar("sentences, F1", scores.f1("sentences"), 89, True),
            Bar("UPOS, F1", scores.f1("UPOS"), 95.6, True),
            Bar("LAS, F1", scores.f1("LAS"), 84.8, True),
            Bar("UPOS with gold tokens, UDPipe's", upos, _PEER_UPOS, True),
            Bar("LAS with gold tokens, UDPipe's", trees.las, _PEER_LAS, True),
            Bar("file", size, 30, False, "MB"),
            Bar("words per CPU second", words / seconds, 4000, True),
        ]
    if options.record:
        raw = {
            name: round(scores.f1(name), 2)
            for name in ("tokens", "sentences", "words", "UPOS", "XPOS", "UFeats", "lemmas")
        }
        raw |= {name: round(scores.f1(name), 2) for name in ("UAS", "LAS")}
        raw["words per CPU s"] = 100 * round(words / seconds / 100)
        known = {name: round(value, 2) for name, value in report.data["gold_tokens"].items()}
        model_name = options.name or options.model.stem
        name = f"pipeline/{model_name}"
        where = f"{options.treebank} {options.split} set"
        record(f"{name}/raw text", raw, setting=f"F1 from raw text, {where}", script=__file__)
        setting = f"gold tokens, predicted tags, {where}"
        record(f"{name}/gold tokens", known, setting=setting, script=__file__)
        setting = f"size of the file of the model {model_name}"
        record(f"model/{model_name}", {"MB": round(size, 1)}, setting=setting, script=__file__)
    print(json.dumps(report.to_dict(), indent=2) if options.json else report)
    return 0 if all(bar.passed for bar in report.bars) else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", type=Path, default=Path(USUAL))
    parser.add_argument("--name", help="of the model in figures.json; without it, that of the file")
    parser.add_argument("--treebank", default="en_ewt")
    parser.add_argument("--split", default="test", choices=["dev", "test"])
    parser.add_argument("--kind", default="turbo", help="model kind of the parser that is trained")
    parser.add_argument("--network", type=int, default=300, help="size of its network, 0: none")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--record", action="store_true", help="write to figures.json")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
