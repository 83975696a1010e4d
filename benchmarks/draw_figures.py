"""Draw the tables of README and docs from the measured figures: `make figures`.

Usage: python benchmarks/draw_figures.py [--check]

A table stands between two comments, ``<!-- figures: NAME -->`` and ``<!-- end of figures -->``;
`TABLES` draws it by its name. Figures in running text are kept true by `SENTENCES`: a page, and
words that it contains, with the names of figures in braces. ``--check`` changes nothing and ends
with status 1 if a page and the figures disagree; so does tests/test_figures.py.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from figures import Figure, read_figures

ROOT = Path(__file__).resolve().parent.parent
Figures = Mapping[str, Figure]

#: The treebanks, with the release that was measured.
TREEBANKS = {
    "en_ewt": "English EWT 2.16",
    "tr_imst": "Turkish IMST",
    "nl_lassysmall": "Dutch LassySmall, draft of 2.0 ¹",
    "eu_bdt": "Basque BDT 1.2 ¹",
    "pt_bosque": "Portuguese Bosque",
}
#: Releases on which UDPipe has not published figures.
OLD = ("nl_lassysmall", "eu_bdt")
PARSERS = {
    "turbotree turbo": "turbotree `turbo`",
    "turbotree turbo, --network 128": "turbotree `turbo`, `--network 128`",
    "turbotree full": "turbotree `full`",
    "turbotree standard": "turbotree `standard`",
    "turbotree arc": "turbotree `arc`",
    "TurboParser standard": "TurboParser `standard`",
    "TurboParser basic": "TurboParser `basic`",
    "UDPipe 1": "UDPipe 1",
}
_BLOCK = re.compile(r"(<!-- figures: (.+?) -->\n).*?(<!-- end of figures -->)", re.DOTALL)
_FIELD = re.compile(r"\{(.+?):([^}:]*)\}")


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Lay out a table of Markdown.

    >>> print(table(["a", "b"], [["1", "2"]]), end="")
    | a | b |
    | --- | --- |
    | 1 | 2 |
    """
    head = list(head)
    lines = [head, ["---"] * len(head), *map(list, rows)]
    return "".join(re.sub(r"(?<=\|) (?= \|)", "", f"| {' | '.join(cells)} |\n") for cells in lines)


def both(figures: Figures, treebank: str, parser: str) -> str:
    """Give UAS and LAS, or nothing where they were not measured."""
    figure = figures.get(f"parsing/{treebank}/{parser}")
    return f"{figure['UAS']:.2f} / {figure['LAS']:.2f}" if figure else ""


def note_on_old_treebanks(figures: Figures) -> str:
    """Say that the peer's rows for old releases flatter everyone beside them."""
    dutch, basque = (figures[f"published/{treebank}/UDPipe 1.2"] for treebank in OLD)
    return (
        "\n¹ Old releases, and the Dutch test set has only 350 sentences. On UD 2.5, UDPipe's own "
        f"page gives {dutch['UAS']} / {dutch['LAS']} for Dutch and {basque['UAS']} / "
        f"{basque['LAS']} for Basque. So UDPipe's figures for these two, from few iterations "
        "without pretrained vectors, flatter every parser beside them.\n"
    )


def in_short(figures: Figures) -> str:
    """Draw the table of the README: parsers in columns, on releases where all were measured."""
    omitted = ("turbotree turbo, --network 128", "turbotree full", "TurboParser basic")
    columns = {name: title for name, title in PARSERS.items() if name not in omitted}
    rows = [
        [TREEBANKS[treebank], *(both(figures, treebank, parser) for parser in columns)]
        for treebank in ("en_ewt", "tr_imst")
    ]
    speeds = [_shown(figures[f"parsing/en_ewt/{name}"], "times UDPipe") for name in columns]
    rows.append(["*words per CPU second on English, times UDPipe 1*", *speeds])
    return table(["UAS / LAS", *columns.values()], rows)


def _shown(figure: Figure, name: str, form: str = "g") -> str:
    """Give a value, or nothing where it was not measured."""
    return format(figure[name], form) if name in figure.values else ""


def accuracy(figures: Figures) -> str:
    """Draw every parser on every treebank, the best of each treebank in bold."""
    rows = []
    for treebank, title in TREEBANKS.items():
        found = {p: figures[n] for p in PARSERS if (n := f"parsing/{treebank}/{p}") in figures}
        best = [max(figure[score] for figure in found.values()) for score in ("UAS", "LAS")]
        for parser, figure in found.items():
            marked = []
            for score, highest in zip((figure["UAS"], figure["LAS"]), best, strict=True):
                marked.append(f"**{score:.2f}**" if score == highest else f"{score:.2f}")
            trained = _trained(figure, ("epochs", "iterations", "seeds"))
            rows.append([title, PARSERS[parser] + trained, *marked])
            title = ""
    return table(["treebank", "parser", "UAS", "LAS"], rows) + note_on_old_treebanks(figures)


