"""A reader stops where a plan is full, and examines nothing after it (specification 22.2)."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from inbox.domain.routing.matchers.tree import CLAUSES_LIMIT
from inbox.intake.importers import alertmanager, alertmanager_silences
from inbox.intake.importers.import_kind import Options
from inbox.intake.importers.plan import MAX_ITEMS, MAX_SETUP_ITEMS, MOST_LEFT_OUT, ItemKind, Plan
from inbox.intake.importers.registry import KINDS
from tests.intake.importers.rotas import SPRING

FULL = f"Only the first {MAX_ITEMS} entries are read."
ENOUGH_LEFT_OUT = f"{MOST_LEFT_OUT:,} entries are left out. The entries after them are not read."


class CountedEntry(dict[str, Any]):
    """An entry that counts how many of its kind are examined."""

    examined = 0

    def get(self, *args: Any) -> Any:
        if args[0] in ("id", "uuid"):
            CountedEntry.examined += 1
        return super().get(*args)


CHECKS = [{"uuid": f"u{n}", "name": "x", "timeout": 3600} for n in range(5_000)]
APPLICATIONS = [{"id": n, "name": f"x{n}"} for n in range(5_000)]
MONITORS = [{"id": n, "name": "x", "type": "push", "interval": 60} for n in range(5_000)]
INTEGRATIONS = [{"id": f"i{n}", "name": f"x{n}", "type": "API", "enabled": True} for n in range(5_000)]


def read(kind: str, entries: list[dict[str, Any]]) -> Plan:
    members = [CountedEntry(each) for each in entries]
    CountedEntry.examined = 0
    match kind:
        case "healthchecks":
            return KINDS[kind].read_answers({"/api/v3/checks/": {"checks": members}})  # type: ignore[misc]
        case "gotify":
            return KINDS[kind].read_answers({"/application": members})  # type: ignore[misc]
        case "oncall":
            answers = {"/api/v1/integrations/": {"results": members}, "/api/v1/routes/": {"results": []}}
            return KINDS[kind].read_setup(answers, SPRING)  # type: ignore[misc]
        case _:
            answers = {"/v2/integrations": {"data": members}, "/v2/heartbeats": {"data": {"heartbeats": []}}}
            return KINDS[kind].read_setup(answers, SPRING)  # type: ignore[misc]


@pytest.mark.parametrize(
    ("kind", "entries", "monitors"),
    [
        ("healthchecks", CHECKS, 1),
        ("gotify", APPLICATIONS, 0),
        ("oncall", INTEGRATIONS, 0),
        ("opsgenie", INTEGRATIONS, 0),
    ],
)
@pytest.mark.parametrize("above", [-1, 0, 1, 4_000])
def test_a_reader_examines_no_entry_after_the_last_item(
    kind: str, entries: list[dict[str, Any]], monitors: int, above: int
) -> None:
    most = MAX_SETUP_ITEMS if kind in ("opsgenie", "oncall") else MAX_ITEMS
    count = most - monitors + above

    made = read(kind, entries[:count])

    assert len(made.items) == min(most, count + monitors)
    assert (f"Only the first {most:,} entries are read." in made.warnings) is (above > 0)
    per_entry = 2 if kind == "oncall" else 1
    assert CountedEntry.examined <= per_entry * (most - monitors + 1)


@pytest.mark.parametrize("above", [-1, 0, 1, 1_000])
def test_a_reader_stops_after_so_many_entries_that_become_nothing(above: int) -> None:
    made = read("gotify", [{"id": n} for n in range(MOST_LEFT_OUT + above)])

    assert CountedEntry.examined == min(MOST_LEFT_OUT, MOST_LEFT_OUT + above)
    assert (ENOUGH_LEFT_OUT in made.warnings) is (above > 0)


def test_a_backup_of_uptime_kuma_is_read_to_the_last_item() -> None:
    document = json.dumps({"monitorList": MONITORS})

    made = KINDS["uptime_kuma"].read_text(document, Options())  # type: ignore[misc]

    assert len(made.items) == MAX_ITEMS and FULL in made.warnings


@pytest.mark.parametrize("count", [CLAUSES_LIMIT - 1, CLAUSES_LIMIT, CLAUSES_LIMIT + 1])
@pytest.mark.parametrize("above", [0, 30])
def test_the_matchers_of_a_route_include_the_ones_above_it(count: int, above: int) -> None:
    route = {
        "receiver": "x",
        "matchers": [f"a{n}=x" for n in range(above)],
        "routes": [{"matchers": [f"b{n}=x" for n in range(count - above)]}],
    }

    made = alertmanager.read(yaml.safe_dump({"route": route}))

    rules = [item for item in made.items if item.kind is ItemKind.RULE]
    assert len(rules) == (2 if count <= CLAUSES_LIMIT else 1)
    assert [each.reason for each in made.left_out] == (
        []
        if count <= CLAUSES_LIMIT
        else [f"A match has at most {CLAUSES_LIMIT} clauses. The routes below it are left out."]
    )


def test_the_routes_below_one_with_too_many_matchers_are_not_examined() -> None:
    route = {"receiver": "x", "matchers": [f"a{n}=b" for n in range(2_000)], "routes": [{}] * 8_000}

    made = alertmanager.read(yaml.dump({"route": route}, Dumper=_WithoutAliases))

    assert (len(made.items), len(made.left_out)) == (1, 1)


class _WithoutAliases(yaml.SafeDumper):
    def ignore_aliases(self, _: Any) -> bool:
        return True


@pytest.mark.parametrize("count", [CLAUSES_LIMIT - 1, CLAUSES_LIMIT, CLAUSES_LIMIT + 1])
def test_a_silence_has_so_many_matchers(count: int) -> None:
    silence = {
        "id": "s",
        "comment": "Work",
        "status": {"state": "active"},
        "startsAt": "2026-01-01T00:00:00Z",
        "endsAt": "2099-01-01T00:00:00Z",
        "matchers": [{"name": f"a{n}", "value": "x"} for n in range(count)],
    }

    made = alertmanager_silences.read([silence])

    assert len(made.items) - 1 == (1 if count <= CLAUSES_LIMIT else 0)
    assert [each.reason for each in made.left_out] == (
        [] if count <= CLAUSES_LIMIT else [f"A match has at most {CLAUSES_LIMIT} clauses."]
    )
