"""Users of GoAlert with their contact methods and notification rules."""

from __future__ import annotations

from inbox.intake.base import Node
from inbox.intake.importers import people as of_import
from inbox.intake.importers import plan
from inbox.intake.importers.answers import Answers
from inbox.intake.importers.goalert import queries
from inbox.intake.importers.people import Contact, People

TOOL = "goalert"

_KINDS = {"EMAIL": "email", "SMS": "sms", "VOICE": "voice"}


def read(answers: Answers) -> People:
    """Returns the users of all pages."""
    found = People()
    for user in queries.nodes(answers, queries.USERS):
        person = found.record(TOOL, user.text("id"), user.text("name"), user.text("email"))
        if person is None:
            continue
        methods = of_import.add_methods(person, user.items("contactMethods"), _contact)
        for rule in user.items("notificationRules"):
            method = methods.get(rule.text("contactMethodID"), of_import.NOTHING)
            person.add_rule(of_import.DEFAULT, rule.at("delayMinutes").value, *method)
    return found


def _contact(node: Node) -> Contact | None:
    kind, address = _KINDS.get(node.text("type")), plan.line(node.text("value"), of_import.LONGEST_CONTACT)
    return Contact(kind, address) if kind is not None and address else None
