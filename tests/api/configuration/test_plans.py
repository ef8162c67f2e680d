"""A plan names each change with its values, and what people changed by hand (specification 24.2)."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from inbox.api.configuration import application
from inbox.api.configuration.files import FilesRefused
from inbox.api.configuration.plan import Plan
from inbox.domain.values import times
from inbox.models.records.audit import AuditEntry
from inbox.models.records.kept import KeptRecord
from inbox.models.routing.rules import Rule
from inbox.models.senders.sources import Source
from inbox.services.routing import profiles, rules
from inbox.services.senders import sources
from tests.api.configuration.workspaces import exported, run
from tests.cast import Cast, present

BEGINNING = "version: 1\n"
DESTINATION = """destinations:
  pager:
    name: Pager
    kind: webhook
    config:
      url: http://127.0.0.1:9/hook
      secret: ${PAGER_SECRET}
"""
PROFILE = "routingProfiles:\n  on-call:\n    name: On call\n    steps: [{afterMinutes: 5, destinationIds: [pager]}]\n"
RULES = "rules:\n"


def rule(key: str, name: str = "") -> str:
    return f"  {key}:\n    name: {name or key}\n    matchText: severity >= ERROR\n    then: {{disposition: incident}}\n"


def by_hand(cast: Cast, name: str, **fields: object) -> None:
    """A rule that a person created."""
    rule = {"name": name, "match_text": "severity >= ERROR", "then": {"disposition": "incident"}, **fields}
    rules.create(cast.workspace.id, rule, now=present())


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "acme.yaml"


def applied(cast: Cast, file: Path, text: str, **options: object) -> list[str]:
    """The lines of the plan, which is then applied with the same result."""
    file.write_text(BEGINNING + text)
    planned: Plan = run(cast.workspace, file, application.plan, **options)
    done: Plan = run(cast.workspace, file, **options)
    assert list(done.lines()) == list(planned.lines())
    return [line.strip() for line in planned.lines()]


def test_a_change_is_named_with_its_values(cast: Cast, file: Path) -> None:
    applied(cast, file, DESTINATION + PROFILE)

    lines = applied(cast, file, DESTINATION + PROFILE.replace("afterMinutes: 5", "afterMinutes: 7"))

    assert lines[:2] == ["change   routingProfiles.on-call “On call”", "steps.0.afterMinutes: 5 → 7"]


def test_a_field_that_the_file_no_longer_has_gets_its_default(cast: Cast, file: Path) -> None:
    applied(cast, file, RULES + rule("r") + "    enabled: false\n")

    assert "enabled: false → true" in applied(cast, file, RULES + rule("r"))


def test_another_spelling_of_the_same_values_changes_nothing(cast: Cast, file: Path) -> None:
    applied(cast, file, "sources:\n  s: {name: S, defaultSeverity: WARNING}\n" + RULES + rule("r"))
    before = Source.get(Source.name == "S").rev

    other = rule("r").replace("severity >= ERROR", "severity  >= error").replace("name: r", "name: ' r '")
    lines = applied(cast, file, "sources:\n  s: {name: S, defaultSeverity: warn, groupBy: []}\n" + RULES + other)

    assert lines == ["Nothing to change."]
    assert (Source.get(Source.name == "S").rev, Rule.get().rev) == (before, 1)


def test_a_record_that_the_file_no_longer_has_is_deleted_and_those_of_people_stay(cast: Cast, file: Path) -> None:
    applied(cast, file, RULES + rule("r"))
    by_hand(cast, "By hand")

    assert applied(cast, file, "rules: {}\n")[0] == "delete   rules.r “r”"
    assert [each.name for each in rules.existing([cast.workspace.id])] == ["By hand"]
    assert KeptRecord.select().count() == 0


def test_prune_also_deletes_the_records_of_people_in_the_sections_of_the_files(cast: Cast, file: Path) -> None:
    by_hand(cast, "By hand")

    lines = applied(cast, file, RULES + rule("r"), prune=True)

    assert "A person created it." in lines and lines[-1] == "1 to create, 1 to delete."
    assert [each.name for each in rules.existing([cast.workspace.id])] == ["r"]
    assert sources.existing([cast.workspace.id]).count() == 1


def test_changes_by_hand_are_named_and_set_back(cast: Cast, file: Path) -> None:
    applied(cast, file, RULES + rule("r", "Databases"))
    rules.edit(Rule.get(), {"name": "Mine"}, expected_rev=None, now=present())

    lines = applied(cast, file, RULES + rule("r", "Databases"))

    assert lines[1:3] == ['name: "Mine" → "Databases"', "Changed by hand: name."]
    assert Rule.get().name == "Databases"


def test_a_record_that_was_deleted_by_hand_is_created_again(cast: Cast, file: Path) -> None:
    applied(cast, file, RULES + rule("r"))
    rules.remove(Rule.get(), expected_rev=None, now=present())

    assert applied(cast, file, RULES + rule("r"))[:2] == ["create   rules.r “r”", "Deleted by hand."]


def test_files_of_another_name_keep_their_records(cast: Cast, file: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.yaml"
    applied(cast, other, DESTINATION)

    lines = applied(cast, file, PROFILE)

    assert lines[0] == "create   routingProfiles.on-call “On call”"
    assert applied(cast, other, DESTINATION) == ["Nothing to change."]


def test_a_file_of_a_new_name_takes_over_its_records(cast: Cast, file: Path, tmp_path: Path) -> None:
    applied(cast, tmp_path / "old.yaml", RULES + rule("r"))

    assert applied(cast, file, RULES + rule("r"))[:2] == ["adopt    rules.r “r”", "old.yaml kept it."]
    assert KeptRecord.get().file == "acme.yaml"


def test_a_person_s_record_of_the_same_name_is_adopted(cast: Cast, file: Path) -> None:
    by_hand(cast, "Mine", match_text="severity >= INFO")

    lines = applied(cast, file, RULES + rule("r", "Mine"))

    assert lines[0] == "change   rules.r “Mine”"
    assert "A person created it. The file keeps it from now on." in lines
    assert Rule.select().count() == 1


def test_rules_get_the_order_of_the_file_around_those_of_people(cast: Cast, file: Path) -> None:
    applied(cast, file, RULES + rule("a") + rule("b"))
    by_hand(cast, "mine", position=2)

    lines = applied(cast, file, RULES + rule("b") + rule("c") + rule("a"))

    order = [each.name for each in rules.existing([cast.workspace.id]).order_by(Rule.position)]
    assert order == ["b", "mine", "c", "a"]
    assert "New order: b, c, a." in lines


def test_a_profile_that_is_still_used_cannot_be_deleted(cast: Cast, file: Path) -> None:
    applied(cast, file, DESTINATION + PROFILE)
    profile = profiles.existing([cast.workspace.id]).get()
    sources.edit(cast.source, {"routing_profile_id": profile.id}, expected_rev=None, now=present())

    with pytest.raises(FilesRefused, match="on-call cannot be deleted: Still used by the source “Prometheus”"):
        applied(cast, file, DESTINATION)


def test_a_plan_names_what_a_deleted_destination_was_told_by(cast: Cast, file: Path) -> None:
    applied(cast, file, DESTINATION)
    by_hand(cast, "Mine", then={"disposition": "incident", "destination_ids": [KeptRecord.get().record_id]})

    assert "the rule “Mine” no longer notify it." in applied(cast, file, "")


def test_the_kind_of_a_destination_cannot_change(cast: Cast, file: Path) -> None:
    applied(cast, file, DESTINATION)
    other = DESTINATION.replace("webhook", "ntfy").replace("url: http://127.0.0.1:9/hook", "topic: abcdefgh")
    other = other.replace("      secret: ${PAGER_SECRET}\n", "")

    with pytest.raises(FilesRefused, match=r"acme.yaml:5: destinations.pager.kind: Cannot be changed"):
        applied(cast, file, other)


def test_an_application_is_in_the_audit_log_with_its_numbers(cast: Cast, file: Path) -> None:
    applied(cast, file, RULES + rule("r"))

    entry = AuditEntry.get(AuditEntry.action == "workspace.files_applied")
    assert entry.details == {"file": "acme.yaml", "create": 1}
    assert AuditEntry.select().where(AuditEntry.action == "rule.created").count() == 1


def test_a_workspace_keeps_what_the_file_leaves_out(cast: Cast, file: Path) -> None:
    applied(cast, file, "workspace:\n  timezone: Europe/Berlin\n  settings: {autoResolveMinutes: 60}\n")

    lines = applied(cast, file, "workspace:\n  settings: {renotifyMax: 3}\n")

    assert lines[1:3] == ["settings.renotifyMax: nothing → 3", "settings.autoResolveMinutes: 60 → nothing"]
    assert applied(cast, file, "workspace:\n  timezone: Europe/Berlin\n")[0] == "Nothing to change."


def test_people_take_turns_in_the_order_of_the_file_from_who_is_on_call_now(cast: Cast, file: Path) -> None:
    layer = "unit: week, every: 1, start: 2026-01-05T09:00"
    schedule = f"schedules:\n  s:\n    name: S\n    timezone: UTC\n    layers:\n    - {{name: Weeks, {layer}, members: "
    people = [f"[{name}@example.org]" for name in ("olga", "mia", "adam")]
    applied(cast, file, f"{schedule}[{', '.join(people)}]}}\n")

    changed = applied(cast, file, f"{schedule}[{', '.join(reversed(people))}]}}\n")

    assert changed[0] == "change   schedules.s “S”"
    assert applied(cast, file, f"{schedule}[{', '.join(reversed(people))}]}}\n") == ["Nothing to change."]


STEPS = "steps:\n    - afterMinutes: 5\n      destinationIds:\n      - pager"
"""One step, as an export writes it."""

MINIMAL = """sources:
  s:
    name: S
rules:
  r:
    name: R
    matchText: severity >= ERROR
    then:
      disposition: incident
silences:
  q:
    comment: Q
    matchText: severity >= ERROR
    startsAt: '{start}'
    endsAt: '{end}'
    recurrence:
      rrule: FREQ=DAILY
      timezone: UTC
      durationMinutes: 5
heartbeatMonitors:
  m:
    name: M
    sourceId: s
    schedule:
      kind: simple
      periodSeconds: 60
    graceSeconds: 300
views:
  v:
    name: V
    list: incidents
    filters: {{}}
"""


def test_an_export_leaves_out_what_is_the_default(cast: Cast, file: Path) -> None:
    sources.remove(cast.source, expected_rev=None, now=present())
    start, end = (times.rfc3339(present() + timedelta(days=days)) for days in (1, 30))
    records = (DESTINATION + PROFILE.replace("steps: [{afterMinutes: 5, destinationIds: [pager]}]", STEPS)) + MINIMAL
    text = records.format(PAGER_SECRET="{PAGER_SECRET}", start=start, end=end)

    applied(cast, file, text)

    assert exported(cast.workspace).partition("destinations:\n")[2] == text.partition("destinations:\n")[2]
