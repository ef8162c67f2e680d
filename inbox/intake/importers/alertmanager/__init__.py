"""Reads a configuration of Alertmanager: its routes become rules of one source (specification 22.5)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from inbox.domain.routing import matchers
from inbox.intake.base import Node
from inbox.intake.importers import bounded_yaml, plan
from inbox.intake.importers.alertmanager_matchers import BadMatchers, clauses_of
from inbox.intake.importers.import_kind import ImportForm, ImportKind
from inbox.intake.importers.plan import Item, ItemKind, Plan, Unreadable

SOURCE = "alertmanager"
MAX_CHARACTERS = 512 * 1024
DEEPEST = 30

_TIMINGS = ("group_by", "group_wait", "group_interval", "repeat_interval")
_INTERVALS = ("mute_time_intervals", "active_time_intervals")
_YES = frozenset({"true", "yes", "on", "y"})
_WITHOUT_COUNTERPART = {
    "inhibit_rules": "inhibit rules",
    "time_intervals": "time intervals",
    "mute_time_intervals": "time intervals",
    "templates": "templates",
}


@dataclass(frozen=True, slots=True)
class _Inherited:
    """Values that a route inherits from its parents."""

    clauses: tuple[dict[str, Any], ...] = ()
    labels: tuple[str, ...] = ()
    receiver: str = ""
    depth: int = 0
    is_continued: bool = False
    """Whether Alertmanager also tries the routes after one of the parents, whichever route below matches."""


def read(text: str) -> Plan:
    """Returns the plan of a configuration file. Raises `Unreadable`."""
    document = _parsed(text)
    receivers = {each.text("name"): _has_integrations(each) for each in document.items("receivers")}
    made = Plan()
    made.add(source())
    for name, label in _WITHOUT_COUNTERPART.items():
        entries = document.items(name)
        if entries:
            made.leave_out(name, f"{len(entries)} {label} have no counterpart here.")
    made.warn("Silences are not in the file. Import them from the running server.")
    _add(made, document.at("route"), _Inherited(), receivers, is_followed=False)
    return made


def source() -> Item:
    """Returns the source of the alerts, to which rules and silences belong."""
    return plan.source(
        SOURCE, "Alertmanager", "A source for the alerts. Create a key and enter it in alertmanager.yml."
    )


def _parsed(text: str) -> Node:
    if len(text) > MAX_CHARACTERS:
        raise Unreadable(f"It has more than {MAX_CHARACTERS:,} characters.")
    document = bounded_yaml.document(text)
    if not isinstance(document, Mapping) or not isinstance(document.get("route"), Mapping):
        raise Unreadable("It has no `route`, which a configuration of Alertmanager has.")
    return Node(document)


def _add(made: Plan, route: Node, above: _Inherited, receivers: Mapping[str, bool], *, is_followed: bool) -> None:
    """Adds the rules of the routes below, and then the rule of the route itself for the remaining alerts.

    `is_followed` means that other routes of the same level come after it. `receivers` maps each name to whether the
    receiver notifies anybody.
    """
    if made.is_full:
        made.warn_full()
        return
    if above.depth > DEEPEST:
        made.warn(f"Routes below {DEEPEST} levels are not read.")
        return
    try:
        own = clauses_of(route, len(above.clauses))
    except BadMatchers as fault:
        made.leave_out(
            f"Route to {route.text('receiver') or above.receiver}", f"{fault} The routes below it are left out."
        )
        return
    inherited = _Inherited(
        (*above.clauses, *(each.clause for each in own)),
        (*above.labels, *(each.text for each in own)),
        route.text("receiver") or above.receiver,
        above.depth + 1,
        above.is_continued or (is_followed and _continues(route)),
    )
    children = route.items("routes")
    for number, child in enumerate(children, 1):
        _add(made, child, inherited, receivers, is_followed=number < len(children))
    _add_rule(made, route, inherited, receivers)


def _add_rule(made: Plan, route: Node, of: _Inherited, receivers: Mapping[str, bool]) -> None:
    match = {"all": list(of.clauses)}
    label = ", ".join(of.labels)
    faults = matchers.check(match)
    if faults:
        made.leave_out(
            f"Route with {label or 'all other alerts'}", f"Its matchers cannot be expressed: {faults[0].detail}."
        )
        return
    is_silent = not receivers.get(of.receiver, True)
    digest = hashlib.sha256("\0".join((*of.labels, of.receiver)).encode("utf-8", "replace")).hexdigest()[:24]
    name = made.unique(f"{of.receiver or 'Alertmanager'}: {label or 'all other alerts'}")
    what = "are logged without an incident" if is_silent else f"open incidents and notify {plan.line(of.receiver)}"
    made.add(
        Item(
            ItemKind.RULE,
            made.unique_reference(f"alertmanager:{digest}"),
            name,
            f"{f'Alerts with {plan.line(label, 200)}' if label else 'All other alerts'} {what}.",
            {
                "name": name,
                "match": match,
                "then": {"disposition": "log" if is_silent else "incident"},
                "continue_matching": _continues(route),
            },
            source=SOURCE,
            destinations=() if is_silent else (of.receiver,),
            warnings=tuple(_warnings(route, is_known=of.receiver in receivers, is_continued=of.is_continued)),
        )
    )


def _continues(route: Node) -> bool:
    return route.text("continue").lower() in _YES


def _has_integrations(receiver: Node) -> bool:
    """Returns whether a receiver has notifications, such as `slack_configs`."""
    members = receiver.value if isinstance(receiver.value, Mapping) else {}
    return any(re.fullmatch(r"\w+_configs", str(name)) for name in members)


def _warnings(route: Node, *, is_known: bool, is_continued: bool) -> list[str]:
    found = []
    timings = [name for name in _TIMINGS if route.at(name).value is not None]
    if timings:
        found.append(
            f"Not imported: {', '.join(timings)}. Each alert is an incident. Profiles set delays and reminders."
        )
    if any(route.at(name).value for name in _INTERVALS):
        found.append("Its time intervals are not imported. The rule applies at all hours.")
    if _continues(route):
        found.append("The rule of its parent applies too where no later rule of the same level matches.")
    elif is_continued:
        found.append(
            "A route above has `continue`, so that routes after it apply in Alertmanager. No rule after this one applies."
        )
    if not is_known:
        found.append("Its receiver is not in the file.")
    return found


IMPORT = ImportKind(
    "alertmanager",
    "Alertmanager",
    "Routes become rules of one source. Receivers are found by the names of destinations.",
    "The file yml.",
    (ImportForm.DOCUMENT,),
    lambda text, _: read(text),
    position=20,
)
