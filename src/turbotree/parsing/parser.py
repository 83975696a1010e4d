"""The parser: sentences in, trees out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import thread_time
from typing import TYPE_CHECKING, Any, ClassVar, TypedDict

import numpy as np
import numpy.typing as npt

from turbotree.errors import InputError
from turbotree.features import Encoder, FiredFeature
from turbotree.interrupts import OutOfTimeError, time_limit
from turbotree.naming import check_names, options_of, unknown
from turbotree.networks import Network, NetworkExplanation
from turbotree.networks.explain import input_shares
from turbotree.parsing.arcs import Pruner, TreeShape, groups, is_very_long
from turbotree.parsing.constrained import check_labels, constrained_candidates, settled
from turbotree.parsing.constraints import Constraints
from turbotree.parsing.decoding import FoundTree, choose_decomposition
from turbotree.parsing.decoding.decode import (
    ARC_DECODERS,
    DECODERS,
    GRAPH_DECODERS,
    usual_time_limit,
)
from turbotree.parsing.decoding.k_best import K_BEST_DECODERS, k_best_trees
from turbotree.parsing.decoding.sampling import sample_trees
from turbotree.parsing.labels import LabelModel
from turbotree.parsing.mixture import mixture_of, network_of
from turbotree.parsing.parse import Parse
from turbotree.parsing.parts import PartSet, ScoredSentence
from turbotree.parsing.parts.part_set import affordable
from turbotree.parsing.profile import Profile
from turbotree.parsing.rules.compiled import RulesLike, compile_rules
from turbotree.parsing.rules.constrained_decoding import obey, read_rules
from turbotree.parsing.rules.k_best import k_best_under_rules
from turbotree.parsing.scored import ScoredBatch
from turbotree.parsing.storing import contents, fields_of
from turbotree.presets import preset_for
from turbotree.quantities import check_least
from turbotree.scoring import Batch, PartScorer, SparseScorer, sparse, sparse_weight
from turbotree.stored import Stored, training_facts
from turbotree.streaming import OnFailure, map_batches, skipping_failures
from turbotree.text import Sentence, as_sentence, check_many

if TYPE_CHECKING:
    from typing import Unpack  # Python 3.10 lacks it

    from turbotree.parsing.training.trainer import TrainParserKeywords
    from turbotree.parsing.training.treebank import TrainingSource

#: No constraints.
_NONE: tuple[()] = ()

_BATCH_SIZE = 128
_K_BEST_BATCH_SIZE = 32


class _Shape(TypedDict, total=False):
    projective: bool | None
    single_root: bool | None
    profile: Profile | None


class ParseOptions(_Shape, total=False):
    """Options of :meth:`Parser.parse`; :meth:`Parser.parse_batch` says what they mean."""

    decoder: str | None
    decomposition: str | None
    preset: str | None
    rules: RulesLike | None
    keep_given: bool
    time_limit_seconds: float | None


class StreamOptions(ParseOptions, total=False):
    """Options of :meth:`Parser.pipe`."""

    constraints: Sequence[Constraints] | None


class KBestOptions(_Shape, total=False):
    """Options of :meth:`Parser.k_best`; :meth:`Parser.k_best_batch` says what they mean."""

    diversity: int
    decoder: str | None
    rules: RulesLike | None
    keep_given: bool
    time_limit_seconds: float | None


class KBestStreamOptions(KBestOptions, total=False):
    """Options of :meth:`Parser.k_best_pipe`."""

    constraints: Sequence[Constraints] | None


class SampleOptions(_Shape, total=False):
    """Options of :meth:`Parser.sample`."""

    keep_given: bool


class SampleStreamOptions(SampleOptions, total=False):
    """Options of :meth:`Parser.sample_pipe`."""

    seed: int
    constraints: Sequence[Constraints] | None


@dataclass(frozen=True, repr=False)
class Parser(Stored):
    """A labelled dependency parser.

    Make one with :meth:`train` or :meth:`load`. A parser never changes, so threads may share it.
    """

    kind: ClassVar[str] = "parser"

    encoder: Encoder
    pruner: Pruner
    parts: PartScorer
    labels: LabelModel
    shape: TreeShape
    arc_temperature: float
    label_temperature: float
    record: dict[str, Any]
    smoothing: float = 0.0
    lost_heads: float = 0.0

    @classmethod
    def train(cls, train: TrainingSource, **options: Unpack[TrainParserKeywords]) -> Parser:
        """Train a parser on a treebank; see :func:`turbotree.parsing.train_parser`.

        Examples
        --------
        >>> from turbotree.text import treebank
        >>> parser = Parser.train(treebank(100, seed=1), model="arc", epochs=2)
        >>> parse = parser.parse(next(treebank(1, seed=2)))
        >>> len(parse.heads) == len(parse.sentence)
        True
        """
        from turbotree.parsing.training.trainer import train_parser

        return train_parser(train, **options)

    def parse(
        self,
        sentence: Sentence,
        *,
        require: Iterable[Sequence[Any]] = _NONE,
        forbid: Iterable[Sequence[Any]] = _NONE,
        spans: Iterable[Sequence[int]] = _NONE,
        **options: Unpack[ParseOptions],
    ) -> Parse:
        """Parse one sentence, under constraints if there are some.

        Parameters
        ----------
        sentence
            What to parse.
        require
            Arcs that the tree has to have, as ``(head, modifier)`` or ``(head, modifier, label)``;
            head 0 is the root, and None leaves the head open.
        forbid
            Arcs that it must not have; with a label, the arc may be there under another one.
        spans
            ``(first, last)``: these words form a subtree. Exactly one of them has its head
            outside, and words outside may hang from any of them.
        options
            Those of :meth:`parse_batch`.

        Raises
        ------
        InfeasibleError
            No tree obeys the constraints; the message says which ones clash.

        Examples
        --------
        >>> from turbotree.text import treebank
        >>> parser = Parser.train(treebank(60, seed=1), model="arc", epochs=1, pruner_epochs=1)
        >>> sentence = next(treebank(1, seed=2))
        >>> parser.parse(sentence, require=[(0, 1, "root")]).heads[0]
        0
        """
        if options:
            check_names("parse", options, options_of(Parser.parse, Parser.parse_batch))
        constraints = self._read(sentence, require, forbid, spans)
        return self.parse_batch([sentence], constraints=constraints, **options)[0]

    def parse_batch(
        self,
        sentences: Sequence[Sentence] | Batch,
        *,
        decoder: str | None = None,
        decomposition: str | None = None,
        preset: str | None = None,
        projective: bool | None = None,
        single_root: bool | None = None,
        rules: RulesLike | None = None,
        keep_given: bool = False,
        constraints: Sequence[Constraints] | None = None,
        profile: Profile | None = None,
        time_limit_seconds: float | None = None,
    ) -> list[Parse]:
        """Parse some sentences at once; heads and labels they already have are not looked at.

        Parameters
        ----------
        sentences
            What to parse; those of a batch, with the encodings that it has.
        decoder
            For arc-factored models, ``"mst"``: the best tree. ``"eisner"``: the best projective
            tree. ``"mbr"``: the tree with most right arcs in expectation (minimum Bayes risk).
            For all models, ``"auto"``: the best tree by dual decomposition, and a short search
            where that leaves a gap; nearly always with a proof. ``"exact"``: search as long as it
            takes, always with a proof. ``"admm"``: dual decomposition alone.
            ``"subgradient"``: dual decomposition with subgradients. ``"lp"``, ``"ilp"``: the
            linear program with flows of several commodities, relaxed or exact, by HiGHS;
            ``"lp-single"``: with a single commodity, which is looser. ``"bp"``: minimum Bayes
            risk by belief propagation. ``"koo2010"``, ``"admm2011"``,
            ``"subgradient2011"``, ``"lp2009"``, ``"lp2009-single"``: as the papers have it.
        decomposition
            How decoders of all models write a sentence: ``"structured"``, with trees and automata
            as factors; ``"heads"``, with one automaton per head, not one for each of its sides;
            ``"logic"``, with flows and simple factors; or ``"flows"``, the same with directed paths
            and non-projective arcs read off the flows (both not for projective trees). By default
            linear programs and ``"admm2011"`` are written by logic, ``"koo2010"`` by heads, and
            everything else is structured.
        preset
            What sets the two as a paper has them, unless they are given: see
            :data:`turbotree.presets.PRESETS`.
        projective
            Allow no crossing arcs, whatever the decoder.
        single_root
            Allow only one word under the root; by default as in the training data.
        rules
            What trees and labels have to obey: the text of rules, the path of a rule file, the
            name of bundled rules, or what :func:`turbotree.parsing.compile_rules` made of
            them. ``docs/parsing/rules.md`` has the language.
        keep_given
            Keep the heads and labels that sentences have, and find the rest: ``_``.
        constraints
            One for each sentence, instead of `keep_given`.
        profile
            Where to count the time of each stage and the number of parts.
        time_limit_seconds
            Wall-clock time for decoding one sentence. What is then best is the answer, with a
            bound, and the certificate says so. If nothing is given, 60 seconds, and no limit for
            ``"exact"`` and ``"ilp"``; ``math.inf`` is none.
        """
        if preset is not None:
            usual = preset_for("parsing", preset)
            if decoder is None:
                decoder, decomposition = (
                    usual["decoder"],
                    decomposition or usual.get("decomposition"),
                )
        decoder, shape = self._decoding(decoder, projective, single_root)
        decomposition = choose_decomposition(decoder, decomposition, shape)
        limit = usual_time_limit(time_limit_seconds, decoder)
        obeyed = None if rules is None else read_rules(rules, self, decoder)
        found: list[Parse] = []
        for scored in self._scored(sentences, shape, keep_given, constraints, profile):
            trees = scored.best_trees(decoder, decomposition, limit)
            scored.ends["decoding"] = thread_time()
            if obeyed is not None:
                found += obey(scored, obeyed, decoder, trees, limit)
            else:
                found += [own[0] for own in scored.label([[tree] for tree in trees])]
        return found

    def pipe(
        self,
        sentences: Iterable[Sentence],
        *,
        threads: int = 1,
        batch_size: int = _BATCH_SIZE,
        on_failure: OnFailure | None = None,
        **options: Unpack[StreamOptions],
    ) -> Iterator[Parse]:
        """Parse a stream of sentences, in order, holding only a few batches in memory.

        Parameters
        ----------
        sentences
            Any iterable; it is read as parsing goes on.
        threads
            Threads to use; the result is the same for any number.
        batch_size
            Sentences that are parsed at once.
        on_failure
            Called with the error of a sentence that cannot be parsed, because no tree obeys the
            rules or the heads that are given; the sentence is then skipped. Without it, the
            error ends the stream.
        options
            As for :meth:`parse_batch`.
        """
        check_names("pipe", options, options_of(Parser.pipe, Parser.parse_batch))
        rules = options.get("rules")
        if rules is not None:
            options["rules"] = compile_rules(rules)  # once for all batches
        self.parse_batch([], **options)  # complains now, not when the first parse is asked for
        find = partial(self.parse_batch, **options)
        return map_batches(
            skipping_failures(find, on_failure),
            check_many(sentences),
            size=batch_size,
            threads=threads,
        )

    def k_best(
        self,
        sentence: Sentence,
        k: int,
        *,
        require: Iterable[Sequence[Any]] = _NONE,
        forbid: Iterable[Sequence[Any]] = _NONE,
        spans: Iterable[Sequence[int]] = _NONE,
        **options: Unpack[KBestOptions],
    ) -> list[Parse]:
        """Find the k best trees of a sentence, best first.

        Constraints are those of :meth:`parse`, options those of :meth:`k_best_batch`.

        Examples
        --------
        >>> from turbotree.text import treebank
        >>> parser = Parser.train(treebank(60, seed=1), model="arc", epochs=1, pruner_epochs=1)
        >>> first, second = parser.k_best(next(treebank(1, seed=2)), 2)
        >>> first.score >= second.score, first.heads != second.heads
        (True, True)
        """
        check_names("k_best", options, options_of(Parser.k_best, Parser.k_best_batch))
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
            check_least(name, value, 1)
        decoder, shape = self._decoding(decoder, projective, single_root)
        if decoder not in K_BEST_DECODERS:
            raise InputError(
                f"decoder {decoder!r} finds one tree only; choose one of "
                + ", ".join(K_BEST_DECODERS)
            )
        limit = usual_time_limit(time_limit_seconds, decoder)
        obeyed = None if rules is None else read_rules(rules, self, decoder)
        found: list[list[Parse]] = []
        for scored in self._scored(sentences, shape, keep_given, constraints, profile):
            if obeyed is not None:
                found += k_best_under_rules(scored, obeyed, decoder, k, diversity)
                continue
            trees = [
                _in_time(scored, sentence, k, diversity, decoder, limit) for sentence in scored
            ]
            scored.ends["decoding"] = thread_time()
            found += scored.label(trees)
        return found

    def k_best_pipe(
        self,
        sentences: Iterable[Sentence],
        k: int,
        *,
        threads: int = 1,
        on_failure: OnFailure | None = None,
        **options: Unpack[KBestStreamOptions],
    ) -> Iterator[Parse]:
        """Find the k best trees of a stream of sentences; ``rank`` is a tree's place in its list.

        Options are those of :meth:`k_best_batch`; `on_failure` is that of :meth:`pipe`.
        """
        check_names("k_best_pipe", options, options_of(Parser.k_best_pipe, Parser.k_best_batch))
        find = partial(self.k_best_batch, k=k, **options)
        return _piped(find, sentences, threads, on_failure)

    def sample_pipe(
        self,
        sentences: Iterable[Sentence],
        n: int,
        *,
        threads: int = 1,
        on_failure: OnFailure | None = None,
        **options: Unpack[SampleStreamOptions],
    ) -> Iterator[Parse]:
        """Draw n trees of each sentence of a stream.

        Options are those of :meth:`sample_batch`; `on_failure` is that of :meth:`pipe`.
        """
        check_names("sample_pipe", options, options_of(Parser.sample_pipe, Parser.sample_batch))
        find = partial(self.sample_batch, n=n, **options)
        return _piped(find, sentences, threads, on_failure)

    def sample(
        self,
        sentence: Sentence,
        n: int = 1,
        *,
        seed: int = 0,
        require: Iterable[Sequence[Any]] = _NONE,
        forbid: Iterable[Sequence[Any]] = _NONE,
        **options: Unpack[SampleOptions],
    ) -> list[Parse]:
        """Draw trees of a sentence at random, each with the model's probability.

        For arc-factored models the draws are exact and independent. For others they are drawn by
        their weights from many proposals, which come from the probabilities of belief propagation:
        nearly exact, see :mod:`turbotree.parsing.decoding.sampling`. Labels are the best ones of
        each tree.

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
        >>> from turbotree.text import treebank
        >>> parser = Parser.train(treebank(60, seed=1), model="arc", epochs=1, pruner_epochs=1)
        >>> len(parser.sample(next(treebank(1, seed=2)), 5, seed=3))
        5
        """
        check_names("sample", options, options_of(Parser.sample, Parser.sample_batch))
        constraints = self._read(sentence, require, forbid, _NONE)
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
            check_least(name, value, 0)
        _, shape = self._decoding(None, projective, single_root)
        found: list[list[Parse]] = []
        for scored in self._scored(sentences, shape, keep_given, constraints, profile):
            trees = [
                sample_trees(sentence, self.arc_temperature, n, seed, words.to_text())
                for sentence, words in zip(scored, scored.sentences, strict=True)
            ]
            scored.ends["sampling"] = thread_time()
            found += scored.label(trees)
        return found

    def explain(self, sentence: Sentence, head: int, modifier: int) -> list[FiredFeature]:
        """List the features of one arc with their weights, heaviest first.

        What a network says of the arc, if there is one: :meth:`explain_network`.
        """
        _check_arc(sentence, head, modifier)
        part = np.array([head, modifier], dtype=np.int32)
        fired = sparse(self.parts).explain(Batch([sentence]), "arc", part)
        unit = sparse_weight(self.parts)
        return [replace(feature, weight=unit * feature.weight) for feature in fired]

    def explain_network(
        self, sentence: Sentence, head: int, modifier: int
    ) -> NetworkExplanation | None:
        """Tell what the network says of one arc, and which inputs moved it; None without one."""
        _check_arc(sentence, head, modifier)
        network = self.network
        if network is None:
            return None
        log_probability, inputs = input_shares(network, sentence, head, modifier)
        weight = mixture_of(self.parts, self.labels).network
        return NetworkExplanation(log_probability, weight, inputs)

    def sparse(self) -> dict[str, SparseScorer]:
        """Return the scorers that have sparse features, by the names of their tables."""
        own = {"parts": sparse(self.parts), "labels": self.labels.sparse}
        return own if self.network else {"pruner": sparse(self.pruner.scorer), **own}

    @property
    def network(self) -> Network | None:
        """The network whose scores join those of the features, if there is one."""
        return network_of(self.pruner)

    def contents(self) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
        """Return what a model file holds of it: arrays, and a header."""
        return contents(self)

    @classmethod
    def from_contents(cls, arrays: dict[str, npt.NDArray[Any]], header: dict[str, Any]) -> Parser:
        """Undo :meth:`contents`."""
        return cls(**fields_of(arrays, header))

    def facts(self) -> list[str]:
        """Return what is worth knowing of it at a glance.

        >>> from turbotree.text import treebank
        >>> Parser.train(treebank(60, seed=1), model="arc", epochs=1, licence="CC0")
        <Parser: parts arc; ... labels; ... features; trained on 60 sentences, CC0>
        """
        tables = [scorer.weights for scorer in self.sparse().values()]
        return [
            f"parts {', '.join(self.parts.families)}",
            f"{len(self.labels.dictionary.names)} labels",
            f"{sum(len(table or ()) for table in tables):,} features",
            *(() if self.network is None else self.network.facts()[:1]),
            *training_facts(self.record),
        ]

    def templates(self) -> dict[str, list[str]]:
        """Return the template sets by name."""
        scorers = self.sparse()
        found = {**scorers["parts"].templates, **scorers["labels"].templates}
        if "pruner" not in scorers:
            return found
        return {"pruner": scorers["pruner"].templates["arc"], **found}

    def _decoding(
        self, decoder: str | None, projective: bool | None, single_root: bool | None
    ) -> tuple[str, TreeShape]:
        usual = ARC_DECODERS if self.parts.families == ("arc",) else GRAPH_DECODERS
        decoder = decoder or usual[0]
        if decoder not in DECODERS:
            raise unknown("decoder", decoder, DECODERS)
        if decoder in ARC_DECODERS and usual is GRAPH_DECODERS:
            raise InputError(
                f"decoder {decoder!r} is for arc-factored models; this one also scores "
                f"{', '.join(self.parts.families[1:])}: choose one of {', '.join(usual)}"
            )
        shape = self.shape
        if single_root is not None:
            shape = replace(shape, single_root=single_root)
        return decoder, replace(shape, projective=bool(projective) or decoder == "eisner")

    def _read(
        self,
        sentence: Sentence,
        require: Iterable[Sequence[Any]],
        forbid: Iterable[Sequence[Any]],
        spans: Iterable[Sequence[int]],
    ) -> list[Constraints] | None:
        if require is _NONE and forbid is _NONE and spans is _NONE:
            return None
        constraints = Constraints.of(as_sentence(sentence), require, forbid, spans)
        check_labels(constraints, self.labels.dictionary)
        return [constraints] if constraints else None

    def _scored(
        self,
        given: Sequence[Sentence] | Batch,
        shape: TreeShape,
        keep_given: bool,
        constraints: Sequence[Constraints] | None,
        profile: Profile | None,
    ) -> Iterator[ScoredBatch]:
        """Find and score the parts of a batch, in pieces that the memory has room for."""
        whole = given if isinstance(given, Batch) else None
        many = check_many(given) if whole is None else whole.sentences
        sentences = [as_sentence(sentence) for sentence in many]
        if not sentences:
            return
        if keep_given and constraints is None:
            constraints = [Constraints.given(sentence) for sentence in sentences]
        if constraints is not None and len(constraints) != len(sentences):
            raise InputError(f"{len(constraints)} constraints for {len(sentences)} sentences")
        for piece in groups(sentences):
            some = sentences[piece]
            own = None if constraints is None else self._settled(some, constraints[piece], shape)
            ends = {"start": thread_time()}
            encoding = self.encoder.encode(some)
            if whole is None:
                batch = Batch.encoded(self.encoder, encoding, some)
            else:
                own_part = whole.repeated(range(len(sentences))[piece])
                batch = own_part.with_encoding(self.encoder, encoding)
            ends["encoding"] = thread_time()
            if own is None:
                arcs = self.pruner.candidates(batch, shape=shape)
            else:
                arcs = constrained_candidates(self.pruner, batch, some, own, shape)
            ends["pruning"] = thread_time()
            families = self.parts.families
            if is_very_long(len(some[0])):  # such stand alone
                families = affordable(families)
            parts = PartSet.build(batch.lengths, arcs, families)
            scores = self.parts.score(batch, parts)
            ends["scoring"] = thread_time()
            yield ScoredBatch(parts, scores, shape, own, self, some, batch, profile, ends)

    def _settled(
        self, sentences: Sequence[Sentence], constraints: Sequence[Constraints], shape: TreeShape
    ) -> Sequence[Constraints]:
        """Check constraints; what is said of arcs comes first, what labels say may clash, too."""
        for sentence, own in zip(sentences, constraints, strict=True):
            own.check(sentence, shape)
        constraints = settled(sentences, constraints, self.labels.dictionary)
        for sentence, own in zip(sentences, constraints, strict=True):
            own.check(sentence, shape)
        return constraints


def _in_time(
    scored: ScoredBatch,
    sentence: ScoredSentence,
    k: int,
    diversity: int,
    decoder: str,
    limit: float | None,
) -> list[FoundTree]:
    """Return the k best trees of a sentence, or one if that takes too long."""
    exact = decoder == "exact"
    try:
        with time_limit(limit):
            return k_best_trees(sentence, k, diversity=diversity, exact=exact)
    except OutOfTimeError:
        if limit is None:
            raise  # a limit around this one: its owner decides
        return [scored.tree_without_time(sentence.sentence, limit)]


def _check_arc(sentence: Sentence, head: int, modifier: int) -> None:
    for name, word, least in (("head", head, 0), ("modifier", modifier, 1)):
        if not least <= word <= len(sentence):
            raise InputError(f"{name} {word} is outside the sentence ({len(sentence)} words)")
    if head == modifier:
        raise InputError(f"word {head} cannot be its own head")


def _piped(
    find: Callable[[Sequence[Sentence]], list[list[Parse]]],
    sentences: Iterable[Sentence],
    threads: int,
    on_failure: OnFailure | None,
) -> Iterator[Parse]:
    find([])  # complains now, not when the first parse is asked for
    find = skipping_failures(find, on_failure)
    lists = map_batches(find, check_many(sentences), size=_K_BEST_BATCH_SIZE, threads=threads)
    return (parse for found in lists for parse in found)
