"""Whose turn it is where several processes test: a file stays in one of them, and what waits for services comes first."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

GROUP = re.compile(r'^pytestmark = .*\bpytest\.mark\.xdist_group\("(\w+)"\)', re.MULTILINE)


class Turns(LoadScopeScheduling):  # type: ignore[misc]
    """A turn is all files of an `xdist_group`, or one other file: what is set up for it is set up once."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return group(self.config.rootpath / file) or file


@cache
def group(file: Path) -> str | None:
    """Read from the text: who hands out turns knows tests by name, and pytest 9.2 lets no plug-in put a group into it."""
    found = GROUP.search(file.read_text())
    return found and found[1]


def in_turn(items: list[Any]) -> None:
    """Groups come first, then what is slow, then large files before small: nobody is left alone with much at the end."""
    sizes = Counter(item.path for item in items)
    items.sort(
        key=lambda item: (
            item.get_closest_marker("xdist_group") is None,
            item.get_closest_marker("slow") is None,
            -sizes[item.path],
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