def _trained(figure: Figure, units: tuple[str, ...] = ("epochs", "iterations")) -> str:
    for unit in units:
        if unit in figure.values:
            count = figure[unit]
            return f", {count} {unit if count != 1 else unit.removesuffix('s')}"
    return ""


def resources(figures: Figures) -> str:
    """Draw speed, training and size on English."""
    order = [p for p in PARSERS if p.startswith("turbotree")]
    order += ["UDPipe 1", "TurboParser standard", "TurboParser basic"]
    rows = []
    for parser in order:
        figure = figures[f"parsing/en_ewt/{parser}"]
        rows.append(
            [
                PARSERS[parser] + _trained(figure),
                _about(figure, parser),
                _shown(figure, "training CPU s", ","),
                *(_megabytes(figure, name) for name in ("training MB", "model MB")),
            ]
        )
    head = [
        "parser",
        "speed, times UDPipe 1",
        "training, CPU s",
        "memory in training",
        "model file",
    ]
    return table(head, rows)


def _about(figure: Figure, parser: str) -> str:
    return f"{'about ' if parser == 'turbotree arc' else ''}{_shown(figure, 'times UDPipe')}"


def _megabytes(figure: Figure, name: str) -> str:
    return f"{figure[name]:,} MB" if name in figure.values else ""


def choosing(figures: Figures) -> str:
    """Draw accuracy and speed on English."""
    rows = []
    for parser in PARSERS:
        figure = figures[f"parsing/en_ewt/{parser}"]
        name = parser.removeprefix("turbotree ")
        scores = [f"{figure['UAS']:.2f}", f"{figure['LAS']:.2f}"]
        rows.append([name, *scores, _shown(figure, "times UDPipe")])
    return table(["parser", "UAS", "LAS", "speed"], rows)


def kinds(figures: Figures) -> str:
    """Draw our model kinds beside one another."""
    names = ["turbotree arc", "turbotree standard", "turbotree full", "turbotree turbo"]
    rows = [
        [title.removesuffix(" ¹"), *(both(figures, treebank, name) for name in names)]
        for treebank, title in TREEBANKS.items()
        if treebank != "pt_bosque"
    ]
    return table(["UAS / LAS, test", "`arc`", "`standard`", "`full`", "`turbo`"], rows)


def training(figures: Figures) -> str:
    """Draw what training takes."""
    rows = []
    for kind in ("arc", "standard", "full", "turbo"):
        figure = figures[f"parsing/en_ewt/turbotree {kind}"]
        if "training CPU s" not in figure.values:
            continue
        minutes = f"{figure['training CPU s'] / 60:.0f} minutes"
        rows.append([f"`{kind}`", minutes, f"{figure['training MB']:,} MB"])
    return table(["English EWT (12,544 sentences), 10 epochs", "CPU time", "memory"], rows)


def long_sentences(figures: Figures) -> str:
    """Draw what long sentences cost."""
    rows = [
        [
            f"{one['words']:,}",
            f"{one['CPU s']}",
            f"{one['pruning µs per word']:,}",
            f"{one['else µs per word']:,}",
            f"{one['MB']} MB",
        ]
        for name, one in figures.items()
        if name.startswith("long sentences/")
    ]
    head = ["words", "CPU s", "pruning, µs per word", "all else, µs per word", "memory"]
    return table(head, rows)


def taggers(figures: Figures) -> str:
    """Draw the taggers beside python-crfsuite."""
    rows = []
    for data in ("CoNLL-2000 chunks", "CoNLL-2002 Dutch testb", "CoNLL-2002 Spanish testb"):
        row = [f"{data}, F1"]
        ours, theirs = (
            figures[f"labeling/{data}/{name}"] for name in ("turbotree", "python-crfsuite")
        )
        with_network = figures[f"labeling/{data}/turbotree, network 200"]
        best = max(one["F1"] for one in (ours, with_network, theirs))
        for one in (ours, with_network, theirs):
            score = f"{one['F1']:.2f}"
            row.append(f"**{score}**" if one["F1"] == best else score)
            if one is not with_network:
                row.append(f"{one['features']:,}")
            row.append(f"{one['training CPU s']}")
        rows.append(row)
    head = ["data", "turbotree", "features", "CPU s", "with a network", "CPU s"]
    return table([*head, "python-crfsuite", "features", "CPU s"], rows)


