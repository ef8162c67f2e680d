"""Use cases of the notification rules of a person: read and replace (specification 23.11)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any
from uuid import UUID

from inbox.config import settings
from inbox.domain.people.notification_rules import ACCOUNT_MAIL, PUSH, NotificationRules, WorkingMethods, problems
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.domain.values.refusals import Fault, ValidationFailed, check_rev
from inbox.flow.unit_of_work import work
from inbox.models.deliveries.destinations import Destination
from inbox.models.people.contact_methods import ContactMethod, StoredNotificationRules, stored_rules
from inbox.services.people import contact_methods, contact_providers, push_destinations
from inbox.services.people.factors import locked
from inbox.services.records import audit

LISTS = ("default", "critical")

NO_RULES: Mapping[str, Any] = MappingProxyType({"default": (), "critical": ()})


def of_person(user_id: UUID) -> dict[str, Any]:
    """Return both lists of a person with their `rev`, which is 0 before the first change, and what is wrong with them."""
    row = stored_rules(user_id)
    offered = row.offered if row else None
    return {**_shown(user_id, row.rules if row else NO_RULES, row.rev if row else 0), "offered": offered}


def replace(
    user_id: UUID, given: Mapping[str, Sequence[Mapping[str, Any]]], *, expected_rev: int | None, now: datetime
) -> dict[str, Any]:
    """Replace both lists. Rules that an import offered end.

    Raises `RevMismatch`, and `ValidationFailed` for a method that is not confirmed.
    """
    with work() as done:
        person = locked(user_id)
        row = stored_rules(user_id)
        check_rev(row.rev if row else 0, expected_rev)
        check(user_id, given)
        rules, rev = {name: _stored(given[name]) for name in LISTS}, row.rev + 1 if row else 1
        insert = StoredNotificationRules.insert(user=user_id, rules=rules, rev=rev)
        conflict = [StoredNotificationRules.user]
        values = {"rules": rules, "rev": rev, "offered": None}
        insert.on_conflict(conflict_target=conflict, update=values).execute()
        about = audit.target("user", person.id, person.name)
        details = audit.changes(row.rules if row else NO_RULES, rules)
        audit.record("notification_rules.changed", target=about, now=now, details=details)
        done.publish_change("me", user_id, None, rev=person.rev)
    return {**_shown(user_id, rules, rev), "offered": None}


def offer(user_id: UUID, rules: Mapping[str, Sequence[Mapping[str, Any]]]) -> bool:
    """Offer rules of another tool to a person who has none, in the caller's unit of work; return whether they are offered.

    No page uses them before the person saves them.
    """
    row = stored_rules(user_id)
    if not any(rules.values()) or (row is not None and any(row.rules.values())):
        return False
    offered = {name: list(rules[name]) for name in LISTS}
    insert = StoredNotificationRules.insert(user=user_id, rules={name: [] for name in LISTS}, rev=0, offered=offered)
    insert.on_conflict(conflict_target=[StoredNotificationRules.user], update={"offered": offered}).execute()
    return True


def _shown(user_id: UUID, rules: Mapping[str, Any], rev: int) -> dict[str, Any]:
    phones = push_destinations.of_person(user_id).where(Destination.sealed.is_null(False))
    works = {contact_methods.type_id(each): ok for each, ok in contact_providers.states_of(user_id)}
    known = {PUSH, ACCOUNT_MAIL, *map(contact_methods.type_id, contact_methods.of_person(user_id))}
    gone = {rule["method"] for name in LISTS for rule in rules[name]} - known  # removed with its provider
    methods = WorkingMethods(
        phones.exists(),
        settings.current().can_send_mail,
        [method for method, ok in works.items() if ok],
        [*gone, *(method for method, ok in works.items() if not ok)],
    )
    found = problems(NotificationRules.of(rules), methods)
    return {**rules, "rev": rev, "problems": found}


def check(user_id: UUID, given: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    """Check that the methods are the person's and confirmed. Raises `ValidationFailed`.

    A list that could not be read is missing.
    """
    own = {contact_methods.type_id(each): each for each in contact_methods.of_person(user_id)}
    if faults := [fault for name in LISTS for fault in _faults(own, given.get(name, ()), f"/{name}")]:
        raise ValidationFailed(errors=faults)


def _faults(own: Mapping[str, ContactMethod], rules: Sequence[Mapping[str, Any]], at: str) -> Iterator[Fault]:
    seen: set[str] = set()
    for place, rule in enumerate(rules):
        method, known = rule["method"], own.get(rule["method"])
        if method in seen:
            yield Fault(f"{at}/{place}/method", "The list has a rule for this method already.")
        seen.add(method)
        if method in (PUSH, ACCOUNT_MAIL):
            continue
        if known is None:
            yield Fault(f"{at}/{place}/method", f"Not a contact method of yours: name {PUSH}, {ACCOUNT_MAIL} or an id.")
        elif known.confirmed_at is None:
            yield Fault(f"{at}/{place}/method", "The contact method is not confirmed. Enter its code first.")


def _stored(rules: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the rules in the shape of the API, in the order of their times."""
    ordered = sorted(rules, key=lambda rule: int(rule["after_minutes"]))
    return [{"afterMinutes": rule["after_minutes"], "method": rule["method"]} for rule in ordered]


def is_method(text: str) -> bool:
    """Return whether a text has the form of a method."""
    return text in (PUSH, ACCOUNT_MAIL) or ids.decode(Prefix.CONTACT_METHOD, text) is not None
