"""Whatever a file has in the place of a value, it is planned or refused with a line, and never ends in an error."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from inbox.api.configuration import application, exports, yaml_documents
from inbox.api.configuration.files import FilesRefused
from inbox.api.configuration.yaml_documents import FileFault
from tests.api.configuration.workspaces import furnish, run
from tests.cast import Cast, join, make_workspace

ODD: list[Any] = [5, "x", [], {}, None, [[]], {"a": [1]}, True, -1, "${PAGER_SECRET}", 10**17, ["x", {}], "é" * 3000]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all values of a document."""
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, inner in members:
        yield (*path, name)
        yield from places(inner, (*path, name))


def replaced(document: Any, path: tuple[Any, ...], odd: Any) -> Any:
    changed = copy.deepcopy(document)
    node = changed
    for name in path[:-1]:
        node = node[name]
    node[path[-1]] = odd
    return changed


@pytest.mark.slow
def test_an_odd_value_anywhere_is_planned_or_refused_with_a_line(cast: Cast, tmp_path: Path) -> None:
    furnish(cast)
    document, file = exports.export(cast.workspace.id), tmp_path / "acme.yaml"
    join(cast.foreign, cast.users["olga"], "admin")
    join(cast.foreign, cast.users["mia"], "member")
    values, refused = cycle(ODD), 0

    for path in places(document):
        for odd in (next(values), next(values)):
            file.write_text(yaml_documents.write(replaced(document, path, odd)))
            for workspace in (cast.foreign, cast.workspace):
                try:
                    run(workspace, file, application.plan, previews=True)
                except FilesRefused as found:
                    refused += 1
                    assert all(each.line >= 1 and each.detail for each in found.faults), (path, odd)

    assert refused > 100


@pytest.mark.parametrize("text", [r'a: "\0"', r'"\0": 1', r'a: "\ud800"', "a: \x07", "a: \x00"])
def test_a_text_that_cannot_be_stored_is_refused(text: str) -> None:
    with pytest.raises(FileFault):
        yaml_documents.read(text)


def test_a_plan_of_another_workspace_names_nothing_of_this_one(cast: Cast, tmp_path: Path) -> None:
    furnish(cast)
    file = tmp_path / "acme.yaml"
    file.write_text(yaml_documents.write(exports.export(cast.workspace.id)))
    other = make_workspace("Other", eve=cast.users["eve"])

    with pytest.raises(FilesRefused) as found:
        run(other, file, application.plan)

    assert {
        "No member of the workspace has the address olga@example.org." in str(each) for each in found.value.faults
    } == {True, False}
