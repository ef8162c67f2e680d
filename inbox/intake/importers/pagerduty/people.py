"""Users of PagerDuty with their contact methods and notification rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inbox.intake.base import Node
from inbox.intake.importers import people as of_import
from inbox.intake.importers import plan
from inbox.intake.importers.answers import Answers, entries
from inbox.intake.importers.pagerduty import paths
from inbox.intake.importers.people import Contact, People, Person

_KINDS = {"email_contact_method": "email", "sms_contact_method": "sms", "phone_contact_method": "voice"}
_PUSH = "push_notification_contact_method"
_HIGH = "high"


def read(answers: Answers) -> People:
    """Returns the users of all pages."""
    found = People()
    for user in entries(answers, paths.USERS, "users"):
        mark, email = user.text("id"), plan.line(user.text("email"), of_import.LONGEST_EMAIL)
        if not mark:
            continue
        person = Person(of_import.reference("pagerduty", mark), plan.line(user.text("name")) or email, email)
        methods = {each.text("id"): _contact(each) for each in user.items("contact_methods")}
        person.contacts.extend(each for each in methods.values() if each is not None)
        _add_rules(person, user, methods)
        found.know(person, mark, email)
    return found


def _contact(node: Node) -> Contact | None:
    """Returns a contact method; None for a phone app. A number gets the form +491701234567."""
    kind, address = _KINDS.get(node.text("type")), plan.line(node.text("address"), of_import.LONGEST_CONTACT)
    if kind is None or not address:
        return None
    if kind != "email":
        address = f"+{node.text('country_code') or '1'}{''.join(each for each in address if each.isdigit())}"
    return Contact(kind, address)


def _add_rules(person: Person, user: Node, methods: Mapping[str, Contact | None]) -> None:
    """Adds the rules. Those of high urgency are for critical incidents, unless the person has no others."""
    found: list[tuple[str, int, Contact | None]] = []
    for rule in user.items("notification_rules"):
        minutes: Any = rule.at("start_delay_in_minutes").value
        contact = methods.get(rule.text("contact_method", "id"))
        is_known = contact is not None or rule.text("contact_method", "type").startswith(_PUSH)
        if is_known and isinstance(minutes, int) and not isinstance(minutes, bool):
            found.append((rule.text("urgency"), minutes, contact))
    has_low = any(urgency != _HIGH for urgency, _, _ in found)
    for urgency, minutes, contact in found:
        name = of_import.CRITICAL if urgency == _HIGH and has_low else of_import.DEFAULT
        person.rules.append((name, minutes, contact))
