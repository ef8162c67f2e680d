"""Tests hold promises: they replace no function of ours, and no duration decides whether they pass."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.house.sources import PROJECT, files

OURS = ("agent", "app", "bench", "cli", "inbox", "jobs", "ops", "tests")
PATCHES = ("setattr", "delattr")
CLOCKS = ("monotonic", "perf_counter", "process_time", "time")

REPLACED: Mapping[tuple[str, str], str] = {
    (
        "tests/conftest.py",
        "_is_shutting_down",
    ): "a process that was asked to end does not continue; that of the tests does",
    ("tests/flow/routing/test_route_gathers.py", "waiting_by_shard"): "another worker routes between two statements",
    ("tests/flow/routing/test_routing_traces.py", "trace_cache"): "the cache of another process",
    (
        "tests/jobs/test_delivery_thread.py",
        "thread",
    ): "a thread with the clock of the test, in place of that of the process",
    ("tests/live/test_hub.py", "_hub"): "the state of a process before its first stream",
    ("tests/runtime/test_sealing.py", "_current"): "the state of a process before it has keys",
}
"""Functions and values of ours that a test replaces, each with the reason why nothing real can stand in its place."""


def replaced(tree: ast.Module) -> Iterator[str]:
    """The names of ours that are replaced. A constant is none: a test may make a limit small enough to reach it."""
    ours = {
        alias.asname or alias.name.partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
        if (node.module if isinstance(node, ast.ImportFrom) and node.module else alias.name).partition(".")[0] in OURS
    }
    foreign = {
        alias.asname or alias.name.partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    } - ours
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr=act), args=[target, ast.Constant(value=str(name)), *_]) if (
                act in PATCHES
            ):
                if not name.isupper() and _root(target) not in foreign:
                    yield name
            case ast.Call(func=ast.Attribute(attr=act), args=[ast.Constant(value=str(path)), _]) if act in PATCHES:
                if path.partition(".")[0] in OURS and not path.rpartition(".")[2].isupper():
                    yield path
            case ast.ImportFrom(module="unittest", names=[ast.alias(name="mock")]):
                yield "unittest.mock"
            case ast.ImportFrom(module="unittest.mock") | ast.Import(names=[ast.alias(name="unittest.mock")]):
                yield "unittest.mock"


def _root(node: ast.expr) -> str:
    """The name at the beginning of `a.b.c`, or of a path in a string."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def timed(tree: ast.Module) -> Iterator[int]:
    """The lines of assertions that a duration is at most something. Waits may end: `assert monotonic() < end`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert):
            for compared in ast.walk(node.test):
                if isinstance(compared, ast.Compare) and any(
                    isinstance(above, ast.Lt | ast.LtE)
                    and _is_duration(side)
                    or isinstance(above, ast.Gt | ast.GtE)
                    and _is_duration(other)
                    for above, side, other in zip(
                        compared.ops, [compared.left, *compared.comparators], compared.comparators, strict=False
                    )
                ):
                    yield node.lineno


def _is_duration(side: ast.expr) -> bool:
    """Whether it is the present moment of a clock less another moment."""
    return isinstance(side, ast.BinOp) and isinstance(side.op, ast.Sub) and _reads_a_clock(side.left)


def _reads_a_clock(node: ast.expr) -> bool:
    if not isinstance(node, ast.Call):
        return False
    return isinstance(node.func, ast.Attribute | ast.Name) and _name(node.func) in CLOCKS


def _name(node: ast.Attribute | ast.Name) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id


def named(path: Path) -> str:
    return str(path.relative_to(PROJECT))


def test_no_test_replaces_a_function_of_ours_or_measures_a_duration() -> None:
    trees = {named(path): ast.parse(path.read_text()) for path in files("tests")}

    assert {(path, name) for path, tree in trees.items() for name in replaced(tree)} == set(REPLACED)
    assert {path: lines for path, tree in trees.items() if (lines := list(timed(tree)))} == {}


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("from inbox.flow import route\nmonkeypatch.setattr(route, 'process', fail)", ["process"]),
        ("queues = job_queues()\nmonkeypatch.setattr(queues, 'wake', woken.append)", ["wake"]),
        ("from unittest import mock", ["unittest.mock"]),
        ("from unittest.mock import patch", ["unittest.mock"]),
        ("monkeypatch.setattr('inbox.runtime.queue.wake', None)", ["inbox.runtime.queue.wake"]),
        ("from inbox.flow import batch\nmonkeypatch.setattr(batch, 'MAX_EVENTS', 3)", []),
        ("import sys\nmonkeypatch.setattr(sys, 'stderr', full)", []),
        ("from dateutil import rrule\nmonkeypatch.setattr(rrule._iterinfo, 'rebuild', counted)", []),
        ("monkeypatch.setattr('gevent.sleep', pause)", []),
    ],
)
def test_replaced_functions_are_found(source: str, found: list[str]) -> None:
    assert list(replaced(ast.parse(source))) == found


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("assert time.monotonic() - began < 2", [1]),
        ("assert 2 > perf_counter() - began", [1]),
        ("assert 0 < time.time() - began <= 60", [1]),
        ("assert time.monotonic() < end, 'not in time'", []),
        ("assert answered_at - arrived_at >= 0.2", []),
        ("assert began <= found <= time.time()", []),
    ],
)
def test_an_asserted_duration_is_found(source: str, found: list[int]) -> None:
    assert list(timed(ast.parse(source))) == found
