"""Lemmas: each word chooses an edit script by its letters and tags."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from turbotree.errors import InputError
from turbotree.features import Encoder, FrozenWeights, Weights, attributes_of, parse_templates
from turbotree.features.attributes import Word
from turbotree.files.headers import indices, texts, whole
from turbotree.labeling.answers import ChoiceAnswer
from turbotree.labeling.choices import ChoiceModel, ChoiceTask, LabelLists
from turbotree.labeling.model import WORD
from turbotree.learning import LearnerOptions, Loss, Run, Stage
from turbotree.learning.progress import Progress, Silent
from turbotree.pipeline.scripts import apply_script, check_script, script_of
from turbotree.pipeline.templates import LEMMA
from turbotree.scoring import Batch
from turbotree.stored import Stored
from turbotree.text import Sentence, as_sentence

# Different words that are learnt from at once.
_ROW = 10
# Found on development data: the largest step, and below which magnitude weights are omitted.
_STEP = 0.05
_NEGLIGIBLE = 0.01
# Words of running text repeat; so many lemmas are kept.
_CACHE_LIMIT = 200_000


@dataclass(frozen=True, repr=False)
class Lemmatizer(Stored):
    """Gives words their lemmas.

    A lemma depends on the word, its UPOS, XPOS and FEATS alone, so every word is looked at once.

    Attributes
    ----------
    model
        What chooses the edit script.
    exceptions
        Scripts of words of the training data that the model gets wrong.
    """

    kind: ClassVar[str] = "lemmatizer"

    model: ChoiceModel
    exceptions: dict[Word, str]
    _known: dict[Word, str] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def train(
        cls,
        sentences: Iterable[Sentence],
        *,
        epochs: int = 6,
        seed: int = 1,
        bits: int = 32,
        progress: Progress | None = None,
    ) -> Lemmatizer:
        """Learn from the lemmas of tagged sentences.

        Examples
        --------
        >>> from turbotree.text import treebank
        >>> lemmatizer = Lemmatizer.train(treebank(60, seed=1), epochs=2)
        >>> lemmatizer.lemmas(Sentence.from_words(["dogs"], upos=["NOUN"], xpos=["NNS"],
        ...     feats=["Number=Plur"]))
        ['dog']
        """
        counts = _word_counts(sentences)
        scripts = _usual_scripts(counts)
        often = Counter(scripts.values())
        # What a single word needs is no rule.
        names = sorted(name for name, count in often.items() if count > 1) or sorted(often)
        numbers = {name: number for number, name in enumerate(names)}
        words = sorted(word for word, script in scripts.items() if script in numbers)
        np.random.default_rng(seed).shuffle(words)
        rows = [words[i : i + _ROW] for i in range(0, len(words), _ROW)]
        attributes, sets = attributes_of(parse_templates(LEMMA, WORD))
        encoder = Encoder.fit_words(words, sorted({*attributes, "upos"}), sets)
        labels = [np.array([numbers[scripts[word]] for word in row], np.int32) for row in rows]
        seen = {(encoder.id_of("upos", word[2]), numbers[scripts[word]]) for word in words}
        lists = LabelLists.fit(encoder.id_limit("upos"), len(names), seen)
        model = ChoiceModel(LEMMA, names, lists, "upos", encoder)

        def freeze(weights: Weights) -> Lemmatizer:
            frozen = weights.freeze(labels=len(names), threshold=_NEGLIGIBLE, bits=bits)
            return cls(model.with_weights(frozen), {})

        task = ChoiceTask(model, [encoder.encode_words([row]) for row in rows], labels)
        learner = LearnerOptions(Loss.named("svm"), epochs, _STEP, "all", seed)
        run = Run(progress=progress or Silent())
        plain = run.train(Stage("lemmas", task, learner, freeze)).model
        return cls(plain.model, _exceptions(plain, scripts, counts))

    def lemmas(self, sentence: Sentence) -> list[str]:
        """Return the lemmas of a sentence's words."""
        sentence = as_sentence(sentence)
        tags = (sentence.upos, sentence.xpos, sentence.feats)
        return self.lemmas_of(words_with_tags(sentence.forms, *tags))

    def lemmas_of(self, words: Sequence[Word]) -> list[str]:
        """Return the lemmas of words that have none yet: see :func:`words_with_tags`."""
        known = self._known
        new = list(dict.fromkeys(word for word in words if word not in known))
        if len(known) + len(new) > _CACHE_LIMIT:
            # Threads may share the words that are kept, so none is ever taken away.
            known, new = {}, list(dict.fromkeys(words))
        if new:
            for word, script in zip(new, self._scripts(new), strict=True):
                lemma = apply_script(self.exceptions.get(word, script), word[0])
                # What is left of a form with a space in it may end with one; a lemma may not.
                known[word] = lemma.strip() or word[0]
        return [known[word] for word in words]

    def _scripts(self, words: Sequence[Word]) -> list[str]:
        encoder = self.model.encoder
        batch = Batch.encoded(encoder, encoder.encode_words([words]))
        chosen = ChoiceAnswer.of(self.model, batch).labels.tolist()
        return [self.model.labels[label] for label in chosen]

    def facts(self) -> list[str]:
        """Return what is worth knowing of it at a glance."""
        return [
            f"{len(self.model.labels):,} edit scripts",
            f"{len(self.exceptions):,} exceptions",
            f"{len(self.model.weights or ()):,} features",
        ]

    def contents(self) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
        """Return what a model file holds of it: arrays, and a header."""
        weights = self.model.weights
        assert isinstance(weights, FrozenWeights)
        return (
            {
                "slots": weights.slots,
                "list_offsets": self.model.lists.offsets,
                "list_labels": self.model.lists.labels,
            },
            {
                "encoder": self.model.encoder.to_dict(),
                "scripts": self.model.labels,
                "templates": self.model.templates,
                "label_bits": weights.label_bits,
                "exceptions": [[*word, script] for word, script in sorted(self.exceptions.items())],
            },
        )

    @classmethod
    def from_contents(
        cls, arrays: dict[str, npt.NDArray[Any]], header: dict[str, Any]
    ) -> Lemmatizer:
        """Undo :meth:`contents`."""
        rows = [texts(row, "exceptions") for row in header["exceptions"]]
        for script in (*texts(header["scripts"], "scripts"), *(row[-1] for row in rows)):
            check_script(script)
        model = ChoiceModel(
            texts(header["templates"], "templates"),
            header["scripts"],
            LabelLists(*(indices(arrays[own], own) for own in ("list_offsets", "list_labels"))),
            "upos",
            Encoder.from_dict(header["encoder"]),
            FrozenWeights(arrays["slots"], whole(header["label_bits"], "label_bits")),
        )
        exceptions: dict[Word, str] = {}
        for form, lemma, upos, xpos, feats, script in rows:
            exceptions[form, lemma, upos, xpos, feats] = script
        return cls(model, exceptions)