def raw_text(figures: Figures) -> str:
    """Draw the bundled model from raw text."""
    figure = figures["pipeline/en/raw text"]
    names = [name for name in figure.values if name != "words per CPU s"]
    return table(names, [[f"{figure[name]:.2f}" for name in names]])


def beside_others(figures: Figures) -> str:
    """Draw the bundled model from raw text between what others have published, by LAS."""
    names = ("sentences", "UPOS", "UAS", "LAS")
    found = {
        name.split("/")[2].split(",")[0]: figure
        for name, figure in figures.items()
        if name.startswith("published/en_ewt/") and figure.setting.endswith("raw text")
    }
    settings = {
        system: figure.setting.removesuffix(", raw text") for system, figure in found.items()
    }
    own = "turbotree `en`"
    found[own], settings[own] = figures["pipeline/en/raw text"], "word vectors; UD 2.16"
    rows = [
        [system, settings[system]]
        + [f"{figure[name]:.2f}" if name in figure.values else "" for name in names]
        for system, figure in sorted(found.items(), key=lambda item: float(item[1]["LAS"]))
    ]
    return table(["system", "setting", *names], rows)


def models(figures: Figures) -> str:
    """Draw the models that are bundled or made by `make models`, as far as measured."""
    trained = {"en": "en_ewt", "pt": "pt_bosque", "nl": "nl_lassysmall", "tr": "tr_imst"}
    names = ("tokens", "sentences", "UPOS", "UAS", "LAS")
    rows = [
        [f"`{model}`", TREEBANKS[treebank].removesuffix(" ¹")]
        + [f"{figures[f'pipeline/{model}/raw text'][name]:.2f}" for name in names]
        + [f"{figures[f'model/{model}']['MB']:.1f}"]
        for model, treebank in trained.items()
        if f"pipeline/{model}/raw text" in figures
    ]
    return table(["model", "treebank", *names, "MB"], rows)


def second_order(figures: Figures) -> str:
    """Draw the factor graphs beside AD3."""
    rows = []
    for words in (10, 20, 30, 40):
        ours = figures[f"graphs/second order/{words}"]
        theirs = figures[f"graphs/second order/{words}, AD3"]
        rows.append(
            [
                str(words),
                f"{ours['tree']:.3f}",
                f"{ours['tree converged %']} %",
                f"{theirs['tree']:.2f}",
                f"{theirs['tree converged %']} %",
                f"{ours['flow']:.2f}",
                f"{theirs['flow']:.1f}",
            ]
        )
    head = ["words", "turbotree tree", "converged", "AD3 tree", "converged"]
    return table([*head, "turbotree flow", "AD3 flow"], rows)


def proofs(figures: Figures) -> str:
    """Draw branch and bound beside toulbar2."""
    rows = []
    for name in (*(f"hard {n}" for n in (10, 20, 30)), *(f"mid {n}" for n in (10, 20, 30, 40))):
        one = figures[f"graphs/proofs/{name}"]
        kind, words = name.split()
        rows.append(
            [
                f"{'loose' if kind == 'hard' else 'nearly tight'}, {words} words",
                f"{one['proven']} of {one['problems']}",
                f"{one['median s']:.3f} s",
                f"{one['largest s']:.2f} s",
                f"{one['toulbar2 proven']} of {one['problems']}",
                f"{one['toulbar2 median s']:.3f} s",
                f"{one['toulbar2 largest s']:.2f} s",
                f"{one['ratio']:.2f}",
                f"{one['ratio to the last']:.2f}",
            ]
        )
    head = ["relaxation", "turbotree proves", "median", "longest", "toulbar2 proves", "median"]
    return table([*head, "longest", "ratio", "ratio to the last"], rows)


def solvers(figures: Figures) -> str:
    """Draw branch and bound beside other programs."""
    names = {"hard": "loose", "mid": "nearly tight"}
    rows = []
    for solver in ("turbotree", "toulbar2", "CP-SAT", "HiGHS"):
        row = [solver]
        for name in ("hard 10", "hard 20", "mid 20"):
            one = figures[f"graphs/gap/{name}/{solver}"]
            row += [f"{one['proven']} of {one['problems']}", _seconds(one)]
        rows.append(row)
    head = [
        title
        for kind, words in (("hard", 10), ("hard", 20), ("mid", 20))
        for title in (f"{names[kind]}, {words} words: proven", "median")
    ]
    return table(["solver", *head], rows)


