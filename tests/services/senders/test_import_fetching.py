"""A whole set-up is read from an API within limits (specification 22.12)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest

from inbox.destinations.http import CallResult
from inbox.domain.deliveries.delivery import Receipt
from inbox.domain.values.refusals import TooCostly, ValidationFailed
from inbox.intake.importers.import_kind import ImportKind
from inbox.intake.importers.registry import KINDS
from inbox.runtime import work_budget
from inbox.services.senders.import_fetching import Limits, fetch
from tests.intake.importers.rotas import SPRING

OPSGENIE = KINDS["opsgenie"]
FIRST = 6
"""The first paths of Opsgenie."""


@pytest.fixture(autouse=True)
def no_budget_afterwards() -> Iterator[None]:
    yield
    work_budget.end()


def server(answers: dict[str, Any], calls: list[str]) -> Callable[[str], CallResult]:
    """An API that answers these paths, and otherwise an empty list."""

    def call(path: str) -> CallResult:
        calls.append(path)
        found = answers.get(path, {"data": []})
        if isinstance(found, int):
            return CallResult(Receipt(status_code=found, retry_after=timedelta()))
        return CallResult(Receipt(status_code=200), json.dumps(found).encode())

    return call


def refused(answers: dict[str, Any], limits: Limits, kind: ImportKind = OPSGENIE) -> tuple[str, str]:
    with pytest.raises(ValidationFailed) as found:
        fetch(kind, server(answers, []), SPRING, limits)
    [fault] = found.value.errors
    return fault.pointer, fault.detail


def test_each_path_is_called_once_and_pages_lead_to_pages() -> None:
    calls: list[str] = []
    pages = {
        "/v2/users?limit=100": {"paging": {"next": "https://evil.example/v2/secrets?limit=100&offset=100"}},
        "/v2/users?limit=100&offset=100": {"paging": {"next": "https://api.opsgenie.com/v2/users?limit=100"}},
    }

    answers = fetch(OPSGENIE, server(pages, calls), SPRING, Limits())

    assert sorted(calls) == sorted(set(calls)) == sorted(answers)
    assert "/v2/users?limit=100&offset=100" in calls
    assert not any("evil" in path or "secrets" in path for path in calls)


@pytest.mark.parametrize(("most", "is_read"), [(FIRST - 1, False), (FIRST, True), (FIRST + 1, True)])
def test_requests_are_bounded(most: int, *, is_read: bool) -> None:
    limits = Limits(requests=most)

    if is_read:
        assert len(fetch(OPSGENIE, server({}, []), SPRING, limits)) == FIRST
    else:
        assert refused({}, limits)[0] == "/address"


@pytest.mark.parametrize(("more", "is_read"), [(-1, False), (0, True), (1, True)])
def test_the_bytes_of_all_answers_are_bounded(more: int, *, is_read: bool) -> None:
    limits = Limits(total_bytes=FIRST * len(b'{"data": []}') + more)

    if is_read:
        assert len(fetch(OPSGENIE, server({}, []), SPRING, limits)) == FIRST
    else:
        assert "bytes" in refused({}, limits)[1]


def test_too_many_requests_end_when_the_time_ends() -> None:
    assert refused({"/v2/integrations": 429}, Limits(seconds=0.2)) == (
        "/address",
        "Reading it takes more than 0.2 s. Read it with `bin/inbox import KIND URL --save FILE` and import the file.",
    )


@pytest.mark.parametrize("status", [401, 403, 404, 500])
def test_a_part_that_must_be_answered_is_a_fault_when_it_is_refused(status: int) -> None:
    pointer = "/token" if status in (401, 403) else "/address"

    assert refused({"/v2/integrations": status}, Limits())[0] == pointer


@pytest.mark.parametrize(("status", "is_empty"), [(403, True), (404, True), (401, False), (500, False), (502, False)])
def test_a_refused_part_is_empty_and_a_failure_is_a_fault(status: int, *, is_empty: bool) -> None:
    if is_empty:
        assert fetch(OPSGENIE, server({"/v2/teams": status}, []), SPRING, Limits())["/v2/teams"] == b""
    else:
        assert refused({"/v2/teams": status}, Limits())[0] in ("/address", "/token")


def test_a_server_that_names_endless_parts_spends_the_budget_of_the_request() -> None:
    many = {"data": [{"id": f"u{number}"} for number in range(5_000)]}
    work_budget.begin(0.02)

    with pytest.raises(TooCostly):
        fetch(OPSGENIE, server({"/v2/users?limit=100": many}, []), SPRING, Limits(requests=50_000))
