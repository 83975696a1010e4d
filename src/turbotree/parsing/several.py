"""The face of a parser for several trees of a sentence: the best ones, and random ones."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, TypeAlias, TypeVar

from turbotree.errors import InputError, TurbotreeError
from turbotree.interrupts import OutOfTimeError, time_limit
from turbotree.naming import check_names, options_of
from turbotree.parsing.arcs import TreeShape
from turbotree.parsing.constraints import Constraints
from turbotree.parsing.decoding_batches import tree_in_a_hurry
from turbotree.parsing.k_best import SEVERAL, k_best_trees
from turbotree.parsing.long_sentences import groups, usual_time_limit
from turbotree.parsing.parse import Parse
from turbotree.parsing.profile import Profile
from turbotree.parsing.rules.compiled import ParserRules, RulesLike
from turbotree.parsing.rules.several import several_that_obey
from turbotree.parsing.sampling import sample_trees
from turbotree.parsing.scored import FoundTree, Scored
from turbotree.streaming import map_batches, skipping_failures
from turbotree.text import Sentence, as_sentence, check_many

_BATCH_SIZE = 32

#: Is told of a sentence that cannot be parsed.
OnFailure: TypeAlias = Callable[[TurbotreeError], object]
_Given = TypeVar("_Given")
_Found = TypeVar("_Found")


class SeveralTrees(ABC):
    """What a parser does beyond finding one tree of each sentence."""

    __slots__ = ()

    @abstractmethod
    def _read(
        self,
        sentence: Sentence,
        require: Iterable[Sequence[Any]],
        forbid: Iterable[Sequence[Any]],
        spans: Iterable[Sequence[int]],
    ) -> list[Constraints] | None:
        """Read the constraints of a sentence; None if there are none."""

    @abstractmethod
    def _decoding(
        self, decoder: str | None, projective: bool | None, single_root: bool | None
    ) -> tuple[str, TreeShape]:
        """Return the decoder that is meant, and which trees are allowed."""

    @abstractmethod
    def _rules(self, rules: RulesLike | None, decoder: str) -> ParserRules | None:
        """Compile rules for this parser, and refuse those that it cannot obey."""

    @abstractmethod
    def _score(
        self,
        sentences: Sequence[Sentence],
        shape: TreeShape,
        keep_given: bool,
        constraints: Sequence[Constraints] | None,
        counts: Profile,
    ) -> Scored | None:
        """Find and score the parts of a batch; None if there is no sentence."""

    def k_best(
        self,
        sentence: Sentence,
        k: int,
        *,
        require: Iterable[Sequence[Any]] = (),
        forbid: Iterable[Sequence[Any]] = (),
        spans: Iterable[Sequence[int]] = (),
        **options: Any,
    ) -> list[Parse]:
        """Find the k best trees of a sentence, best first.

        Constraints are those of :meth:`parse`, options those of :meth:`k_best_batch`.

        Examples
        --------
        >>> from turbotree import Parser
        >>> from turbotree.text import treebank
        >>> parser = Parser.train(treebank(60, seed=1), epochs=1, pruner_epochs=1)
        >>> first, second = parser.k_best(next(treebank(1, seed=2)), 2)
        >>> first.score >= second.score, first.heads != second.heads
        (True, True)
        """
        face = SeveralTrees
        check_names("k_best", options, options_of(face.k_best, face.k_best_batch))
        constraints = self._read(sentence, require, forbid, spans)
        return self.k_best_batch([sentence], k, constraints=constraints, **options)[0]

    def k_best_batch(
        self,
        sentences: Sequence[Sentence],
        k: int,
        *,
        diversity: int = 1,
        decoder: str | None = None,
        projective: bool | None = None,
        single_root: bool | None = None,
        rules: RulesLike | None = None,
        keep_given: bool = False,
        constraints: Sequence[Constraints] | None = None,
        profile: Profile | None = None,
        time_limit_seconds: float | None = None,
    ) -> list[list[Parse]]:
        """Find the k best trees of each sentence, best first; fewer if there are not so many.

        Parameters
        ----------
        sentences
            What to parse.
        k
            How many trees of each.
        diversity
            In how many arcs, at least, a tree differs from every one before it in the list. Each
            is then the best that does.
        decoder
            ``"mst"`` or ``"eisner"`` for arc-factored models, exact; ``"auto"`` or ``"exact"`` for
            all. A tree's certificate says whether it is proven to be next best.
        rules
            What every tree and its labels have to obey, as for :meth:`parse_batch`. Trees are
            ranked by their own scores, less what rules with weights cost; each has the best labels
            that obey.
        projective, single_root, keep_given, constraints, profile
            As for :meth:`parse_batch`.
        time_limit_seconds
            As for :meth:`parse_batch`. A sentence that takes longer has one tree, whose
            certificate says so.
        """
        for name, value in (("k", k), ("diversity", diversity)):
            if value < 1:
                raise InputError(f"{name} is {value}; expected at least 1")
        decoder, shape = self._decoding(decoder, projective, single_root)
        if decoder not in SEVERAL:
            raise InputError(
                f"decoder {decoder!r} finds one tree only; choose one of {', '.join(SEVERAL)}"
            )
        limit = usual_time_limit(time_limit_seconds, decoder)
        obeyed = self._rules(rules, decoder)
        found: list[list[Parse]] = []
        for scored in self._scored_pieces(sentences, shape, keep_given, constraints, profile):
            if obeyed is not None:
                found += several_that_obey(scored, obeyed, decoder, k, diversity)
                continue
            with scored.counts.stage("decoding"):
                trees = [
                    _in_time(scored, index, k, diversity, decoder, limit)
                    for index in range(len(scored.sentences))
                ]
            found += scored.label(trees)
        return found

    def k_best_pipe(
        self,
        sentences: Iterable[Sentence],
        k: int,
        *,
        threads: int = 1,
        on_failure: OnFailure | None = None,
        **options: Any,
    ) -> Iterator[Parse]:
        """Find the k best trees of a stream of sentences; ``rank`` is a tree's place in its list.

        Options are those of :meth:`k_best_batch`; `on_failure` is that of :meth:`pipe`.
        """
        face = SeveralTrees
        check_names("k_best_pipe", options, options_of(face.k_best_pipe, face.k_best_batch))
        find = partial(self.k_best_batch, k=k, **options)
        return _piped(find, sentences, threads, on_failure)

    def sample_pipe(
        self,
        sentences: Iterable[Sentence],
        n: int,
        *,
        threads: int = 1,
        on_failure: OnFailure | None = None,
        **options: Any,
    ) -> Iterator[Parse]:
        """Draw n trees of each sentence of a stream.

        Options are those of :meth:`sample_batch`; `on_failure` is that of :meth:`pipe`.
        """
        face = SeveralTrees
        check_names("sample_pipe", options, options_of(face.sample_pipe, face.sample_batch))
        find = partial(self.sample_batch, n=n, **options)
        return _piped(find, sentences, threads, on_failure)

    def sample(
        self,
        sentence: Sentence,
        n: int = 1,
        *,
        seed: int = 0,
        require: Iterable[Sequence[Any]] = (),
        forbid: Iterable[Sequence[Any]] = (),
        **options: Any,
    ) -> list[Parse]:
        """Draw trees of a sentence at random, each with the model's probability.

        For arc-factored models the draws are exact and independent. For others they are drawn by
        their weights from many proposals, which come from the probabilities of belief propagation:
        nearly exact, see :mod:`turbotree.parsing.sampling`. Labels are the best ones of each tree.

        Parameters
        ----------
        sentence
            What to parse.
        n
            How many trees; the same one may come several times.
        seed
            The same seed gives the same trees.
        require, forbid
            As for :meth:`parse`.
        options
            Those of :meth:`sample_batch`.

        Examples
        --------
        >>> from turbotree import Parser
        >>> from turbotree.text import treebank
        >>> parser = Parser.train(treebank(60, seed=1), epochs=1, pruner_epochs=1)
        >>> len(parser.sample(next(treebank(1, seed=2)), 5, seed=3))
        5
        """
        check_names("sample", options, options_of(SeveralTrees.sample, SeveralTrees.sample_batch))
        constraints = self._read(sentence, require, forbid, ())
        return self.sample_batch([sentence], n, seed=seed, constraints=constraints, **options)[0]

    def sample_batch(
        self,
        sentences: Sequence[Sentence],
        n: int = 1,
        *,
        seed: int = 0,
        projective: bool | None = None,
        single_root: bool | None = None,
        keep_given: bool = False,
        constraints: Sequence[Constraints] | None = None,
        profile: Profile | None = None,
    ) -> list[list[Parse]]:
        """Draw trees of each sentence; see :meth:`sample` and :meth:`parse_batch`."""
        for name, value in (("n", n), ("seed", seed)):
            if value < 0:
                raise InputError(f"{name} is {value}; expected at least 0")
        _, shape = self._decoding(None, projective, single_root)
        found: list[list[Parse]] = []
        for scored in self._scored_pieces(sentences, shape, keep_given, constraints, profile):
            with scored.counts.stage("sampling"):
                trees = [
                    sample_trees(scored, index, n, seed) for index in range(len(scored.sentences))
                ]
            found += scored.label(trees)
        return found

    def _scored_pieces(
        self,
        sentences: Sequence[Sentence],
        shape: TreeShape,
        keep_given: bool,
        constraints: Sequence[Constraints] | None,
        profile: Profile | None,
    ) -> Iterator[Scored]:
        """Score a batch in pieces that the memory has room for."""
        sentences = [as_sentence(sentence) for sentence in check_many(sentences)]
        for piece in groups(sentences):
            own = None if constraints is None else constraints[piece]
            scored = self._score(sentences[piece], shape, keep_given, own, profile or Profile())
            if scored is not None:
                yield scored


def _in_time(
    scored: Scored, sentence: int, k: int, diversity: int, decoder: str, limit: float | None
) -> list[FoundTree]:
    """Return the k best trees of a sentence, or one if that takes too long."""
    exact = decoder == "exact"
    try:
        with time_limit(limit):
            return k_best_trees(scored, sentence, k, diversity=diversity, exact=exact)
    except OutOfTimeError:
        assert limit is not None
        return [tree_in_a_hurry(scored, sentence, limit)]


def leaving_out_failures(
    find: Callable[[Sequence[_Given]], list[_Found]], on_failure: OnFailure | None
) -> Callable[[Sequence[_Given]], list[_Found]]:
    """Make a search through batches go on where a sentence fails, if there is somebody to tell."""
    if on_failure is None:
        return find
    return skipping_failures(find, TurbotreeError, on_failure)


def _piped(
    find: Callable[[Sequence[Sentence]], list[list[Parse]]],
    sentences: Iterable[Sentence],
    threads: int,
    on_failure: OnFailure | None,
) -> Iterator[Parse]:
    find([])  # complains now, not when the first parse is asked for
    find = leaving_out_failures(find, on_failure)
    lists = map_batches(find, check_many(sentences), size=_BATCH_SIZE, threads=threads)
    return (parse for found in lists for parse in found)
