"""Scheduling of test files over processes: a file stays in one process, and large groups come first."""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from xdist.scheduler import LoadScopeScheduling

from tests.runner.fast import group_of

GROUP = re.compile(r'^pytestmark = .*\bpytest\.mark\.xdist_group\("(\w+)"\)', re.MULTILINE)

PARTS = {"dashboard": 2}
"""Turns of a group that would otherwise take longer than all other tests. Each starts a service and a browser."""


class Turns(LoadScopeScheduling):  # type: ignore[misc]
    """A turn is all files of an `xdist_group` or of a part of it, or one other file: what is set up for it is set up once."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return turn(self.config.rootpath / file) or file

    def remove_node(self, node: Any) -> str | None:
        """Take a worker out. After a crash the test that ran is lost and fails; the tests behind it are queued again.

        The scheduler of xdist queues the lost test as well, so that it ends the next worker too.
        """
        left = {
            scope: [test for test, done in unit.items() if not done] for scope, unit in self.assigned_work[node].items()
        }
        tests = [(scope, test) for scope, waiting in left.items() for test in waiting]
        del self.assigned_work[node]
        if not tests:
            return None
        for scope, test in tests[1:]:
            self.workqueue.setdefault(scope, {})[test] = False
        for other in self.nodes:
            self._reschedule(other)
        return tests[0][1]

    def _assign_work_unit(self, node: Any) -> None:
        """Give the node its next turn. Of a node that has crashed meanwhile, `remove_node` queues the turn again."""
        with suppress(OSError):
            super()._assign_work_unit(node)

    def _reschedule(self, node: Any) -> None:
        """Give a worker two tests or the end of the run: a worker begins a test only when it knows what comes next.

        The scheduler of xdist gives the worker that replaces a crashed one a single unit. Where that unit is one test, both wait.
        It also loses a unit to a replacement that has not collected the tests yet.
        """
        if node not in self.registered_collections:
            return
        super()._reschedule(node)
        while not node.shutting_down and self._pending_of(self.assigned_work[node]) < 2:
            super()._reschedule(node)


@cache
def group(file: Path) -> str | None:
    """Read from the text: who hands out turns knows tests by name, and pytest 9.2 lets no plug-in put a group into it."""
    found = GROUP.search(file.read_text())
    return found and found[1]


@cache
def turn(file: Path) -> str | None:
    """The group of the file, with the number of its part where the group has parts."""
    name = group(file)
    parts = PARTS.get(name or "", 1)
    return name if parts == 1 else f"{name} {crc32(file.name.encode()) % parts + 1}"


def in_turn(items: list[Any]) -> None:
    """Groups come first, then what is slow, and large turns before small: nobody is left alone with much at the end.

    Slow are tests with that mark, and all tests of files that `bin/test --fast` leaves out. The files of a folder stay
    together in a group, because their fixtures end with the folder.
    """

    def folder(item: Any) -> str:
        return str(Path(item.path).parent) if item.get_closest_marker("xdist_group") else ""

    turns = {path: turn(Path(path)) or path for path in {item.path for item in items}}
    sizes, files = Counter(turns[item.path] for item in items), Counter(item.path for item in items)
    left_out = {path for path in turns if group_of(Path(path))}
    items.sort(
        key=lambda item: (
            item.get_closest_marker("xdist_group") is None,
            item.get_closest_marker("slow") is None and item.path not in left_out,
            -sizes[turns[item.path]],
            folder(item),
            -files[item.path],
        )
    )


@pytest.hookimpl(optionalhook=True, tryfirst=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Turns | None:
    """Where `--dist loadgroup` asks for groups."""
    if config.getvalue("dist") != "loadgroup":
        return None
    config.option.loadscopereorder = False
    return Turns(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[Any]) -> None:
    """A process that tests alone keeps the order of the files."""
    if hasattr(config, "workerinput"):
        in_turn(items)
