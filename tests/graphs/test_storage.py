"""Graphs in files: what is saved comes back, what is damaged is refused."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from oracles.graphs import ALL_KINDS, add_factor, graphs, random_graph

from turbotree.errors import InputError
from turbotree.graphs import FactorGraph


def _arrays(graph):
    return [graph.scores, graph.evidence] + [
        getattr(block, name) for block in graph.blocks for name in block.__slots__[1:-1]
    ]


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(graphs())
def test_a_graph_comes_back_as_it_was(tmp_path, graph):
    graph.variables([1.0, 2.0], names=["a", "ü\n\x00"])
    graph.save(tmp_path / "graph.npz")
    loaded = FactorGraph.load(tmp_path / "graph.npz")
    assert [block.kind for block in loaded.blocks] == [block.kind for block in graph.blocks]
    for mine, theirs in zip(_arrays(loaded), _arrays(graph), strict=True):
        assert mine.dtype == theirs.dtype
        np.testing.assert_array_equal(mine, theirs)
    assert loaded.names == graph.names


def test_bulk_factors_of_each_kind_come_back(tmp_path):
    rng = np.random.default_rng(3)
    graph = FactorGraph()
    graph.variables(rng.normal(size=12))
    for kind in ALL_KINDS:
        for _ in range(5):
            add_factor(graph, kind, rng)
    graph.siblings([[0, 1], [2, 3]], rng.normal(size=(2, 3, 3)))
    graph.chain(np.arange(12).reshape(2, 3, 2), rng.normal(size=(2, 2, 2, 2)))
    graph.save(tmp_path / "graph.npz")
    loaded = FactorGraph.load(tmp_path / "graph.npz")
    for mine, theirs in zip(_arrays(loaded), _arrays(graph), strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_the_file_holds_no_pickles(tmp_path):
    random_graph(np.random.default_rng(0)).save(tmp_path / "graph.npz")
    with np.load(tmp_path / "graph.npz", allow_pickle=False) as file:
        assert all(file[name].dtype.kind in "iuf" for name in file.files)


def test_custom_factors_cannot_be_saved(tmp_path):
    graph = FactorGraph()
    graph.custom(graph.variables([1.0]), lambda scores: scores > 0)
    with pytest.raises(InputError, match="1 custom factors are Python functions"):
        graph.save(tmp_path / "graph.npz")
    assert list(tmp_path.iterdir()) == []


def _saved(tmp_path):
    graph = FactorGraph()
    xs = graph.variables([1.0, 2.0, 3.0, 4.0], names="abcd")
    graph.exactly_one(xs)
    graph.knapsack(xs, [1, 2, 3, 4], 5)
    graph.pair([0, 1], [2, 3], 0.5)
    graph.table([xs[:2], xs[2:]], np.zeros((2, 2)))
    graph.tree([0, 0, 1, 2], [1, 2, 2, 1], xs, single_root=False)
    graph.siblings(xs, np.zeros((5, 5)))
    graph.grandparent_siblings(xs[:2], xs[2:])
    graph.tri_siblings(xs, np.zeros((4, 4, 4)))
    graph.chain([xs[:1], xs[1:]], [np.zeros((1, 3))])
    graph.fix(0)
    path = tmp_path / "graph.npz"
    graph.save(path)
    return path


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    return _saved(tmp_path_factory.mktemp("saved")).read_bytes()


CHANGES = {
    "scores": np.array([np.nan, 0, 0, 0]),
    "evidence": np.array([2, 0, 0, 0], dtype=np.int8),
    "names": np.frombuffer(b'{"9": "x"}', dtype=np.uint8),
    "format": np.frombuffer(b"turbotree factor graph 99", dtype=np.uint8),
    "XOR.offsets": np.array([0, 5]),
    "XOR.variables": np.array([0, 1, 2, 9], dtype=np.int32),
    "XOR.negated": np.array([0, 1, 2, 0], dtype=np.uint8),
    "KNAPSACK.shapes": np.array([5, 1, 2, 3, -4], dtype=np.int32),
    "KNAPSACK.shape_offsets": np.array([0, 4]),
    "PAIR.extras": np.array([0.5, np.inf]),
    "PAIR.variables": np.array([0, 0, 1, 3], dtype=np.int32),
    "DENSE.shapes": np.array([2, 3], dtype=np.int32),
    "DENSE.extras": np.zeros(3),
    "TREE.shapes": np.array([2, 0, 0, 1, 0, 2, 1, 2, 2, 9], dtype=np.int32),
    "HEAD_AUTOMATON.extras": np.zeros(7),
    "TRIPLE_AUTOMATON.extras": np.zeros(63),
    "GRANDPARENT_AUTOMATON.shapes": np.array([4], dtype=np.int32),
    "CHAIN.shapes": np.array([2**31 - 1, 2**31 - 1], dtype=np.int32),
    "surprise": np.zeros(3),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_file_with_wrong_numbers_is_refused(tmp_path, name):
    path = _saved(tmp_path)
    with np.load(path) as file:
        arrays = {key: file[key] for key in file.files}
    arrays[name] = CHANGES[name]
    np.savez(path, **arrays)
    with pytest.raises(InputError, match=r"graph\.npz: "):
        FactorGraph.load(path)


@pytest.mark.parametrize("name", ["scores", "XOR.negated", "DENSE.extras", "names"])
def test_a_file_without_an_array_is_refused(tmp_path, name):
    path = _saved(tmp_path)
    with np.load(path) as file:
        arrays = {key: file[key] for key in file.files if key != name}
    np.savez(path, **arrays)
    with pytest.raises(InputError, match=r"graph\.npz: "):
        FactorGraph.load(path)


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.data())
def test_a_damaged_file_gives_one_clear_error(tmp_path, saved, data):
    path = tmp_path / "graph.npz"
    content = bytearray(saved)
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(bytes(content)[: data.draw(st.integers(0, len(content)))])
    try:
        FactorGraph.load(path)
    except InputError as error:
        assert "graph.npz" in str(error)  # noqa: PT017 - harmless changes give no error


@pytest.mark.parametrize("content", [b"", b"PK", b"hello", b"\x93NUMPY\x01\x00", b"\x80\x04K\x01."])
def test_foreign_files_are_refused(tmp_path, content):
    path = tmp_path / "graph.npz"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"graph\.npz: "):
        FactorGraph.load(path)


def test_other_archives_and_missing_files_are_refused(tmp_path):
    np.save(tmp_path / "array.npy", np.zeros(3))
    np.savez(tmp_path / "other.npz", a=np.zeros(3))
    np.savez(tmp_path / "pickle.npz", format=np.array([{}], dtype=object))
    (tmp_path / "folder").mkdir()
    for name in ("array.npy", "other.npz", "pickle.npz", "folder", "nothing.npz"):
        with pytest.raises(InputError, match=name):
            FactorGraph.load(tmp_path / name)


def test_a_member_that_is_no_array_is_refused(tmp_path):
    path = _saved(tmp_path)
    with zipfile.ZipFile(path, "a") as file:
        file.writestr("note.txt", b"hello")
    with pytest.raises(InputError, match=r"'note\.txt' is no array"):
        FactorGraph.load(path)


@pytest.mark.parametrize("size", [2**10, 2**45])
def test_an_array_that_claims_more_than_there_is_is_refused(tmp_path, size):
    path = _saved(tmp_path)
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "<f8", "fortran_order": False, "shape": (size,)}
    )
    content = {}
    with zipfile.ZipFile(path) as file:
        content = {name: file.read(name) for name in file.namelist()}
    content["scores.npy"] = header.getvalue()
    with zipfile.ZipFile(path, "w") as file:
        for name, data in content.items():
            file.writestr(name, data)
    with pytest.raises(InputError, match=f"'scores' is damaged: {8 * size} bytes"):
        FactorGraph.load(path)


def pack(path, **arrays):
    """Write an archive of arrays that are never in memory: name -> (dtype, size), all zeros."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, (dtype, size) in arrays.items():
            header = io.BytesIO()
            np.lib.format.write_array_header_1_0(
                header, {"descr": dtype, "fortran_order": False, "shape": (size,)}
            )
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                member.write(header.getvalue())
                left = size * np.dtype(dtype).itemsize
                while left:
                    left -= member.write(bytes(min(left, 1 << 22)))


def test_an_archive_that_unpacks_to_gigabytes_is_refused_before(tmp_path, monkeypatch):
    path = tmp_path / "bomb.npz"
    pack(path, format=("|u1", 24), scores=("<f8", 40_000_000), names=("|u1", 2))
    assert path.stat().st_size < 1_000_000
    monkeypatch.setattr(np, "load", None)  # nothing is unpacked
    with pytest.raises(InputError, match=r"bomb\.npz: asks for 320,000,026 bytes of memory"):
        FactorGraph.load(path)


def test_a_single_array_that_claims_gigabytes_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "claims.npz"
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "<f8", "fortran_order": False, "shape": (2**36,)}
    )
    path.write_bytes(header.getvalue() + bytes(64))
    monkeypatch.setattr(np, "load", None)
    with pytest.raises(InputError, match=r"claims\.npz: damaged, or no saved factor graph"):
        FactorGraph.load(path)
