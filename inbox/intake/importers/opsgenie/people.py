"""Users of Opsgenie with their contact methods and notification rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import quote

from inbox.intake.base import Node
from inbox.intake.importers import people as of_import
from inbox.intake.importers import plan
from inbox.intake.importers.answers import Answers, entries
from inbox.intake.importers.opsgenie import paths
from inbox.intake.importers.people import Contact, People, Person

_KINDS = {"email": "email", "sms": "sms", "voice": "voice"}
_MINUTES = {"minutes": 1, "hours": 60, "days": 1_440}
_NUMBER = re.compile(r"\d{1,4}-?\d{4,14}", re.ASCII)

OTHER_RULES = (
    "Notification rules for other events than a new alert, and rules with criteria or times, are not imported."
)


def read(answers: Answers) -> People:
    """Returns the users of all pages."""
    found = People()
    for user in entries(answers, paths.USERS, "data"):
        mark, email = user.text("id"), user.text("username")
        if not mark:
            continue
        name = plan.line(user.text("fullName")) or plan.line(email)
        person = Person(of_import.reference("opsgenie", mark), name, plan.line(email, of_import.LONGEST_EMAIL))
        person.contacts.extend(_contacts(answers, mark))
        _add_rules(person, answers, mark)
        found.know(person, mark, email)
    return found


def minutes_of(delay: Node) -> int:
    """Returns a delay `{timeAmount, timeUnit}` in minutes; -1 for another one."""
    amount = delay.at("timeAmount").value
    unit = _MINUTES.get(delay.text("timeUnit") or "minutes", 0)
    return amount * unit if isinstance(amount, int) and not isinstance(amount, bool) and unit else -1


def _contacts(answers: Answers, mark: str) -> Iterator[Contact]:
    for each in Node(answers.get(paths.contacts(quote(mark, safe="")))).items("data"):
        contact = _contact(each)
        if contact is not None:
            yield contact


def _contact(node: Node) -> Contact | None:
    """Returns a contact method; None for the phone app. A number gets the form +491701234567."""
    kind, to = _KINDS.get(node.text("method")), plan.line(node.text("to"), of_import.LONGEST_CONTACT)
    if kind is None or not to:
        return None
    if kind != "email":
        to = "+" + to.replace("-", "") if _NUMBER.fullmatch(to) else to
    return Contact(kind, to)


def _add_rules(person: Person, answers: Answers, mark: str) -> None:
    base = paths.rules(quote(mark, safe=""))
    for rule in Node(answers.get(base)).items("data"):
        if rule.text("enabled") == "false":
            continue
        detail = Node(answers.get(f"{base}/{quote(rule.text('id'), safe='')}")).at("data")
        is_simple = not detail.at("timeRestriction") and detail.text("criteria", "type") in ("", "match-all")
        if rule.text("actionType") != paths.CREATE_ALERT or not is_simple:
            person.warnings.append(OTHER_RULES)
            continue
        for step in detail.items("steps"):
            if step.text("enabled") != "false":
                contact = _contact(step.at("contact"))
                is_push = step.text("contact", "method") == "mobile"
                if contact is not None or is_push:
                    person.rules.append((of_import.DEFAULT, minutes_of(step.at("sendAfter")), contact))
