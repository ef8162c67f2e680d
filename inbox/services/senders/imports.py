"""Imports: preview a plan, and create its records in one transaction (specification 22)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from inbox.domain.senders.keys import SenderKeyKind
from inbox.domain.values.refusals import Fault, ValidationFailed
from inbox.flow.unit_of_work import joined_work
from inbox.intake.importers.plan import Item, ItemKind, Plan
from inbox.models.heartbeats import slugs as slugs_of
from inbox.models.records import imports as queries
from inbox.models.records.imports import Imported
from inbox.models.routing import routing_config
from inbox.runtime import work_budget
from inbox.services.heartbeats import monitors
from inbox.services.people import contact_offers
from inbox.services.routing import rules, silences
from inbox.services.senders import import_on_call, keys, sources
from inbox.services.senders.import_on_call import Matches

READING_SECONDS = 10.0
"""Limits the CPU seconds that one request spends on API calls. The process that reads the answers has its own limit."""

CREATION_SECONDS = 10.0
"""Computing time of one request that creates items. 500 monitors take two seconds."""

FEWER = "Import fewer items at a time."
SLUG_IN_USE = "Another monitor of the source has the slug. The monitor gets none."


class ItemStatus(StrEnum):
    """The relation of an item to the records of the workspace."""

    NEW = "new"
    """No record of it exists."""

    SAME_NAME = "same_name"
    """Another record of its kind has its name."""

    IMPORTED = "imported"
    """An earlier import created its record."""

    UNMATCHED = "unmatched"
    """A person who is no member, or a profile that would page nobody. It is not created."""


@dataclass(frozen=True, slots=True)
class PreviewedItem:
    """An item of a plan, with its warnings in this workspace."""

    item: Item
    status: ItemStatus
    warnings: list[str]


@dataclass(frozen=True, slots=True)
class CreatedItem:
    """An item and its record. `token` is the ping token of a new monitor, or the ping key of a new source.

    It is answered once.
    """

    item: Item
    record_id: UUID
    is_new: bool
    token: str = field(default="", repr=False)


def preview(workspace_id: UUID, plan: Plan) -> list[PreviewedItem]:
    """Return how each item relates to the workspace. Nothing is stored."""
    before = queries.imported(workspace_id, [item.reference for item in plan.items])
    used = {kind: queries.names(workspace_id, kind) for kind in {item.kind for item in plan.items}}
    existing = queries.destinations(workspace_id, _destination_names(plan.items))
    slugs = {id: _slugs(id) for id in {each.id for each in before.values() if each.type == ItemKind.SOURCE}}
    matches = Matches.of(workspace_id, plan.items)

    def warnings(item: Item) -> list[str]:
        found = before.get(str(item.source))
        is_new = item.reference not in before
        in_use = [SLUG_IN_USE] if is_new and found and item.fields.get("slug") in slugs[found.id] else []
        return [*item.warnings, *in_use, *_missing(item, existing), *matches.warnings(item)]

    return [
        PreviewedItem(item, _status(item, before, used, matches), warnings(item))
        for item in work_budget.spending(plan.items, FEWER)
    ]


def create(
    workspace_id: UUID, plan: Plan, references: Sequence[str] | None, *, by: UUID | None, now: datetime
) -> list[CreatedItem]:
    """Create the chosen items, without a choice all, and the sources they belong to, in one transaction.

    An item that was imported before is answered as it is, and one without a member is left out. Raises
    `ValidationFailed` for an unknown reference, `TooCostly`, and as the creation of each record; then nothing is created.
    """
    chosen = _chosen(plan, references)
    with joined_work():
        routing_config.bump_revision(workspace_id)
        before = queries.imported(workspace_id, [item.reference for item in chosen])
        matches = Matches.of(workspace_id, plan.items)
        named = queries.destinations(workspace_id, _destination_names(chosen))
        creation = _Creation(workspace_id, named, matches, by, now)
        possible = [item for item in chosen if item.reference in before or matches.is_matched(item)]
        return [_created(item, before, creation) for item in work_budget.spending(possible, FEWER)]


@dataclass(slots=True)
class _Creation:
    """The data that the items of one import share."""

    workspace_id: UUID
    destinations: Mapping[str, UUID]
    matches: Matches
    by: UUID | None
    now: datetime
    records: dict[str, UUID] = field(default_factory=dict)
    """The records by the reference of their item."""

    slugs: dict[UUID, set[str]] = field(default_factory=dict)
    """The slugs in use by the monitors of each source."""


def _chosen(plan: Plan, references: Sequence[str] | None) -> list[Item]:
    items = {item.reference: item for item in plan.items}
    if references is None:
        return list(items.values())
    unknown = [
        Fault(f"/references/{n}", "No item of this import.") for n, each in enumerate(references) if each not in items
    ]
    if unknown:
        raise ValidationFailed(errors=unknown)
    requested = set(references)
    for item in reversed(plan.items):  # an item comes after those that it needs
        if item.reference in requested:
            requested.update(item.needs, [item.source] if item.source is not None else [])
    return [item for item in items.values() if item.reference in requested]


def _created(item: Item, before: Mapping[str, Imported], creation: _Creation) -> CreatedItem:
    found = before.get(item.reference)
    if found is not None:
        creation.records[item.reference] = found.id
        return CreatedItem(item, found.id, is_new=False)
    try:
        record_id, token = _CREATORS[item.kind](item, creation)
    except ValidationFailed as refused:
        faults = [Fault(each.pointer, f"{item.name}: {each.detail}") for each in refused.errors]
        raise ValidationFailed(errors=faults) from None
    creation.records[item.reference] = record_id
    queries.store(creation.workspace_id, item.reference, Imported(str(item.kind), record_id))
    return CreatedItem(item, record_id, is_new=True, token=token)


def _create_source(item: Item, creation: _Creation) -> tuple[UUID, str]:
    fields = {"name": item.name, **item.fields}
    source = sources.create(creation.workspace_id, fields, now=creation.now)
    if item.token:
        keys.take_over(source, "Imported token", item.token, by=creation.by, now=creation.now)
    if not item.has_ping_key:
        return source.id, ""
    _, ping_key = keys.create(source, "Imported slugs", by=creation.by, now=creation.now, kind=SenderKeyKind.PING_KEY)
    return source.id, ping_key


def _create_monitor(item: Item, creation: _Creation) -> tuple[UUID, str]:
    """Create a monitor. It has no slug where another monitor of the source has it."""
    source_id = _source(item, creation)
    if source_id not in creation.slugs:
        creation.slugs[source_id] = _slugs(source_id)
    slugs = creation.slugs[source_id]
    fields = {**item.fields, "source_id": source_id}
    if fields.get("slug") in slugs:
        del fields["slug"]
    elif "slug" in fields:
        slugs.add(fields["slug"])
    monitor, token = monitors.create(creation.workspace_id, fields, now=creation.now)
    if item.is_paused:
        monitors.pause(monitor, expected_rev=None, now=creation.now)
    return monitor.id, token


def _create_rule(item: Item, creation: _Creation) -> tuple[UUID, str]:
    found = [creation.destinations[name.lower()] for name in item.destinations if name.lower() in creation.destinations]
    then = {**item.fields["then"], **({"destination_ids": found} if found else {})}
    fields = {**item.fields, "then": then}
    if "sources" in fields:
        fields["source_ids"] = [creation.records[each] for each in fields.pop("sources")]
        then.update(import_on_call.route_actions(fields.pop("target"), creation.records))
    else:
        fields["source_ids"] = [_source(item, creation)]
    return rules.create(creation.workspace_id, fields, now=creation.now).id, ""


def _create_silence(item: Item, creation: _Creation) -> tuple[UUID, str]:
    fields = {**item.fields, "source_ids": [_source(item, creation)]}
    return silences.create(creation.workspace_id, fields, by=creation.by, now=creation.now).id, ""


def _create_person(item: Item, creation: _Creation) -> tuple[UUID, str]:
    """Offer the contact methods and the rules to the member, and return the account."""
    user_id = creation.matches.by_reference[item.reference]
    contacts, rules = item.fields["contacts"], item.fields["rules"]
    contact_offers.offer(user_id, creation.workspace_id, contacts, rules, creation.now)
    return user_id, ""


def _create_schedule(item: Item, creation: _Creation) -> tuple[UUID, str]:
    made = import_on_call.create_schedule(
        creation.workspace_id, item, creation.matches, by=creation.by, now=creation.now
    )
    return made, ""


def _create_profile(item: Item, creation: _Creation) -> tuple[UUID, str]:
    made = import_on_call.create_profile(
        creation.workspace_id, item, creation.matches, creation.records, now=creation.now
    )
    return made, ""


_CREATORS = {
    ItemKind.SOURCE: _create_source,
    ItemKind.MONITOR: _create_monitor,
    ItemKind.RULE: _create_rule,
    ItemKind.SILENCE: _create_silence,
    ItemKind.PERSON: _create_person,
    ItemKind.SCHEDULE: _create_schedule,
    ItemKind.PROFILE: _create_profile,
}


def _source(item: Item, creation: _Creation) -> UUID:
    """Return the source of an item, which was created before it."""
    return creation.records[str(item.source)]


def _slugs(source_id: UUID) -> set[str]:
    return {slug for slug in slugs_of.of_source(source_id) if slug is not None}


def _status(
    item: Item, before: Mapping[str, Imported], used: Mapping[Any, frozenset[str]], matches: Matches
) -> ItemStatus:
    if item.reference in before:
        return ItemStatus.IMPORTED
    if not matches.is_matched(item):
        return ItemStatus.UNMATCHED
    return ItemStatus.SAME_NAME if item.name.lower() in used[item.kind] else ItemStatus.NEW


def _destination_names(items: Sequence[Item]) -> set[str]:
    return {name.lower() for item in items for name in item.destinations}


def _missing(item: Item, existing: Mapping[str, UUID]) -> list[str]:
    return [
        f"No destination is named {name}. The default route decides who is notified."
        for name in item.destinations
        if name.lower() not in existing
    ]