def _seconds(one: Figure) -> str:
    if 2 * int(one["proven"]) < int(one["problems"]):
        return "over 4 s"
    return f"{float(one['median s']):.3f} s"


def published(figures: Figures) -> str:
    """Draw what stronger parsers have published."""
    treebanks = {**TREEBANKS, "fr_sequoia": "French Sequoia"}
    shown = ("en_ewt", "tr_imst", "pt_bosque", "fr_sequoia")
    systems: dict[str, dict[str, Figure]] = {}
    for name, figure in figures.items():
        if name.startswith("published/"):
            _, treebank, system = name.split("/")
            systems.setdefault(system, {})[treebank] = figure
    rows = []
    for system, found in systems.items():
        setting = next(iter(found.values())).setting.removeprefix("UDPipe 1.2 models, ")
        cells = [_scores(found[treebank]) if treebank in found else "" for treebank in shown]
        rows.append([system.split(",")[0], setting.replace("UD release", "UD"), *cells])
    return table(["system", "setting", *(treebanks[t].split(" 2")[0] for t in shown)], rows)


def _scores(figure: Figure) -> str:
    return " / ".join(str(figure[name]) for name in ("UAS", "LAS") if name in figure.values)


def losses(figures: Figures) -> str:
    """Draw the losses between CRF and SVM."""
    named = {"1/0": "CRF", "1/1": "softmax-margin", "infinity/0": "perceptron", "infinity/1": "SVM"}
    rows = []
    for name, figure in figures.items():
        if name.startswith("losses/"):
            key = name.removeprefix("losses/")
            rows.append([*key.split("/"), named.get(key, ""), *_two_places(figure)])
    head = ["beta", "gamma", "", "arc: UAS", "LAS", "standard: UAS", "LAS"]
    return table(head, rows)


def rule_costs(figures: Figures) -> str:
    """Draw what the bundled rules cost."""
    rows = [
        [f"`{name.split('/')[-1]}`", str(figure["broken without"]), f"{figure['times CPU']:.2f}"]
        for name, figure in figures.items()
        if name.startswith("rules/cost/")
    ]
    return table(
        ["rules", "violating trees without them", "CPU time, times that without rules"], rows
    )


def rule_scores(figures: Figures) -> str:
    """Draw what rules do to LAS."""
    rows = [
        [re.sub(r" [\d.]+| ¹", "", TREEBANKS[name.split("/")[-1]]), *_two_places(figure)]
        for name, figure in figures.items()
        if name.startswith("rules/LAS/")
    ]
    return table(["treebank", "without", "hard", "learnt"], rows)


def _two_places(figure: Figure) -> list[str]:
    return [f"{value:.2f}" for value in figure.values.values()]


def workbench(figures: Figures) -> str:
    """Draw how many injected errors each ranking has among the first words."""
    rows, before = [], ""
    for name, figure in figures.items():
        if name.startswith("workbench/"):
            _, treebank, ranking = name.split("/")
            shares = [f"{value:.1f}" for key, value in figure.values.items() if "recall" in key]
            rows.append([TREEBANKS[treebank] if treebank != before else "", ranking, *shares])
            before = treebank
    head = [f"first {share} %" for share in (1, 2, 5, 10)]
    return table(["treebank", "ranking", *head], rows)


def check_models(figures: Figures) -> str:
    """Draw what the models of folds cost, and how many injected errors are found with them."""
    rows = [
        [
            name.split("/")[-1],
            str(figure["CPU s"]),
            *(f"{figure[key]:.1f}" for key in ("check 2%", "check 5%", "probability 5%")),
        ]
        for name, figure in figures.items()
        if name.startswith("check models/")
    ]
    head = ["CPU seconds", "first 2 %", "first 5 %", "first 5 % by probability alone"]
    return table(["model of the fold", *head], rows)


def ablation(figures: Figures) -> str:
    """Draw a turbo model with more and more of its parts."""
    rows = []
    for name, figure in figures.items():
        if name.startswith("ablation/"):
            _, treebank, what = name.split("/")
            rows.append([TREEBANKS[treebank], what, f"{figure['UAS']:.2f}", f"{figure['LAS']:.2f}"])
    return table(["development data", "scores", "UAS", "LAS"], rows)


TABLES: dict[str, Callable[[Figures], str]] = {
    "in short": in_short,
    "accuracy": accuracy,
    "resources": resources,
    "choosing": choosing,
    "kinds": kinds,
    "training": training,
    "long sentences": long_sentences,
    "taggers": taggers,
    "raw text": raw_text,
    "beside others": beside_others,
    "models": models,
    "second order": second_order,
    "proofs": proofs,
    "solvers": solvers,
    "published": published,
    "losses": losses,
    "rule costs": rule_costs,
    "rule scores": rule_scores,
    "workbench": workbench,
    "check models": check_models,
    "ablation": ablation,
}

