"""Users of PagerDuty with their contact methods and notification rules."""

from __future__ import annotations

from inbox.intake.base import Node
from inbox.intake.importers import people as of_import
from inbox.intake.importers import plan
from inbox.intake.importers.answers import Answers, entries
from inbox.intake.importers.pagerduty import paths
from inbox.intake.importers.people import PUSH, Contact, People, Person

_KINDS = {"email_contact_method": "email", "sms_contact_method": "sms", "phone_contact_method": "voice"}
_PUSH = "push_notification_contact_method"
_HIGH = "high"


def read(answers: Answers) -> People:
    """Returns the users of all pages."""
    found = People()
    for user in entries(answers, paths.USERS, "users"):
        person = found.record("pagerduty", user.text("id"), user.text("name"), user.text("email"))
        if person is not None:
            _add_rules(person, user)
    return found


def _add_rules(person: Person, user: Node) -> None:
    """Adds the rules. Those of high urgency are for critical incidents, unless the person has no others."""
    methods = of_import.add_methods(person, user.items("contact_methods"), _contact)
    rules = user.items("notification_rules")
    has_low = any(rule.text("urgency") != _HIGH for rule in rules)
    for rule in rules:
        kind = rule.text("contact_method", "type").removesuffix("_reference")
        method = methods.get(rule.text("contact_method", "id"), (kind, PUSH if kind == _PUSH else None))
        name = of_import.CRITICAL if rule.text("urgency") == _HIGH and has_low else of_import.DEFAULT
        person.add_rule(name, rule.at("start_delay_in_minutes").value, *method)


def _contact(node: Node) -> Contact | None:
    """Returns a contact method; None for one without a counterpart. A number gets the form +491701234567."""
    if node.text("type").startswith(_PUSH):
        return PUSH
    kind, address = _KINDS.get(node.text("type")), plan.line(node.text("address"), of_import.LONGEST_CONTACT)
    if kind is None or not address:
        return None
    if kind != "email":
        address = f"+{node.text('country_code') or '1'}{''.join(each for each in address if each.isdigit())}"
    return Contact(kind, address)
