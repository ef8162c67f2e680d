"""Users of GoAlert with their contact methods and notification rules."""

from __future__ import annotations

from inbox.intake.base import Node
from inbox.intake.importers import people as of_import
from inbox.intake.importers import plan
from inbox.intake.importers.answers import Answers
from inbox.intake.importers.goalert import queries
from inbox.intake.importers.people import Contact, People, Person

TOOL = "goalert"

_KINDS = {"EMAIL": "email", "SMS": "sms", "VOICE": "voice"}


def read(answers: Answers) -> People:
    """Returns the users of all pages."""
    found = People()
    for user in queries.nodes(answers, queries.USERS):
        mark, email = user.text("id"), plan.line(user.text("email"), of_import.LONGEST_EMAIL)
        if not mark:
            continue
        person = Person(of_import.reference(TOOL, mark), plan.line(user.text("name")) or email, email)
        methods = {each.text("id"): _contact(each) for each in user.items("contactMethods")}
        person.contacts.extend(each for each in methods.values() if each is not None)
        for rule in user.items("notificationRules"):
            minutes, contact = rule.at("delayMinutes").value, methods.get(rule.text("contactMethodID"))
            if contact is not None and isinstance(minutes, int) and not isinstance(minutes, bool):
                person.rules.append((of_import.DEFAULT, minutes, contact))
        found.know(person, mark, email)
    return found


def _contact(node: Node) -> Contact | None:
    kind, address = _KINDS.get(node.text("type")), plan.line(node.text("value"), of_import.LONGEST_CONTACT)
    return Contact(kind, address) if kind is not None and address else None
