"""Documents of UIMA, as INCEpTION and DKPro write them: a CAS in XMI, read with dkpro-cassis.

A :class:`CasDocument` gives the sentences that it holds, with the tags and relations that are
annotated, and takes suggestions for one feature of one layer. Positions in XMI are counted in
units of UTF-16, in Python in characters; cassis converts them.

Needs dkpro-cassis: ``pip install dkpro-cassis``.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from turbotree.errors import InputError, MissingExtraError
from turbotree.text import Sentence
from turbotree.text.universal import TAGS

try:
    from cassis import load_cas_from_xmi, load_typesystem
except ImportError as error:
    raise MissingExtraError(
        "INCEpTION needs dkpro-cassis: pip install 'turbotree[inception]'"
    ) from error

_DKPRO = "de.tudarmstadt.ukp.dkpro.core.api."
SENTENCE = f"{_DKPRO}segmentation.type.Sentence"
TOKEN = f"{_DKPRO}segmentation.type.Token"
LEMMA = f"{_DKPRO}segmentation.type.Lemma"
POS = f"{_DKPRO}lexmorph.type.pos.POS"
MORPHOLOGY = f"{_DKPRO}lexmorph.type.morph.MorphologicalFeatures"
DEPENDENCY = f"{_DKPRO}syntax.type.dependency.Dependency"

#: What a relation between words needs; INCEpTION gives them to every layer of relations.
_GOVERNOR, _DEPENDENT = "Governor", "Dependent"
#: Whether an annotation is a suggestion; INCEpTION looks at no others in an answer.
PREDICTED = "inception_internal_predicted"

#: What the features of a layer hold.
TREE, TAG = "tree", "tag"
_COLUMNS = {
    (POS, "PosValue"): TAG,
    (POS, "coarseValue"): "upos",
    (LEMMA, "value"): "lemma",
    (MORPHOLOGY, "value"): "feats",
}
#: The columns by which features of other layers can be called.
_NAMES = ("upos", "xpos", "feats", "lemma")
_UNIVERSAL = frozenset(TAGS)
# Annotations that stand outside the text are passed over; cassis would tell of each one.
warnings.filterwarnings("ignore", "Not mapping", module="cassis")
_DECLARATION = re.compile(r"\s*<\?xml[^>]*\?>")


@dataclass(frozen=True)
class Layer:
    """A layer of annotation, and the feature of it that is asked for.

    Attributes
    ----------
    name, feature
        As the type system has them.
    column
        What the feature holds: ``"upos"``, ``"xpos"``, ``"feats"``, ``"lemma"``; ``"tag"`` for
        tags that may be UPOS or XPOS; ``"tree"`` for relations between words.
    anchor
        The type of annotation that a relation connects; empty for other layers.
    """

    name: str
    feature: str
    column: str
    anchor: str = ""


@dataclass(frozen=True)
class Suggestion:
    """A value for a feature of a word.

    Attributes
    ----------
    word
        The word, from 1.
    value
        The tag, the lemma, or the relation to the head.
    score
        Its probability.
    explanation
        What the score means, for people.
    head
        The head of a relation, 0 for the root; None for other features.
    """

    word: int
    value: str
    score: float
    explanation: str
    head: int | None = None


@dataclass(frozen=True)
class CasSentence:
    """A sentence of a document.

    Attributes
    ----------
    sentence
        Its words, with the tags, lemmas, heads and relations that are annotated; ``_`` elsewhere.
    tokens
        The annotation of each word.
    """

    sentence: Sentence
    tokens: tuple[Any, ...]

    @property
    def begin(self) -> int:
        """Where its first word begins, in characters."""
        return int(self.tokens[0].begin)

    @property
    def end(self) -> int:
        """Where its last word ends."""
        return int(self.tokens[-1].end)


class CasDocument:
    """A document that can be read and given suggestions.

    Parameters
    ----------
    xmi
        The CAS.
    type_system
        Its types, in XML.

    Raises
    ------
    InputError
        If one of them cannot be read.
    """

    def __init__(self, xmi: str, type_system: str) -> None:
        self._types = _read_types(type_system)
        try:
            self._cas = load_cas_from_xmi(_plain_xml(xmi, "the document"), self._types)
        except InputError:
            raise
        except Exception as error:
            raise InputError(f"the document is no CAS in XMI: {_reason(error)}") from None
        if not self._cas.sofa_string:
            raise InputError("the document has no text")

    def layer(self, name: str, feature: str) -> Layer:
        """Find a layer and what its feature holds.

        Raises
        ------
        InputError
            If the type system lacks them, or they are nothing that a model could predict.
        """
        if not self._types.contains_type(name):
            raise InputError(f"the type system has no layer {name!r}")
        kind = self._types.get_type(name)
        if kind.get_feature(feature) is None:
            raise InputError(f"layer {name!r} has no feature {feature!r}")
        if kind.get_feature(PREDICTED) is None:
            raise InputError(
                f"layer {name!r} has no feature {PREDICTED!r}, which INCEpTION adds to layers "
                "that it wants suggestions for"
            )
        ends = [kind.get_feature(end) for end in (_GOVERNOR, _DEPENDENT)]
        if ends[0] is not None and ends[1] is not None:
            return Layer(name, feature, TREE, str(ends[1].rangeType.name))
        column = _COLUMNS.get((name, feature))
        if column is None and feature.lower() in _NAMES:
            column = feature.lower()
        if column is None:
            raise InputError(
                f"nothing is known about feature {feature!r} of layer {name!r}; expected "
                "relations, part-of-speech tags, lemmas or morphological features, or a feature "
                f"called {', '.join(_NAMES[:-1])} or {_NAMES[-1]}"
            )
        return Layer(name, feature, column)

    def sentences(self, layer: Layer | None = None, *, name: str = "") -> list[CasSentence]:
        """Return the sentences in their order; those without words are omitted.

        Parameters
        ----------
        layer
            The relations to read; by default those of DKPro, if there are any.
        name
            Begins the ``sent_id`` of each sentence.
        """
        for needed in (SENTENCE, TOKEN):
            if not self._types.contains_type(needed):
                raise InputError(f"the type system has no {needed!r}")
        words = iter(self._words())
        word = next(words, None)
        found: list[tuple[Any, ...]] = []
        for span in self._cas.select(SENTENCE):
            own = []
            while word is not None and word.begin < span.end:
                if word.begin >= span.begin:
                    own.append(word)
                word = next(words, None)
            if own:
                found.append(tuple(own))
        relations = layer.name if layer is not None and layer.column == TREE else DEPENDENCY
        label = layer.feature if layer is not None and layer.column == TREE else "DependencyType"
        heads = self._relations(relations, label)
        return [
            CasSentence(self._sentence(tokens, heads, f"{name}{number}"), tokens)
            for number, tokens in enumerate(found, 1)
        ]

    def values(self, layer: Layer) -> Iterator[tuple[tuple[int, int], str]]:
        """Return what is annotated in a layer: first and last character, and the value."""
        for one in self._cas.select(layer.name):
            value = one.get(layer.feature)
            if value and not _is_predicted(one):
                yield (one.begin, one.end), str(value)

    def python_offset(self, offset: int) -> int:
        """Return the character at an offset that is counted in units of UTF-16."""
        text = self._cas.sofa_string.encode("utf-16-le", "surrogatepass")
        return len(text[: 2 * max(0, offset)].decode("utf-16-le", "replace"))

    def clear(self, layer: Layer) -> None:
        """Remove the suggestions that are there already."""
        for one in list(self._cas.select(layer.name)):
            if _is_predicted(one):
                self._cas.remove(one)

    def suggest(self, layer: Layer, to: CasSentence, suggestions: Iterable[Suggestion]) -> None:
        """Add suggestions for the words of a sentence."""
        kind = self._types.get_type(layer.name)
        optional = {
            name
            for name in (f"{layer.feature}_score", f"{layer.feature}_score_explanation")
            if kind.get_feature(name) is not None
        }
        flavor = kind.get_feature("flavor") is not None and layer.name == DEPENDENCY
        for one in suggestions:
            token = to.tokens[one.word - 1]
            values: dict[str, Any] = {"begin": token.begin, "end": token.end, PREDICTED: True}
            values[layer.feature] = one.value
            extras = {
                f"{layer.feature}_score": one.score,
                f"{layer.feature}_score_explanation": one.explanation,
            }
            values.update({name: extras[name] for name in optional})
            if layer.column == TREE:
                # DKPro and INCEpTION let the root be its own head.
                head = to.tokens[(one.head or one.word) - 1]
                ends = [self._anchor(layer, own) for own in (head, token)]
                if ends[0] is None or ends[1] is None:
                    continue
                values.update({_GOVERNOR: ends[0], _DEPENDENT: ends[1]})
                if flavor:
                    values["flavor"] = "basic"
            self._cas.add(kind(**values))

    def to_xmi(self) -> str:
        """Return the whole CAS."""
        return str(self._cas.to_xmi())

    def _words(self) -> list[Any]:
        text = self._cas.sofa_string
        return [one for one in self._cas.select(TOKEN) if text[one.begin : one.end].strip()]

    def _anchor(self, layer: Layer, token: Any) -> Any:
        """Return what a relation connects at a word: the word itself, or an annotation of it."""
        if layer.anchor == TOKEN:
            return token
        kind = layer.anchor if self._types.contains_type(layer.anchor) else TOKEN
        for one in self._cas.select_covered(kind, token):
            place = (one.begin, one.end) == (token.begin, token.end)
            # Where relations connect annotations of any type, words and sentences are not meant.
            if place and one.type.name not in (TOKEN, SENTENCE) and not _is_predicted(one):
                return one
        return None

    def _relations(self, name: str, feature: str) -> dict[tuple[int, int], set[tuple[Any, str]]]:
        """Return head and relation of every word that has one, by the words' places."""
        found: dict[tuple[int, int], set[tuple[Any, str]]] = {}
        if not self._types.contains_type(name):
            return found
        for one in self._cas.select(name):
            governor, dependent = one.get(_GOVERNOR), one.get(_DEPENDENT)
            if governor is None or dependent is None or _is_predicted(one):
                continue
            if _value(one, "flavor") not in ("", "basic"):
                continue  # enhanced dependencies are no tree
            place = (dependent.begin, dependent.end)
            head = (governor.begin, governor.end)
            found.setdefault(place, set()).add((head, _value(one, feature) or "_"))
        return found

    def _sentence(
        self,
        tokens: Sequence[Any],
        relations: dict[tuple[int, int], set[tuple[Any, str]]],
        name: str,
    ) -> Sentence:
        text = self._cas.sofa_string
        tags = [_tags(token) for token in tokens]
        numbers = {(token.begin, token.end): n for n, token in enumerate(tokens, 1)}
        heads: list[int | None] = [None] * len(tokens)
        labels = ["_"] * len(tokens)
        for number, token in enumerate(tokens, 1):
            known = relations.get((token.begin, token.end), set())
            if len(known) != 1:
                continue
            ((place, label),) = known
            head = numbers.get(place)
            if head is None:
                continue
            if head != number and _is_below(heads, head, number):
                continue  # a tree cannot hold it beside the others
            heads[number - 1] = 0 if head == number else head
            labels[number - 1] = _cell(label)
        return Sentence.from_words(
            [" ".join(text[token.begin : token.end].split()) for token in tokens],
            lemmas=[_cell(_value(_linked(token, "lemma"), "value")) for token in tokens],
            upos=[upos for upos, _ in tags],
            xpos=[xpos for _, xpos in tags],
            feats=[_cell(_value(_linked(token, "morph"), "value")) for token in tokens],
            heads=heads,
            labels=labels,
            comments=[f"sent_id = {name}"],
        )