def words_with_tags(
    forms: Sequence[str], upos: Sequence[str], xpos: Sequence[str], feats: Sequence[str]
) -> list[Word]:
    """Return words as the lemmatizer takes them: with all tags, and without a lemma."""
    return list(zip(forms, ["_"] * len(forms), upos, xpos, feats, strict=True))


def _word_counts(sentences: Iterable[Sentence]) -> Counter[tuple[Word, str]]:
    """Count the words, each with its tags and its lemma apart."""
    counts: Counter[tuple[Word, str]] = Counter()
    for sentence in sentences:
        words = words_with_tags(sentence.forms, sentence.upos, sentence.xpos, sentence.feats)
        for word, lemma in zip(words, sentence.lemmas, strict=True):
            if lemma != "_" or word[0] == "_":
                counts[word, lemma] += 1
    if not counts:
        raise InputError("the column lemma is empty, nothing to learn")
    return counts


def _usual_scripts(counts: Counter[tuple[Word, str]]) -> dict[Word, str]:
    """Return the script of each word's most frequent lemma."""
    best: dict[Word, tuple[int, str]] = {}
    for (word, lemma), count in sorted(counts.items()):
        if word not in best or count > best[word][0]:
            best[word] = count, lemma
    return {word: script_of(word[0], lemma) for word, (_, lemma) in best.items()}


def _exceptions(
    lemmatizer: Lemmatizer, scripts: dict[Word, str], counts: Counter[tuple[Word, str]]
) -> dict[Word, str]:
    """Collect words that were seen twice or more and get the wrong lemma."""
    seen: Counter[Word] = Counter()
    for (word, _), count in counts.items():
        seen[word] += count
    words = sorted(word for word in scripts if seen[word] > 1)
    if not words:
        return {}
    found = lemmatizer.lemmas_of(words)
    return {
        word: scripts[word]
        for word, lemma in zip(words, found, strict=True)
        if lemma != apply_script(scripts[word], word[0])
    }
