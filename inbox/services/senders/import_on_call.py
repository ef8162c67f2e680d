"""Creates the people, schedules and profiles of an import (specification 22.12)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from inbox.domain.oncall import stored
from inbox.domain.oncall.schedule import Layer
from inbox.domain.values import times
from inbox.domain.workspaces.roles import Role
from inbox.intake.importers.people import typeid
from inbox.intake.importers.plan import Item, ItemKind
from inbox.models.deliveries.destinations import Destination
from inbox.models.oncall.schedules import OnCallSchedule
from inbox.models.people.members import active_by_email
from inbox.models.records import imports as queries
from inbox.services.oncall import overrides, schedules
from inbox.services.oncall.editors import Editor
from inbox.services.people import contact_offers
from inbox.services.people.contact_methods import EMAIL
from inbox.services.routing import profiles

LONGEST_DESCRIPTION, LONGEST_NAME = 500, 100

NO_MEMBER = "No member has this mail address. Turns stay empty unless the person joins before the import."
NO_PROFILE = "Its profile would page nobody and is not created. The default route decides who is notified."
MALFORMED = "Contact methods with an invalid address or number are not offered: {}."
MOST_OFFERED = f"At most {contact_offers.MAX_UNCONFIRMED} contact methods are offered."
NO_PROVIDER = "The workspace has no provider for SMS or calls, so numbers are not offered."


@dataclass(frozen=True, slots=True)
class Matches:
    """The members whom the people of a plan are: by reference, and by the placeholder in schedules."""

    by_reference: Mapping[str, UUID]
    by_placeholder: Mapping[str, UUID]
    providers: Mapping[str, Destination]
    """The provider of the workspace for each kind of number that can be offered."""

    empty_profiles: frozenset[str] = frozenset()
    """The references of the profiles that would page nobody."""

    @classmethod
    def of(cls, workspace_id: UUID, items: Sequence[Item]) -> Matches:
        """Return the active members with the mail addresses of these people."""
        people = [item for item in items if item.kind is ItemKind.PERSON]
        members = active_by_email(workspace_id, [_key(item) for item in people])
        found = {item.reference: members[_key(item)] for item in people if _key(item) in members}
        placeholders = {typeid(reference): user for reference, user in found.items()}
        made = cls(found, placeholders, contact_offers.providers(workspace_id))
        escalations = (item for item in items if item.kind is ItemKind.PROFILE)
        return replace(
            made, empty_profiles=frozenset(each.reference for each in escalations if not made.is_matched(each))
        )

    def is_matched(self, item: Item) -> bool:
        """Return whether a person is a member, and whether a step of a profile has somebody to page."""
        match item.kind:
            case ItemKind.PERSON:
                return item.reference in self.by_reference
            case ItemKind.PROFILE:
                return any(self._reaches(each) for step in item.fields["steps"] for each in step["people"])
            case _:
                return True

    def warnings(self, item: Item) -> list[str]:
        """Return what is missing in this workspace for an item."""
        match item.kind:
            case ItemKind.PERSON if not self.is_matched(item):
                return [NO_MEMBER]
            case ItemKind.PERSON:
                return list(self._not_offered(item.fields["contacts"]))
            case ItemKind.SCHEDULE:
                absent = self.absent(item)
                return [f"No members, so their turns stay empty: {', '.join(absent)}."] if absent else []
            case ItemKind.RULE if item.fields.get("target") in self.empty_profiles:
                return [NO_PROFILE]
            case ItemKind.PROFILE if not all(
                any(self._reaches(each) for each in step["people"]) for step in item.fields["steps"]
            ):
                return ["A step names no member and no schedule. It is left out."]
            case _:
                return []

    def absent(self, item: Item) -> list[str]:
        """Return the names of the people of a schedule who are no members."""
        people: Mapping[str, str] = item.fields["people"]
        return sorted(name for id, name in people.items() if id not in self.by_placeholder)

    def users(self, placeholders: Iterable[str]) -> list[UUID]:
        """Return the members of these placeholders, each once."""
        found = (self.by_placeholder.get(each) for each in placeholders)
        return list(dict.fromkeys(user for user in found if user is not None))

    def _not_offered(self, contacts: Sequence[Mapping[str, str]]) -> Iterator[str]:
        """Yield why contact methods are not offered, whatever the member has already."""
        unusable = [each for each in contacts if not contact_offers.is_usable(each, self.providers.get(each["kind"]))]
        without = [each for each in unusable if each["kind"] != EMAIL and each["kind"] not in self.providers]
        if without:
            yield NO_PROVIDER
        if malformed := Counter(each["kind"] for each in unusable if each not in without):
            yield MALFORMED.format(", ".join(f"{count} {kind}" for kind, count in sorted(malformed.items())))
        if len(contacts) - len(unusable) > contact_offers.MAX_UNCONFIRMED:
            yield MOST_OFFERED

    def _reaches(self, reference: str) -> bool:
        return reference in self.by_reference or ":schedule:" in reference


def create_schedule(workspace_id: UUID, item: Item, matches: Matches, *, by: UUID | None, now: datetime) -> UUID:
    """Create a schedule with its overrides. The turns of people who are no members are empty, and name them."""
    fields = {
        "name": _free_name(workspace_id, item.name),
        "description": _description(item, matches),
        "timezone": item.fields["timezone"],
        "layers": [_layer(each, item.fields["timezone"], matches) for each in item.fields["layers"]],
    }
    schedule = schedules.create(workspace_id, fields, now=now)
    for place, each in enumerate(item.fields["overrides"]):
        override, created_at = _override(each, schedule, matches), now + place * timedelta.resolution
        if override is not None and override["ends_at"] > created_at:  # the last one created counts
            overrides.create(schedule, override, by=Editor(by, Role.ADMIN), now=created_at)
    return schedule.id


def create_profile(
    workspace_id: UUID, item: Item, matches: Matches, records: Mapping[str, UUID], *, now: datetime
) -> UUID:
    """Create a profile. A step without anybody is left out."""
    steps = [
        {"after_minutes": step["afterMinutes"], "min_severity": None, "destination_ids": [], "people": people}
        for step in item.fields["steps"]
        if (people := list(filter(None, (_target(each, matches, records) for each in step["people"]))))
    ]
    fields = {"name": item.name, "steps": steps, "repeat": item.fields["repeat"]}
    return profiles.create(workspace_id, fields, now=now).id


def route_actions(target: str | None, records: Mapping[str, UUID]) -> dict[str, Any]:
    """Return the recipients of a rule: a profile, or a schedule. Those that were not created are left out."""
    found = records.get(target or "")
    if found is None:
        return {}
    return {"people": [{"schedule_id": found}]} if ":schedule:" in str(target) else {"routing_profile_id": found}


def _target(reference: str, matches: Matches, records: Mapping[str, UUID]) -> dict[str, UUID] | None:
    if reference in matches.by_reference:
        return {"user_id": matches.by_reference[reference]}
    return {"schedule_id": records[reference]} if reference in records else None


def _layer(record: Mapping[str, Any], timezone: str, matches: Matches) -> dict[str, Any]:
    """Return a layer as a request has it, with the members in place of the placeholders."""
    [layer] = stored.layers_of([record], timezone)
    return {
        "name": layer.name,
        "level": layer.level,
        "timezone": record["timezone"],
        "start": layer.start,
        "unit": record["unit"],
        "every": layer.every,
        "members": [matches.users(turn) for turn in record["members"]],
        "windows": record["windows"],
        "from_": layer.begins_at,
        "until": layer.ends_at,
        "counts": record["counts"],
    }


def _override(record: Mapping[str, Any], schedule: OnCallSchedule, matches: Matches) -> dict[str, Any] | None:
    """Return an override as a request has it; None for one whose people are no members."""
    users, instead_of = matches.users(record["userIds"]), record["insteadOf"]
    if record["userIds"] and not users:
        return None
    if instead_of and instead_of not in matches.by_placeholder:
        return None
    layers: Sequence[Layer] = stored.layers_of(schedule.layers, schedule.timezone)
    return {
        "kind": record["kind"],
        "starts_at": times.parse(record["startsAt"]),
        "ends_at": times.parse(record["endsAt"]),
        "user_ids": users,
        "instead_of": matches.by_placeholder.get(instead_of or ""),
        "layer_ids": [layers[place].id for place in record["layers"]],
        "reason": "Imported",
    }


def _description(item: Item, matches: Matches) -> str:
    """Return the description with the names of the people whose turns are empty."""
    absent, given = matches.absent(item), str(item.fields["description"])
    if not absent:
        return given
    positions = [
        f"{layer['name']}, turn {number}: {item.fields['people'][id]}"
        for layer in item.fields["layers"]
        for number, turn in enumerate(layer["members"], 1)
        for id in turn
        if id not in matches.by_placeholder
    ]
    text = f"Empty turns of people who are no members: {'; '.join(positions) or ', '.join(absent)}."
    return f"{text} {given}".strip()[:LONGEST_DESCRIPTION]


def _free_name(workspace_id: UUID, name: str) -> str:
    """Return the name, with a number when another schedule of the workspace has it."""
    used, number, found = queries.names(workspace_id, ItemKind.SCHEDULE), 1, name
    while found.lower() in used:
        number += 1
        found = f"{name[: LONGEST_NAME - 6]} ({number})"
    return found


def _key(item: Item) -> str:
    return str(item.fields["email"]).strip().casefold()
