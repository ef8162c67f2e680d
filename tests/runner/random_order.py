"""A plug-in that runs tests in a random order: the files in one, and the tests of each file in one."""

from __future__ import annotations

import random
from typing import Any

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """The same seed gives the same order, in every process of a run."""
    parser.addoption("--order-seed", type=int, required=True, help="seed of the random order")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[Any]) -> None:
    """The tests of a file stay together, so that fixtures of a module are set up once."""
    items[:] = in_random_order(items, [str(item.path) for item in items], config.getoption("--order-seed"))


def in_random_order(items: list[Any], files: list[str], seed: int) -> list[Any]:
    """The items, whose files are at the same places of `files`."""
    rng = random.Random(seed)
    by_file: dict[str, list[Any]] = {}
    for item, file in zip(items, files, strict=True):
        by_file.setdefault(file, []).append(item)
    groups = list(by_file.values())
    rng.shuffle(groups)
    for group in groups:
        rng.shuffle(group)
    return [item for group in groups for item in group]
