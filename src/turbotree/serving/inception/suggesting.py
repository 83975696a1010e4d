"""What a model suggests for a sentence whose annotation is not finished."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from turbotree.errors import InfeasibleError
from turbotree.graphs import Status
from turbotree.integrations.cassis import TREE, Suggestion
from turbotree.parsing import Parse, Parser
from turbotree.pipeline import Pipeline
from turbotree.scoring import Batch
from turbotree.text import Sentence

_TAGS = ("lemma", "upos", "xpos", "feats")
#: So many other heads of a word are suggested, if they are at least so probable.
_OTHER_HEADS, _LEAST_HEAD = 2, 0.25
#: And so many other values of one feature.
_OTHER_VALUES, _LEAST_VALUE = 2, 0.1


def suggestions(
    model: Parser | Pipeline, sentences: Sequence[Sentence], column: str
) -> list[list[Suggestion]]:
    """Return what a model suggests where nothing is annotated, for each sentence.

    Parameters
    ----------
    model
        A parser, or a pipeline.
    sentences
        Sentences with what is annotated, ``_`` elsewhere.
    column
        What to suggest: ``"tree"`` or the name of a column.
    """
    if column != TREE:
        assert not isinstance(model, Parser)
        return _tag_suggestions(model, sentences, column)
    parser = model if isinstance(model, Parser) else model.parser
    parses = _parsed(parser, completed(model, sentences))
    return [
        sorted(own, key=lambda one: (one.word, -one.score))
        for own in _tree_suggestions(parser, parses, sentences)
    ]


def completed(model: Parser | Pipeline, sentences: Sequence[Sentence]) -> list[Sentence]:
    """Fill in the tags and lemmas that are missing, as far as the model knows them."""
    if isinstance(model, Parser):
        return list(sentences)
    found = []
    for given, tagged in zip(sentences, model.tag(sentences), strict=True):
        columns = {
            name: [
                own if own != "_" else new
                for own, new in zip(given.column(name), tagged.column(name), strict=True)
            ]
            for name in _TAGS
        }
        found.append(given.replace(**columns))
    return found


def is_tagged(sentence: Sentence) -> bool:
    """Tell whether all words have a part of speech, which a parser alone needs."""
    return "_" not in sentence.upos


def _parsed(parser: Parser, sentences: Sequence[Sentence]) -> list[Parse]:
    """Parse sentences and keep the relations that they have, where a tree can hold them."""
    try:
        return parser.parse_batch(sentences, keep_given=True)
    except InfeasibleError:
        return [_parsed_alone(parser, sentence) for sentence in sentences]


def _parsed_alone(parser: Parser, sentence: Sentence) -> Parse:
    unlabelled = sentence.replace(deprel=["_"] * len(sentence))
    for attempt in (sentence, unlabelled):
        try:
            return parser.parse(attempt, keep_given=True)
        except InfeasibleError:
            continue
    return parser.parse(sentence)


def _tree_suggestions(
    parser: Parser, parses: Sequence[Parse], given: Sequence[Sentence]
) -> list[list[Suggestion]]:
    open_words = [
        [
            word
            for word, (head, label) in enumerate(zip(own.heads, own.labels, strict=True), 1)
            if head is None or label == "_"
        ]
        for own in given
    ]
    found: list[list[Suggestion]] = [[] for _ in parses]
    for index, (parse, words) in enumerate(zip(parses, open_words, strict=True)):
        proven = parse.certificate.status is Status.OPTIMAL
        best = "in the best tree" if proven else "in the best tree found"
        for word in words:
            head = parse.heads[word - 1]
            chance = float(parse.arc_probabilities[head, word])
            labels = parse.label_distributions[word - 1]
            chosen = parse.labels[word - 1]
            for label in _likely(labels, chosen, _LEAST_VALUE / max(chance, _LEAST_VALUE)):
                share = labels.get(label, 1.0)
                where = best if label == chosen else "another relation"
                found[index].append(_arc(word, head, label, chance, share, where))
    for rank in range(_OTHER_HEADS):
        others = [
            _other_heads(parse, words, rank)
            for parse, words in zip(parses, open_words, strict=True)
        ]
        if not any(others):
            break
        heads = [
            other.get(word, head)
            for parse, other in zip(parses, others, strict=True)
            for word, head in enumerate(parse.heads, 1)
        ]
        batch = Batch([parse.sentence for parse in parses])
        scores = parser.labels.label(batch, np.array(heads, dtype=np.int32))
        distributions = iter(scores.distributions(parser.label_temperature))
        names = parser.labels.dictionary.names
        for index, (parse, other) in enumerate(zip(parses, others, strict=True)):
            for word in range(1, len(parse.heads) + 1):
                own = next(distributions)
                if word not in other or not own:
                    continue
                number = max(own, key=own.__getitem__)
                chance = float(parse.arc_probabilities[other[word], word])
                found[index].append(
                    _arc(word, other[word], names[number], chance, own[number], "another head")
                )
    return found


def _other_heads(parse: Parse, words: Sequence[int], rank: int) -> dict[int, int]:
    """Return the likely head of this rank (from 0) beside that of the tree, where there is one."""
    found = {}
    for word in words:
        chances = parse.arc_probabilities[:, word].copy()
        chances[parse.heads[word - 1]] = 0.0
        head = int(np.argsort(-chances, kind="stable")[rank]) if rank < len(chances) else 0
        if chances[head] >= _LEAST_HEAD:
            found[word] = head
    return found


def _arc(word: int, head: int, label: str, chance: float, share: float, where: str) -> Suggestion:
    score = _rounded(chance * share)
    text = f"{where}: head {chance:.0%}, relation {share:.0%} given the head"
    return Suggestion(word, label, score, text, head)


def _tag_suggestions(
    model: Pipeline, sentences: Sequence[Sentence], column: str
) -> list[list[Suggestion]]:
    if column == "lemma":
        return _lemma_suggestions(model, sentences)
    found = []
    for sentence, tagging in zip(sentences, model.tagger.tag_batch(sentences), strict=True):
        own: list[Suggestion] = []
        rows = zip(
            sentence.column(column),
            tagging.columns[column],
            tagging.distributions[column],
            strict=True,
        )
        for word, (annotated, tag, chances) in enumerate(rows, 1):
            if annotated != "_":
                continue
            for value in _likely(chances, tag, _LEAST_VALUE):
                if value != "_":
                    chance = chances.get(value, 0.0)
                    text = f"{value}: {chance:.0%}"
                    own.append(Suggestion(word, value, _rounded(chance), text))
        found.append(own)
    return found


def _lemma_suggestions(model: Pipeline, sentences: Sequence[Sentence]) -> list[list[Suggestion]]:
    """Suggest lemmas; their probability is taken to be that of the tag that they follow from."""
    whole = completed(model, sentences)
    found = []
    for given, sentence, tagging in zip(
        sentences, whole, model.tagger.tag_batch(sentences), strict=True
    ):
        rows = zip(
            given.lemmas,
            given.upos,
            sentence.lemmas,
            sentence.upos,
            tagging.distributions["upos"],
            strict=True,
        )
        own = []
        for word, (annotated, known, lemma, upos, chances) in enumerate(rows, 1):
            if annotated == "_" and lemma != "_":
                chance = 1.0 if known != "_" else chances.get(upos, 0.0)
                text = f"as {upos}" + ("" if known != "_" else f", which is {chance:.0%} sure")
                own.append(Suggestion(word, lemma, _rounded(chance), text))
        found.append(own)
    return found


def _likely(chances: Mapping[str, float], first: str, least: float) -> Iterator[str]:
    """Return a value, and the likeliest others."""
    yield first
    others = sorted(
        (value for value, chance in chances.items() if value != first and chance >= least),
        key=lambda value: -chances[value],
    )
    yield from others[:_OTHER_VALUES]


def _rounded(chance: float) -> float:
    """Cut off what belief propagation may give just outside 0 and 1, and digits without meaning."""
    return float(f"{min(1.0, max(0.0, chance)):.6g}")
