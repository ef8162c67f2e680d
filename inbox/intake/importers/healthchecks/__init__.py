"""Reads checks by the management API v3 of Healthchecks: each becomes a heartbeat monitor (specification 22.6)."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from inbox.domain.heartbeats import pings, schedule
from inbox.domain.values.text import is_web_link
from inbox.intake.base import Node
from inbox.intake.importers import plan
from inbox.intake.importers.import_kind import of_one_answer
from inbox.intake.importers.plan import PING_URL, Item, ItemKind, Plan, Unreadable

SOURCE = "healthchecks"
CHECKS = "/api/v3/checks/"
FORMER_KEY = "[0-9A-Za-z_-]{22}"
"""The form of a ping key of Healthchecks, which its API does not show."""

_PLAIN_LINK = re.compile(r"https?://[0-9A-Za-z:/._-]+")


def read(document: Any) -> Plan:
    """Returns the plan of an answer of `GET /api/v3/checks/`. Raises `Unreadable`."""
    checks = Node(document).items("checks")
    if not isinstance(Node(document).at("checks").value, list):
        raise Unreadable("It has no array `checks`, which the API of version 3 answers.")
    made = Plan()
    made.add(_source(checks))
    made.warn("Integrations are not imported. Destinations and rules decide who is notified.")
    used: set[str] = set()
    for check in made.reading(checks):
        _add(made, check, used)
    return made


def _source(checks: list[Node]) -> Item:
    """Returns the source of all monitors.

    If checks have slugs, it gets a ping key, and its snippet changes their addresses.
    """
    if not any(pings.is_slug(check.text("slug")) for check in checks):
        return plan.source(SOURCE, "Healthchecks", "A source for the heartbeat monitors of the checks.")
    text = "A source for the heartbeat monitors of the checks, with a ping key for pings by slug."
    return replace(plan.source(SOURCE, "Healthchecks", text), has_ping_key=True, snippet=_slug_snippet(checks))


def _add(made: Plan, check: Node, used: set[str]) -> None:
    """Adds the monitor of a check. `used` are the slugs of the monitors before."""
    name = plan.line(check.first("name", "slug")) or "Check"
    mark = check.first("uuid", "unique_key")
    if not mark:
        made.leave_out(name, "The check has neither `uuid` nor `unique_key`.")
        return
    try:
        stored = _schedule(check)
    except ValueError as fault:
        made.leave_out(name, str(fault))
        return
    seconds = plan.grace(check.at("grace").value, 3600)
    name = made.unique(name)
    slug, slug_warnings = _slug(check.text("slug"), used)
    made.add(
        Item(
            ItemKind.MONITOR,
            plan.line(f"healthchecks:{mark}", plan.REFERENCE_LIMIT),
            name,
            f"{plan.words(stored)}, with {seconds // 60:,} min of grace."
            + (f" Pings by slug: {slug}." if slug else ""),
            {
                "name": name,
                "schedule": stored,
                "grace_seconds": seconds,
                "tags": plan.tags(check.text("tags").split()),
                **({"slug": slug} if slug else {}),
                **({"methods": ["POST"]} if check.text("methods").upper() == "POST" else {}),
            },
            source=SOURCE,
            is_paused=check.text("status") == "paused",
            snippet=_snippet(check.text("ping_url")),
            warnings=(*slug_warnings, *_warnings(check)),
        )
    )


def _slug(slug: str, used: set[str]) -> tuple[str | None, list[str]]:
    """Returns the slug of the check if the monitor can use it, and warnings if not."""
    if not slug:
        return None, []
    if not pings.is_slug(slug):
        return None, [f"Pings by the slug {plan.line(slug)} do not arrive: monitors have no such slug."]
    if slug in used:
        return None, [f"Pings by the slug {slug} belong to the check before, which has the same slug."]
    used.add(slug)
    return slug, []


def _schedule(check: Node) -> dict[str, Any]:
    """Returns the schedule. Raises `ValueError` with the reason why no monitor can have it."""
    text = check.text("schedule")
    if not text:
        stored = plan.simple_schedule(check.at("timeout").value)
        if stored is None:
            raise ValueError("The check has neither a schedule nor a period between a minute and a year.")
        return stored
    if "\n" in text or len(text.split()) != len(schedule.FIELDS):
        raise ValueError(f"The schedule {plan.line(text)} is one of systemd (OnCalendar), which monitors do not have.")
    zone = check.text("tz") or "UTC"
    if not plan.is_zone(zone):
        raise ValueError(f"The time zone {plan.line(zone)} is unknown.")
    return {"kind": "cron", "expression": schedule.normalized(text), "timezone": zone}


def _warnings(check: Node) -> list[str]:
    found = []
    if check.first("start_kw", "success_kw", "failure_kw"):
        found.append("Keywords in the texts of pings are not imported.")
    if check.text("manual_resume") == "true":
        found.append("A paused monitor is resumed by a person alone, never by a ping.")
    return found


def _slug_snippet(checks: list[Node]) -> str:
    """Returns a line that replaces the address and the ping key in each address with a slug.

    A read-only key shows no addresses.
    """
    bases = [check.text("ping_url").rpartition("/")[0] for check in checks]
    base = next((each for each in bases if _PLAIN_LINK.fullmatch(each)), None)
    return PING_URL if base is None else f"sed -i -E 's|{base}/{FORMER_KEY}/|{PING_URL}/|g' FILE"


def _snippet(former: str) -> str:
    return f"sed -i 's|{former}|{PING_URL}|g' FILE" if is_web_link(former) and "'" not in former else PING_URL


IMPORT = of_one_answer(
    "healthchecks",
    "Healthchecks",
    ("Checks become heartbeat monitors.", "An API key of the project settings; a read-only one is enough."),
    CHECKS,
    read,
    header=("X-Api-Key", ""),
    default_address="https://io",
    position=40,
)
