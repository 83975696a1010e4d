"""Words that know their heads, and phrases made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from turbotree.text.sentence import Sentence


@dataclass(eq=False, slots=True)
class Node:
    """One word; its head is a word too, so that moving words about cannot break the tree."""

    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str = "_"
    head: Node | None = None
    label: str = "root"
    glued: bool = False  # no space before it
    plural: bool = False
    person: int = 3
    kind: str = ""  # semantic class of a noun


@dataclass(eq=False, slots=True)
class Phrase:
    """Words in their order, and which of them is the head."""

    head: Node
    nodes: list[Node] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not self.nodes:
            self.nodes = [self.head]

    def before(self, child: Phrase | Node, label: str) -> None:
        """Put a dependent at the beginning."""
        self.nodes = [*adopt(self.head, child, label), *self.nodes]

    def after(self, child: Phrase | Node, label: str) -> None:
        """Put a dependent at the end."""
        self.nodes = [*self.nodes, *adopt(self.head, child, label)]


def adopt(head: Node, child: Phrase | Node, label: str) -> list[Node]:
    """Make a phrase depend on a word and return its words, to be put in their place."""
    phrase = child if isinstance(child, Phrase) else Phrase(child)
    phrase.head.head = head
    phrase.head.label = label
    return phrase.nodes


def comma() -> Node:
    """Make a comma."""
    return Node(",", ",", "PUNCT", ",", glued=True)


def to_sentence(nodes: Sequence[Node], sent_id: str) -> Sentence:
    """Number the words, write the first one large, and make it CoNLL-U."""
    first = nodes[0]
    first.form = first.form[0].upper() + first.form[1:]
    numbers = {id(node): number for number, node in enumerate(nodes, 1)}
    following = [*nodes[1:], None]
    glued = [node is not None and node.glued for node in following]
    text = "".join(
        node.form + ("" if tight else " ") for node, tight in zip(nodes, glued, strict=True)
    )
    return Sentence.from_words(
        [node.form for node in nodes],
        lemmas=[node.lemma for node in nodes],
        upos=[node.upos for node in nodes],
        xpos=[node.xpos for node in nodes],
        feats=[node.feats for node in nodes],
        heads=[0 if node.head is None else numbers[id(node.head)] for node in nodes],
        labels=[node.label for node in nodes],
        misc=["SpaceAfter=No" if tight else "_" for tight in glued],
        comments=[f"sent_id = {sent_id}", f"text = {text.rstrip()}"],
    )