#: A page and words that it contains; figures stand in braces as ``{entry|value:format}``.
SENTENCES: tuple[tuple[str, str], ...] = (
    ("README.md", "An English model of {model/en|MB:.1f} MB is bundled"),
    ("docs/faq.md", "the English model {model/en|MB:.1f} MB"),
    ("docs/faq.md", "a bundled one of {model/en|MB:.1f} MB"),
    (
        "docs/faq.md",
        "1,000 words without punctuation take {long sentences/1000|CPU s:} CPU seconds and "
        "{long sentences/1000|MB:} MB, 5,000 words take {long sentences/5000|CPU s:} CPU seconds "
        "and {long sentences/5000|MB:} MB",
    ),
    (
        "docs/checking.md",
        "The Turkish run took {workbench/tr_imst/turbotree check|CPU s:} CPU seconds",
    ),
    ("docs/performance.md", "The file has {model/en|MB:.1f} MB"),
    (
        "docs/performance.md",
        "processes about {pipeline/en/raw text|words per CPU s:,.0f} words per CPU second",
    ),
    (
        "docs/performance.md",
        "It tags {labeling/CoNLL-2000 chunks, same templates/python-crfsuite|words per CPU s:,} "
        "words per CPU second, turbotree",
    ),
    (
        "docs/performance.md",
        "With gold tokens it reaches UPOS {pipeline/en/gold tokens|UPOS:.2f}, UAS "
        "{pipeline/en/gold tokens|UAS:.2f} and LAS {pipeline/en/gold tokens|LAS:.2f}; trained on "
        "the training set alone and without word vectors, "
        "{pipeline/en, training set alone/gold tokens|UPOS:.2f}, "
        "{pipeline/en, training set alone/gold tokens|UAS:.2f} and "
        "{pipeline/en, training set alone/gold tokens|LAS:.2f}",
    ),
    (
        "docs/performance.md",
        "trained on the training set alone, reaches UPOS "
        "{pipeline/en, training set alone/tags|UPOS:.2f}",
    ),
    (
        "docs/performance.md",
        "the bundled English model reaches LAS {pipeline/en/raw text|LAS:.2f}",
    ),
    (
        "docs/pipeline/index.md",
        "With gold tokens: UPOS {pipeline/en/gold tokens|UPOS:.2f}, UAS "
        "{pipeline/en/gold tokens|UAS:.2f}, LAS {pipeline/en/gold tokens|LAS:.2f}",
    ),
    ("docs/pipeline/index.md", "The file has {model/en|MB:.1f} MB"),
    ("docs/pipeline/index.md", "{pipeline/en/raw text|words per CPU s:,.0f} words per CPU second"),
)


def redrawn(page: str, text: str, figures: Figures) -> str:
    """Return a page with its tables and sentences as the figures have them."""

    def drawn(found: re.Match[str]) -> str:
        if found[2] not in TABLES:
            raise SystemExit(f"{page}: no table is called {found[2]!r}")
        return f"{found[1]}\n{TABLES[found[2]](figures)}\n{found[3]}"

    text = _BLOCK.sub(drawn, text)
    for where, sentence in SENTENCES:
        if where != page:
            continue
        pattern = "".join(
            r"[\d.,]*\d" if number % 2 else re.escape(piece)
            for number, piece in enumerate(re.split(r"(\{.+?\})", sentence))
        )
        words = _FIELD.sub(lambda field: _filled(field, figures), sentence)
        if not re.search(pattern, text):
            raise SystemExit(f"{page}: these words are missing: {words}")
        text = re.sub(pattern, words.replace("\\", r"\\"), text)
    return text


def _filled(field: re.Match[str], figures: Figures) -> str:
    name, _, value = field[1].partition("|")
    return format(figures[name][value], field[2])


def pages() -> list[Path]:
    """List every page that may hold figures."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def main(arguments: list[str]) -> int:
    """Draw all pages again, or check them."""
    figures = read_figures()
    changed = []
    for path in pages():
        text = path.read_text(encoding="utf-8")
        new = redrawn(path.relative_to(ROOT).as_posix(), text, figures)
        if new != text:
            changed.append(path)
            if "--check" not in arguments:
                path.write_text(new, encoding="utf-8")
    verb = "disagrees with benchmarks/figures.json" if "--check" in arguments else "drawn"
    for path in changed:
        print(f"{path.relative_to(ROOT)}: {verb}")
    return 1 if changed and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
