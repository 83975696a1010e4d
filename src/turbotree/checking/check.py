"""A treebank's words, ranked by what a look at them gains.

The ranking learns from the treebank itself. Errors are injected into a copy, and the same models,
rules and variation nuclei are asked about it; boosted trees then learn which evidence the injected
errors leave, and how that differs from what annotation leaves that was not touched. Applied to the
treebank as it is, they estimate for every word the probability that it is wrong: the expected gain
of reviewing it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from turbotree.arrays import FloatArray
from turbotree.checking.boosting import BoostedTrees
from turbotree.checking.evidence import Evidence, gather
from turbotree.checking.findings import COLUMNS, KINDS, Annotation, BrokenRule, Doubt, Finding
from turbotree.checking.folds import FoldOptions, fold_opinions, usual_cache
from turbotree.checking.guidelines import Guidelines
from turbotree.checking.injection import InjectedError, inject_errors
from turbotree.checking.opinions import Opinions
from turbotree.checking.variation import Nuclei, name_of
from turbotree.errors import InputError
from turbotree.labeling import Tagger
from turbotree.learning.progress import Progress, Silent
from turbotree.naming import unknown
from turbotree.parsing import Parser
from turbotree.text import Sentence

#: How many of the words get errors for the ranking to learn from, and how many are taken to be
#: wrong in the treebank itself.
TRIAL_SHARE, USUAL_SHARE = 0.04, 0.02
#: With fewer injected errors there is nothing to learn; words are ranked by probability.
_LEAST_ERRORS = 20
_TRIAL_SEED = 1000


@dataclass(frozen=True)
class Sources:
    """All that is known of a treebank's annotation before it is ranked."""

    opinions: Opinions
    broken: list[dict[int, tuple[BrokenRule, ...]]]
    nuclei: Nuclei
    evidence: Evidence

    @classmethod
    def of(
        cls, sentences: Sequence[Sentence], opinions: Opinions, guidelines: Guidelines
    ) -> Sources:
        """Ask rules and nuclei, too."""
        broken = [_broken(sentence, guidelines) for sentence in sentences]
        nuclei = Nuclei.of(sentences)
        return cls(opinions, broken, nuclei, gather(sentences, opinions, broken, nuclei))


@dataclass(frozen=True)
class Check:
    """A treebank that has been checked.

    Make one with :func:`check_treebank`.

    Attributes
    ----------
    sentences
        The treebank.
    sources
        What is known of its words.
    scores
        For each word, the estimated probability that its annotation is wrong.
    """

    sentences: Sequence[Sentence]
    sources: Sources
    scores: FloatArray

    @cached_property
    def _starts(self) -> list[int]:
        lengths = [len(sentence) for sentence in self.sentences]
        starts: list[int] = np.concatenate([[0], np.cumsum(lengths)]).astype(int).tolist()
        return starts

    @cached_property
    def _places(self) -> list[int]:
        """The number of each sentence in its file, from 0."""
        seen: dict[str, int] = {}
        places = []
        for sentence in self.sentences:
            places.append(seen.get(sentence.path, 0))
            seen[sentence.path] = places[-1] + 1
        return places

    def findings(self, *, threshold: float = 0.0, kinds: Collection[str] = ()) -> Iterator[Finding]:
        """Return the words for which something speaks against the annotation, likeliest first.

        Parameters
        ----------
        threshold
            The least score.
        kinds
            Only findings with at least one of these kinds of reasons; empty: all.
        """
        for kind in kinds:
            if kind not in KINDS:
                raise unknown("kind", kind, KINDS)
        starts = np.array(self._starts)
        for place in np.argsort(-self.scores, kind="stable").tolist():
            if self.scores[place] < threshold:
                return
            index = int(np.searchsorted(starts, place, side="right")) - 1
            found = self.finding(index, place - self._starts[index] + 1)
            if found.kinds and (not kinds or set(kinds) & set(found.kinds)):
                yield found

    def finding(self, index: int, word: int) -> Finding:
        """Return what is known of a word (1..n) of a sentence (from 0)."""
        sentence, start = self.sentences[index], self._starts[index]
        place, opinions = start + word - 1, self.sources.opinions
        token = sentence.words[word - 1]
        head = -1 if token.head is None else token.head
        annotation = Annotation(token.upos, token.xpos, token.feats, head, token.deprel)
        doubts = tuple(self._doubts(place, annotation))
        end = start + len(sentence)
        path, line = sentence.place(word)
        return Finding(
            path,
            line,
            self._places[index],
            name_of(sentence, self._places[index]),
            word,
            token.form,
            round(float(self.scores[place]), 4),
            annotation,
            self._alternative(place, annotation, doubts),
            doubts,
            self.sources.broken[index].get(word, ()),
            tuple(self.sources.nuclei.variations(index, word)),
            tuple(opinions.heads[start:end].tolist()),
            tuple(opinions.labels[start:end].tolist()),
        )

    def _doubts(self, place: int, annotation: Annotation) -> Iterator[Doubt]:
        for name in COLUMNS:
            if name not in self.sources.opinions.columns:
                continue
            own = self.sources.opinions.columns[name]
            chance, other = float(own.chances[place]), float(own.other_chances[place])
            if other > chance:
                yield Doubt(
                    name,
                    str(getattr(annotation, name)),
                    round(chance, 6),
                    str(own.others[place]),
                    round(other, 6),
                )

    def _alternative(
        self, place: int, annotation: Annotation, doubts: Sequence[Doubt]
    ) -> Annotation:
        changed: dict[str, str | int] = {doubt.column: doubt.alternative for doubt in doubts}
        if "head" in changed:
            changed["head"] = int(changed["head"])
            opinions = self.sources.opinions
            # The label that was asked for belongs to the annotated head.
            if opinions.heads[place] == changed["head"]:
                changed["label"] = str(opinions.labels[place])
        return replace(annotation, **changed)  # type: ignore[arg-type]