@lru_cache(maxsize=8)
def _read_types(text: str) -> Any:
    try:
        return load_typesystem(_plain_xml(text, "the type system"))
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"the type system cannot be read: {_reason(error)}") from None


def _plain_xml(text: str, what: str) -> str:
    """Refuse XML that could make its reader open files, and what hides it by its encoding."""
    body = _DECLARATION.sub("", text, count=1).lstrip()
    if not body.startswith("<") or "\0" in body:
        raise InputError(f"{what} is not XML")
    if "<!DOCTYPE" in body or "<!ENTITY" in body:
        raise InputError(f"{what} declares a document type; expected plain XML")
    return body


def _reason(error: Exception) -> str:
    first = str(error).strip().splitlines() or [""]
    return f"{type(error).__name__}: {first[0][:200]}" if first[0] else type(error).__name__


def _is_below(heads: Sequence[int | None], word: int, above: int) -> bool:
    """Tell whether a word hangs below another, by heads that close no circle."""
    at: int | None = word
    while at:
        if at == above:
            return True
        at = heads[at - 1]
    return False


def _value(one: Any, feature: str) -> str:
    """Return a feature of an annotation, empty if there is none."""
    if one is None or one.type.get_feature(feature) is None:
        return ""
    return str(one.get(feature) or "")


def _linked(token: Any, feature: str) -> Any:
    return None if token.type.get_feature(feature) is None else token.get(feature)


def _is_predicted(one: Any) -> bool:
    return one.type.get_feature(PREDICTED) is not None and bool(one.get(PREDICTED))


def _tags(token: Any) -> tuple[str, str]:
    """Return UPOS and XPOS of a word: DKPro has the coarse tag beside the fine one."""
    pos = _linked(token, "pos")
    coarse, fine = _value(pos, "coarseValue"), _value(pos, "PosValue")
    upos = next((tag for tag in (coarse, fine) if tag in _UNIVERSAL), "_")
    return upos, _cell(fine) if fine not in _UNIVERSAL else "_"


def _cell(value: str) -> str:
    return " ".join(value.split()) or "_"
