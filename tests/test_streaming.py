"""Streams cut into batches and worked on in threads."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turbotree.errors import InputError
from turbotree.streaming import (
    in_batches,
    in_tapering_batches,
    map_batches,
    map_in_order,
    skipping_failures,
)


@given(st.lists(st.integers()), st.integers(1, 7), st.integers(1, 3))
def test_batches_and_threads_keep_everything_in_order(items, size, threads):
    batches = list(map_in_order(list, in_batches(items, size), threads=threads))
    assert [item for batch in batches for item in batch] == items
    assert all(len(batch) == size for batch in batches[:-1])


@given(st.lists(st.integers()), st.integers(1, 9), st.integers(1, 4))
def test_tapering_batches_keep_everything_and_grow_no_larger(items, size, threads):
    batches = list(in_tapering_batches(items, size, threads))
    assert [item for batch in batches for item in batch] == items
    sizes = [len(batch) for batch in batches]
    assert sorted(sizes, reverse=True) == sizes
    assert all(1 <= own <= size for own in sizes)
    assert list(map_batches(list, items, size=size, threads=threads)) == items


@pytest.mark.parametrize("threads", [1, 2])
def test_what_came_before_a_failure_of_the_stream_is_given_first(threads):
    def stream():
        yield from range(5)
        raise KeyError("broken")

    results = map_in_order(list, in_batches(stream(), 2), threads=threads)
    assert [next(results) for _ in range(3)] == [[0, 1], [2, 3], [4]]
    with pytest.raises(KeyError, match="broken"):
        next(results)


def test_a_stream_is_not_read_far_ahead():
    read = []

    def stream():
        for number in range(1000):
            read.append(number)
            yield number

    results = map_in_order(lambda number: number, stream(), threads=2)
    assert next(results) == 0
    assert len(read) < 10


def test_a_failure_of_the_function_reaches_the_caller():
    def fail(number):
        raise ValueError(number)

    with pytest.raises(ValueError, match="1"):
        list(map_in_order(fail, [1, 2, 3], threads=2))
    assert threading.active_count() < 10


@given(st.lists(st.integers(0, 9)), st.sets(st.integers(0, 9)), st.integers(1, 7))
def test_items_that_fail_are_reported_and_skipped_and_the_rest_stays_in_order(items, bad, size):
    def function(batch):
        for item in batch:
            if item in bad:
                raise InputError(str(item))
        return list(batch)

    failures = []
    find = skipping_failures(function, failures.append)
    results = map_batches(find, items, size=size, threads=1)
    assert list(results) == [item for item in items if item not in bad]
    assert [int(str(error)) for error in failures] == [item for item in items if item in bad]
