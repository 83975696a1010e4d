"""Training a tokenizer on the text that a treebank was made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from turbotree.arrays import IntArray
from turbotree.errors import InputError
from turbotree.features import Encoder, Weights, attributes_of, parse_templates
from turbotree.features.attributes import Word
from turbotree.labeling.answers import ChainAnswer
from turbotree.labeling.model import PAIR, ChainModel
from turbotree.labeling.tasks import ChainTask
from turbotree.learning import LearnerOptions, Loss, Run, Stage
from turbotree.pipeline.atoms import Atom, atoms_of
from turbotree.pipeline.expansion import Expansion
from turbotree.pipeline.templates import BOUNDARY
from turbotree.pipeline.tokenizer import (
    INSIDE,
    LABELS,
    MULTIWORD,
    MULTIWORD_SENTENCE,
    SENTENCE,
    TOKEN,
    Tokenizer,
    any_transitions,
)
from turbotree.scoring import Batch
from turbotree.text import Sentence
from turbotree.text.surface import SurfaceToken, paragraphs, surface_tokens

# Found on development data: the largest step, and below which magnitude weights are omitted.
_STEP = 0.03
_NEGLIGIBLE = 0.01
# Sentences that are learnt from at once, and how many atoms of the next one are seen behind them:
# what ends a sentence shows in what follows.
_SENTENCES_AT_ONCE = 4
_ATOMS_BEHIND = 10
# Atoms are runs of characters unless more than this part of the tokens ends inside of one.
_TOLERATED = 0.002


@dataclass(frozen=True)
class MarkedText:
    """A paragraph, its tokens, and where they and the sentences end."""

    text: str
    multiword: dict[int, bool]  # by the place where a token ends
    sentence_ends: tuple[int, ...]


def marked_texts(sentences: Sequence[Sentence]) -> Iterator[MarkedText]:
    """Put the text of each paragraph together.

    >>> marked = next(marked_texts([Sentence.from_words(["Go", "!"], misc=["SpaceAfter=No", "_"])]))
    >>> marked.text, marked.multiword, marked.sentence_ends
    ('Go! ', {2: False, 3: False}, (3,))
    """
    for part in paragraphs(sentences):
        pieces: list[str] = []
        multiword: dict[int, bool] = {}
        ends: list[int] = []
        at = 0
        for sentence in part:
            for token in surface_tokens(sentence):
                at += len(token.form)
                multiword[at] = token.last > token.first
                end = at
                pieces.append(token.form)
                if token.space_after:
                    pieces.append(" ")
                    at += 1
            ends.append(end)
        yield MarkedText("".join(pieces), multiword, tuple(ends))


def train_tokenizer(
    sentences: Sequence[Sentence],
    *,
    unit: str | None = None,
    epochs: int = 8,
    seed: int = 1,
    bits: int = 32,
    dev: Sequence[Sentence] = (),
    run: Run | None = None,
) -> Tokenizer:
    """Train a tokenizer.

    Parameters
    ----------
    sentences
        A treebank that says where spaces are (``SpaceAfter=No``).
    unit
        ``"runs"`` or ``"characters"``; by default runs, if tokens end where runs do.
    epochs, seed, bits
        As for taggers.
    dev
        More sentences, to show scores along the way.
    run
        Keeps the state of training and tells how it goes.

    Examples
    --------
    >>> from turbotree.text import treebank
    >>> tokenizer = train_tokenizer(list(treebank(60, seed=1)), epochs=2)
    >>> paragraph = tokenizer.tokens("The dogs slept.")[0]
    >>> [[token.words[0] for token in sentence] for sentence in paragraph]
    [['The', 'dogs', 'slept', '.']]
    """
    texts = list(marked_texts(sentences))
    unit = unit or _unit(texts)
    rows = [_labelled(text, unit) for text in texts]
    names = [name for name in LABELS if any(name in labels for _, labels in rows)]
    numbers = {name: number for number, name in enumerate(names)}
    if not {TOKEN, MULTIWORD} & set(numbers):
        raise InputError("the training data have no sentence of two tokens: nothing to learn")
    attributes, sets = attributes_of(parse_templates(BOUNDARY, PAIR))
    all_words = (atom.word for atoms, _ in rows for atom in atoms)
    encoder = Encoder.fit_words(all_words, attributes, sets)
    model = ChainModel(BOUNDARY, names, any_transitions(len(names)), encoder)
    parts = [part for atoms, labels in rows for part in _parts(atoms, labels)]
    task = ChainTask(
        model,
        [encoder.encode_words([words]) for words, _ in parts],
        [np.array([numbers[x] for x in labels], np.int32) for _, labels in parts],
    )
    expansion = Expansion.learn(
        (token.form, sentence.forms[token.first - 1 : token.last])
        for sentence in sentences
        for token in surface_tokens(sentence)
        if token.last > token.first
    )
    held_out = [_labelled(text, unit) for text in marked_texts(dev)]

    def freeze(weights: Weights) -> Tokenizer:
        frozen = weights.freeze(labels=model.label_limit, threshold=_NEGLIGIBLE, bits=bits)
        return Tokenizer(unit, model.with_weights(frozen), expansion)

    def score(tokenizer: Tokenizer) -> dict[str, float]:
        return _scores(tokenizer, held_out)

    learner = LearnerOptions(Loss.named("svm"), epochs, _STEP, "all", seed)
    stage = Stage("tokens", task, learner, freeze, score if held_out else None)
    return (run or Run()).train(stage).model


def _labelled(marked: MarkedText, unit: str) -> tuple[list[Atom], list[str]]:
    atoms = list(atoms_of(marked.text, unit))
    ends = set(marked.sentence_ends)
    labels = []
    for atom in atoms:
        end = atom.start + len(atom.word[0])
        multiword = marked.multiword.get(end)
        if multiword is None:
            labels.append(INSIDE)
        elif end in ends:
            labels.append(MULTIWORD_SENTENCE if multiword else SENTENCE)
        else:
            labels.append(MULTIWORD if multiword else TOKEN)
    return atoms, labels


def _unit(texts: Sequence[MarkedText]) -> str:
    """Choose runs of characters, if few tokens end inside of them."""
    tokens = hidden = 0
    for marked in texts:
        ends = {atom.start + len(atom.word[0]) for atom in atoms_of(marked.text)}
        tokens += len(marked.multiword)
        hidden += sum(end not in ends for end in marked.multiword)
    return "runs" if hidden <= _TOLERATED * tokens else "characters"


def _parts(atoms: list[Atom], labels: list[str]) -> Iterator[tuple[list[Word], list[str]]]:
    """Cut a paragraph into what is learnt from at once, each with a look at what follows."""
    stops = [i + 1 for i, label in enumerate(labels) if label in (SENTENCE, MULTIWORD_SENTENCE)]
    stops = stops[_SENTENCES_AT_ONCE - 1 :: _SENTENCES_AT_ONCE]
    if not stops or stops[-1] < len(atoms):
        stops.append(len(atoms))
    start = 0
    for stop in stops:
        end = min(stop + _ATOMS_BEHIND, len(atoms))
        yield [atom.word for atom in atoms[start:end]], labels[start:end]
        start = stop


def _scores(tokenizer: Tokenizer, rows: Sequence[tuple[list[Atom], list[str]]]) -> dict[str, float]:
    """F1 of tokens and sentences, by the places where they begin and end."""
    model = tokenizer.model
    encoded = model.encoder.encode_words([[atom.word for atom in atoms] for atoms, _ in rows])
    labels: IntArray = ChainAnswer.of(model, Batch.encoded(model.encoder, encoded)).labels
    found = [model.labels[label] for label in labels.tolist()]
    gold = [label for _, labels_of_row in rows for label in labels_of_row]
    at = 0
    for _, labels_of_row in rows:  # the end of a paragraph ends everything
        at += len(labels_of_row)
        if found[at - 1] not in (SENTENCE, MULTIWORD_SENTENCE):
            found[at - 1] = SENTENCE
    sentence = (SENTENCE, MULTIWORD_SENTENCE)
    return {
        "dev tokens": _f1([x != INSIDE for x in gold], [x != INSIDE for x in found]),
        "dev sentences": _f1([x in sentence for x in gold], [x in sentence for x in found]),
    }


def _f1(gold: list[bool], found: list[bool]) -> float:
    """F1 of the stretches that end where the flags are true."""

    def stretches(flags: list[bool]) -> set[tuple[int, int]]:
        ends = [i for i, flag in enumerate(flags) if flag]
        return set(zip([-1, *ends], ends, strict=False))

    one, other = stretches(gold), stretches(found)
    return 200.0 * len(one & other) / max(1, len(one) + len(other))


__all__ = ["MarkedText", "SurfaceToken", "marked_texts", "train_tokenizer"]