def check_treebank(
    sentences: Sequence[Sentence],
    *,
    options: FoldOptions | None = None,
    guidelines: Guidelines | None = None,
    models: tuple[Parser, Tagger | None] | None = None,
    cache: Path | None = None,
    threads: int = 1,
    progress: Progress | None = None,
) -> Check:
    """Rank the words of a treebank by the probability that their annotation is wrong.

    Parameters
    ----------
    sentences
        Sentences whose heads are trees; some heads may be missing.
    options
        How the models of the folds are trained.
    guidelines
        Rules to obey; those bundled for Universal Dependencies if nothing is given.
    models
        A parser and a tagger that have not seen the treebank, instead of folds.
    cache
        Folder for finished folds; :func:`usual_cache` if nothing is given.
    threads
        So many folds are trained at once; the result does not depend on it.
    progress
        Told how training goes.

    Examples
    --------
    >>> from turbotree.text import treebank
    >>> parser = Parser.train(treebank(100, seed=1), model="arc", epochs=3)
    >>> sentences = list(treebank(100, seed=2))
    >>> labels = ["aux", *sentences[3].labels[1:]]
    >>> sentences[3] = sentences[3].replace(deprel=labels)
    >>> check = check_treebank(sentences, models=(parser, None))
    >>> first = next(check.findings(kinds=["rule"]))
    >>> first.place, first.word
    (3, 1)
    """
    if not sentences:
        raise InputError("no sentences to check")
    trial = Trial.of(
        sentences,
        options or FoldOptions(),
        guidelines or Guidelines.bundled(),
        models=models,
        cache=cache or usual_cache(),
        threads=threads,
        progress=progress or Silent(),
    )
    return Check(sentences, trial.own, trial.ranking())


@dataclass(frozen=True)
class Trial:
    """A treebank as it is, and a copy with injected errors from which a ranking is learnt.

    Attributes
    ----------
    own, copy
        What is known of the words of both.
    wrong
        1 for each word of the copy that got an error.
    """

    own: Sources
    copy: Sources
    wrong: FloatArray

    @classmethod
    def of(
        cls,
        sentences: Sequence[Sentence],
        options: FoldOptions,
        guidelines: Guidelines,
        *,
        models: tuple[Parser, Tagger | None] | None,
        cache: Path,
        threads: int,
        progress: Progress,
    ) -> Trial:
        """Inject errors, and ask models, rules and nuclei; see :func:`check_treebank`."""
        copy, errors = inject_errors(sentences, TRIAL_SHARE, seed=_TRIAL_SEED + options.seed)
        if models is None:
            opinions = fold_opinions(
                sentences, copy, options, cache=cache, threads=threads, progress=progress
            )
        else:
            opinions = Opinions.of(sentences, *models), Opinions.of(copy, *models)
        progress.note("rules and variation")
        if len(errors) < _LEAST_ERRORS:
            progress.note("too few words to learn a ranking from; ranked by probability")
        return cls(
            Sources.of(sentences, opinions[0], guidelines),
            Sources.of(copy, opinions[1], guidelines),
            error_mask(sentences, errors),
        )

    def ranking(self, source: str = "") -> FloatArray:
        """Return the probability that each word is wrong, by all evidence or that of one source."""
        if self.wrong.sum() < _LEAST_ERRORS:
            return 1 - np.exp(-self.own.evidence.surprise)
        learnt = BoostedTrees.fit(self.copy.evidence.chosen(source), self.wrong)
        return _as_usual(learnt.probabilities(self.own.evidence.chosen(source)))


def error_mask(sentences: Sequence[Sentence], errors: Sequence[InjectedError]) -> FloatArray:
    """Return 1 for each word that is among the errors, 0 for the others."""
    starts = np.concatenate([[0], np.cumsum([len(sentence) for sentence in sentences])])
    found = np.zeros(starts[-1])
    for error in errors:
        found[starts[error.place] + error.word - 1] = 1.0
    return found


def _as_usual(chances: FloatArray) -> FloatArray:
    """Turn probabilities among so many injected errors into those among the usual number."""
    change = USUAL_SHARE / TRIAL_SHARE, (1 - USUAL_SHARE) / (1 - TRIAL_SHARE)
    wrong, right = chances * change[0], (1 - chances) * change[1]
    found: FloatArray = wrong / (wrong + right)
    return found


def _broken(sentence: Sentence, guidelines: Guidelines) -> dict[int, tuple[BrokenRule, ...]]:
    """Rules speak of whole trees; a partial one breaks none."""
    return {} if None in sentence.heads else guidelines.broken(sentence)
