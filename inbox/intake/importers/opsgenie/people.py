"""Users of Opsgenie with their contact methods and notification rules."""

from __future__ import annotations

import re
from urllib.parse import quote

from inbox.intake.base import Node
from inbox.intake.importers import people as of_import
from inbox.intake.importers import plan
from inbox.intake.importers.answers import Answers, entries
from inbox.intake.importers.opsgenie import paths
from inbox.intake.importers.people import PUSH, Contact, People, Person

_KINDS = {"email": "email", "sms": "sms", "voice": "voice"}
_MINUTES = {"minutes": 1, "hours": 60, "days": 1_440}
_MOST_NAMES = 20
_NUMBER = re.compile(r"\d{1,4}-?\d{4,14}", re.ASCII)

OTHER_RULES = (
    "Notification rules for other events than a new alert, and rules with criteria or times, are not imported."
)
DISABLED = "Disabled notification rules, and disabled steps of rules, are not imported."


def read(answers: Answers) -> People:
    """Returns the users of all pages."""
    found = People()
    for user in entries(answers, paths.USERS, "data"):
        mark = user.text("id")
        person = found.record("opsgenie", mark, user.text("fullName"), user.text("username"))
        if person is not None:
            for method in Node(answers.get(paths.contacts(quote(mark, safe="")))).items("data"):
                person.add_contact(method.text("method"), _contact(method))
            _add_rules(person, answers, mark)
    return found


def minutes_of(delay: Node) -> int:
    """Returns a delay `{timeAmount, timeUnit}` in minutes; -1 for another one."""
    amount = delay.at("timeAmount").value
    unit = _MINUTES.get(delay.text("timeUnit") or "minutes", 0)
    return amount * unit if isinstance(amount, int) and not isinstance(amount, bool) and unit else -1


def _contact(node: Node) -> Contact | None:
    """Returns a contact method; None for one without a counterpart. A number gets the form +491701234567."""
    if node.text("method") == "mobile":
        return PUSH
    kind, to = _KINDS.get(node.text("method")), plan.line(node.text("to"), of_import.LONGEST_CONTACT)
    if kind is None or not to:
        return None
    if kind != "email":
        to = "+" + to.replace("-", "") if _NUMBER.fullmatch(to) else to
    return Contact(kind, to)


def _add_rules(person: Person, answers: Answers, mark: str) -> None:
    """Adds the steps of the rules for new alerts. The other rules are warnings with their names."""
    base = paths.rules(quote(mark, safe=""))
    others, disabled = [], []
    for rule in Node(answers.get(base)).items("data"):
        name = plan.line(rule.text("name") or rule.text("actionType")) or plan.NO_NAME
        detail = Node(answers.get(f"{base}/{quote(rule.text('id'), safe='')}")).at("data")
        is_simple = not detail.at("timeRestriction") and detail.text("criteria", "type") in ("", "match-all")
        if rule.text("enabled") == "false":
            disabled.append(name)
        elif rule.text("actionType") != paths.CREATE_ALERT or not is_simple:
            others.append(name)
        else:
            disabled += [f"{name}, step {number}" for number in _add_steps(person, detail)]
    for reason, names in ((OTHER_RULES, others), (DISABLED, disabled)):
        if names:
            person.warnings.append(f"{reason} They are: {', '.join(names[:_MOST_NAMES])}.")


def _add_steps(person: Person, rule: Node) -> list[int]:
    """Adds the steps of a rule; returns the numbers of those that are disabled."""
    disabled = []
    for number, step in enumerate(rule.items("steps"), 1):
        if step.text("enabled") == "false":
            disabled.append(number)
            continue
        delay = minutes_of(step.at("sendAfter"))
        person.add_rule(of_import.DEFAULT, delay, step.text("contact", "method"), _contact(step.at("contact")))
    return disabled
