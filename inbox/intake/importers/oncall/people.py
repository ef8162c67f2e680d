"""Users of Grafana OnCall with their notification rules. Its API shows no telephone numbers."""

from __future__ import annotations

from inbox.intake.base import Node
from inbox.intake.importers import people as of_import
from inbox.intake.importers.answers import Answers, entries
from inbox.intake.importers.oncall import paths
from inbox.intake.importers.people import PUSH, Contact, People, Person
from inbox.intake.importers.plan import LeftOut

TOOL = "oncall"

NOT_SHOWN = "The API shows no telephone numbers and no chats. The person adds them here."

_PUSH = frozenset({"notify_by_mobile_app", "notify_by_mobile_app_critical"})


def read(answers: Answers) -> People:
    """Returns the users of all pages."""
    found = People()
    for user in entries(answers, paths.USERS, "results"):
        found.record(TOOL, user.text("id"), user.first("name", "username"), user.text("email"))
    lists: dict[tuple[str, bool], list[Node]] = {}
    for rule in entries(answers, paths.RULES, "results"):
        lists.setdefault((rule.text("user_id"), rule.text("important") == "true"), []).append(rule)
    for (mark, is_important), rules in lists.items():
        person = found.find(mark)
        if person is None:
            found.left_out.append(LeftOut(f"Notification rules of the user {mark}", "The user was not answered."))
        else:
            _add_rules(person, sorted(rules, key=position), of_import.CRITICAL if is_important else of_import.DEFAULT)
    return found


def position(node: Node) -> float:
    """Returns the place of an entry in its list."""
    found = node.at("position").value
    return found if isinstance(found, int | float) and not isinstance(found, bool) else 0


def minutes(node: Node) -> int:
    """Returns the duration of a wait in minutes, at least one."""
    seconds = node.at("duration").value
    return max(1, -(-seconds // 60)) if isinstance(seconds, int) and not isinstance(seconds, bool) else 1


def _add_rules(person: Person, rules: list[Node], name: str) -> None:
    after = 0
    for rule in rules:
        match rule.text("type"):
            case "wait":
                after += minutes(rule)
            case "notify_by_email" as kind:
                person.add_rule(name, after, kind, Contact("email", person.email))
            case kind:
                person.add_rule(name, after, kind, PUSH if kind in _PUSH else None, NOT_SHOWN)
