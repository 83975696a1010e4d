"""The sentence itself."""

import copy
import pickle

import numpy as np
import pytest

from turbotree.errors import InputError
from turbotree.text import CONLLU, Layout, Sentence, Token


def example() -> Sentence:
    return Sentence.from_words(
        ["Birds", "sing"],
        lemmas=["bird", "sing"],
        upos=["NOUN", "VERB"],
        xpos=["NNS", "VBP"],
        feats=["Number=Plur", "_"],
        heads=[2, 0],
        labels=["nsubj", "root"],
        misc=["_", "SpaceAfter=No"],
        comments=["sent_id = s1", "text = Birds sing", "text = x = y", "free"],
    )


def test_columns_and_tokens_agree() -> None:
    sentence = example()
    assert len(sentence) == 2
    assert sentence.words[0] == Token(
        1, "Birds", "bird", "NOUN", "NNS", "Number=Plur", 2, "nsubj", "_", "_"
    )
    assert sentence.column("id") == ("1", "2")
    assert sentence.column("misc") == ("_", "SpaceAfter=No")
    assert [word.head for word in sentence.words] == list(sentence.heads)


def test_a_head_may_be_missing() -> None:
    assert Sentence.from_words(["a", "b"], heads=[None, 1]).heads == (None, 1)
    assert Sentence.from_words(["a"]).words[0].head is None


def test_long_sentences_have_large_heads() -> None:
    count = 1500
    sentence = Sentence.from_words(["w"] * count, heads=[*range(2, count + 1), 0])
    assert sentence.heads == (*range(2, count + 1), 0)
    assert Sentence(sentence.to_text()) == sentence


def test_comments_are_metadata() -> None:
    sentence = example()
    assert sentence.sent_id == "s1"
    assert sentence.text == "x = y"
    assert sentence.comments == ("sent_id = s1", "text = Birds sing", "text = x = y", "free")
    assert sentence.with_comments(["a = b"]).comments[-1] == "a = b"
    assert Sentence.from_words(["a"]).sent_id is None
    with pytest.raises(InputError, match="one line"):
        sentence.with_comments(["a\nb"])


def test_replacing_takes_any_integers() -> None:
    sentence = example().with_tree(np.array([0, 1]), ["root", "dep"])  # type: ignore[arg-type]
    assert sentence.heads == (0, 1)
    assert sentence.lemmas == example().lemmas


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"head": [1]}, "1 values for column 'head', expected 2"),
        ({"heads": [1, 0]}, "no column 'heads' in CoNLL-U"),
        ({"id": ["1", "2"]}, "id column cannot be replaced"),
        ({"deprel": ["a\tb", "c"]}, r"'\\t' cannot stand there"),
        ({"form": ["a\nb", "c"]}, r"'\\n' cannot stand there"),
        ({"misc": ["a\r", "c"]}, r"'\\r' cannot stand there"),
        ({"head": [1.5, 0]}, "float"),
    ],
)
def test_what_would_not_come_back_is_refused(changes: dict, reason: str) -> None:  # type: ignore[type-arg]
    with pytest.raises(InputError, match=reason):
        example().replace(**changes)


def test_unknown_columns_are_refused_and_absent_ones_are_empty() -> None:
    sentence = example()
    with pytest.raises(InputError, match="no column 'chunk'"):
        sentence.column("chunk")
    tagged = Sentence("Go VB\n\n", Layout("tags", ("form", "xpos"), " "))
    assert tagged.column("feats") == ("_",)
    assert tagged.column("id") == ("1",)
    assert tagged.heads == (None,)
    with pytest.raises(InputError, match="no comments"):
        tagged.with_comments(["a"])


def test_equality_hash_and_pickle_go_by_content() -> None:
    sentence = example()
    twin = Sentence(sentence.to_text(), path="other.conllu", line=7)
    assert sentence == twin
    assert hash(sentence) == hash(twin)
    assert sentence != twin.replace(upos=["X", "Y"])
    assert sentence != "Birds sing"
    restored = pickle.loads(pickle.dumps(twin))
    assert (restored, restored.path, restored.line) == (twin, "other.conllu", 7)
    assert copy.deepcopy(sentence) == sentence
    assert repr(twin) == "<Sentence other.conllu:7: Birds sing>"


def test_a_sentence_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        example().path = "other"  # type: ignore[misc]
    with pytest.raises(AttributeError):
        example().words[0].form = "Cats"  # type: ignore[misc]


def test_a_sentence_is_one_sentence() -> None:
    text = example().to_text()
    with pytest.raises(InputError, match="a second sentence begins here"):
        Sentence(text + text)
    with pytest.raises(InputError, match="without words"):
        Sentence("")
    with pytest.raises(InputError, match="at least one word"):
        Sentence.from_words([])


def test_layouts_are_checked() -> None:
    with pytest.raises(InputError, match="at least one column"):
        Layout("x", (), " ")
    with pytest.raises(InputError, match="numbered"):
        Layout("x", ("form",), "\t", numbered=True)
    assert CONLLU.index("deprel") == 7
