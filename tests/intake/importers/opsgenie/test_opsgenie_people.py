"""Users of Opsgenie with contact methods and notification rules, and what of them is not imported (specification 22.12)."""

from __future__ import annotations

from typing import Any

from inbox.intake.importers import opsgenie
from inbox.intake.importers.opsgenie import paths
from inbox.intake.importers.opsgenie.people import DISABLED, OTHER_RULES
from inbox.intake.importers.plan import Item, ItemKind
from tests.intake.importers.opsgenie.fixtures import PEOPLE, answers
from tests.intake.importers.rotas import SPRING

ANA = f"id-{PEOPLE[0]}"
RULES = paths.rules(ANA.replace("@", "%40"))


def person(contacts: list[Any], rules: list[Any], steps: list[Any] | None = None) -> Item:
    """Returns the item of the first user. The rule `r` has these steps."""
    found = answers()
    found[paths.contacts(ANA.replace("@", "%40"))] = {"data": contacts}
    found[RULES] = {"data": rules}
    found[f"{RULES}/r"] = {"data": {"criteria": {"type": "match-all"}, "steps": steps or []}}
    return next(item for item in opsgenie.read(found, SPRING).items if item.kind is ItemKind.PERSON)


def step(method: str, minutes: object = 0, **more: Any) -> dict[str, Any]:
    contact = {"method": method, "to": "49-15112345678" if method == "sms" else PEOPLE[0]}
    return {"contact": contact, "sendAfter": {"timeAmount": minutes}, **more}


def test_contact_methods_and_steps_without_a_counterpart_are_warnings_of_the_person() -> None:
    contacts = [{"method": "sms", "to": "49-15112345678"}, {"method": "whatsapp", "to": "1"}, {"method": "mobile"}]
    steps = [step("mobile"), step("sms", 2), step("whatsapp", 3), step("email", "soon"), step("email", enabled=False)]

    found = person(contacts, [{"id": "r", "name": "New alert", "actionType": paths.CREATE_ALERT}], steps)

    assert found.fields["contacts"] == [{"kind": "sms", "address": "+4915112345678"}]
    assert found.fields["rules"]["default"] == [
        {"afterMinutes": 0, "method": "push"}, {"afterMinutes": 2, "method": "0"},
    ]  # fmt: skip
    assert found.warnings == (
        "The contact method of the type whatsapp is not imported.",
        "The notification rule by whatsapp after 3 min is not imported. Its contact method is not imported.",
        f"{DISABLED} They are: New alert, step 5.",
        "The notification rule by mail is not imported. Its delay cannot be read.",
    )


def test_rules_for_other_events_and_disabled_rules_are_named() -> None:
    rules = [
        {"id": "a", "name": "Closed", "actionType": "closed-alert"},
        {"id": "b", "actionType": "schedule-start"},
        {"id": "c", "name": "Off", "actionType": paths.CREATE_ALERT, "enabled": False},
    ]

    found = person([], rules)

    assert found.warnings == (f"{OTHER_RULES} They are: Closed, schedule-start.", f"{DISABLED} They are: Off.")
