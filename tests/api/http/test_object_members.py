"""An object of a body has a bounded number of members, which is checked before the first of them is read (specification 2.2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import marshmallow as ma
import pytest

from inbox.api.http.schemas.base import MOST_MEMBERS, BoundedDict
from inbox.api.people.schemas.preferences import MAX_WORKSPACES
from tests.browser import Browser
from tests.cast import Cast, typeid

Browsers = Callable[[str], Browser]

TOO_MANY = "Must have at most 1,000 members."


def faults(answer: Any) -> list[tuple[str, str]]:
    assert answer.status_code == 422, answer.json
    return [(each["pointer"], each["detail"]) for each in answer.json["errors"]]


@pytest.mark.parametrize(
    ("count", "is_read"), [(MOST_MEMBERS - 1, True), (MOST_MEMBERS, True), (MOST_MEMBERS + 1, False)]
)
def test_a_body_has_so_many_members(browser: Browsers, count: int, is_read: bool) -> None:
    found = faults(browser("mia").post("/v1/rules/parse", {f"x{n}": n for n in range(count)}))

    assert (("", TOO_MANY) in found) is not is_read
    assert (len(found) == 1) is not is_read


@pytest.mark.parametrize(
    ("count", "is_read"), [(MOST_MEMBERS - 1, True), (MOST_MEMBERS, True), (MOST_MEMBERS + 1, False)]
)
@pytest.mark.parametrize(
    ("path", "name"),
    [("views", "filters"), ("sources", "mapping"), ("heartbeat-monitors", "schedule"), ("rules", "then")],
)
def test_an_object_of_a_body_has_so_many_members(
    browser: Browsers, cast: Cast, path: str, name: str, count: int, is_read: bool
) -> None:
    body = {"workspaceId": typeid("wsp", cast.workspace.id), name: {f"x{n}": n for n in range(count)}}

    found = faults(browser("olga").post(f"/v1/{path}", body))

    assert ((f"/{name}", TOO_MANY) in found) is not is_read
    assert any(pointer.startswith(f"/{name}/x") for pointer, _ in found) is is_read


@pytest.mark.parametrize(
    ("count", "is_read"), [(MAX_WORKSPACES - 1, True), (MAX_WORKSPACES, True), (MAX_WORKSPACES + 1, False)]
)
def test_preferences_of_too_many_workspaces_are_not_read(browser: Browsers, count: int, is_read: bool) -> None:
    entries = {f"x{n}": {"unknown": 1} for n in range(count)}

    found = faults(browser("mia").patch("/v1/me/preferences", {"perWorkspace": entries}))

    assert ([pointer for pointer, _ in found] == ["/perWorkspace"]) is not is_read


def test_the_members_of_an_object_that_has_too_many_are_not_read() -> None:
    read = []

    class Name(ma.fields.Field[Any]):
        def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
            read.append(value)
            return value

    with pytest.raises(ma.ValidationError):
        BoundedDict(keys=Name(), validate=ma.validate.Length(max=3)).deserialize(dict.fromkeys("abcd"))

    assert read == []
    assert BoundedDict(keys=Name(), validate=ma.validate.Length(max=3)).deserialize(dict.fromkeys("abc")) is not None
