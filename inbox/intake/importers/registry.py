"""The kinds of import: what each reads, and from where (specification 22.1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import orjson

from inbox.intake.importers import (
    alertmanager,
    alertmanager_silences,
    crontab,
    gotify,
    healthchecks,
    oncall,
    opsgenie,
    uptime_kuma,
)
from inbox.intake.importers.plan import Plan, Unreadable


class ImportForm(StrEnum):
    """How a set-up is given."""

    DOCUMENT = "document"
    """As a text: a file of configuration, or the answer of an API that somebody has saved."""

    FILE = "file"
    """As the bytes of a file."""

    ADDRESS = "address"
    """As the address of a server with an API, and a token."""


@dataclass(frozen=True, slots=True)
class Options:
    """What a text does not say of itself."""

    timezone: str = "UTC"
    has_user: bool = False


@dataclass(frozen=True, slots=True)
class ImportKind:
    """A tool whose set-up can be read. `setup` says which file or token is needed."""

    kind: str
    label: str
    summary: str
    setup: str
    forms: tuple[ImportForm, ...]
    read_text: Callable[[str, Options], Plan] | None = None
    read_file: Callable[[bytes], Plan] | None = None
    paths: tuple[str, ...] = ()
    """What is read below the address."""

    read_answers: Callable[[dict[str, Any]], Plan] | None = None
    header: tuple[str, str] = ("Authorization", "")
    """The name of the header that carries the token, and what is before the token in its value."""

    default_address: str = ""
    has_schedules: bool = False
    """Whether the options are read."""

    def headers(self, token: str) -> Mapping[str, str]:
        """The headers that carry the token."""
        name, before = self.header
        return {name: f"{before}{token}"}


def _json(text: str) -> Any:
    try:
        return orjson.loads(text)
    except ValueError:
        raise Unreadable("It is no JSON.") from None


def _of_one_answer(
    kind: str, label: str, texts: tuple[str, str], path: str, read: Callable[[Any], Plan], **more: Any
) -> ImportKind:
    """A kind that reads one answer of an API, from the server or as somebody has saved it. `texts`: summary and set-up."""
    return ImportKind(
        kind,
        label,
        *texts,
        (ImportForm.ADDRESS, ImportForm.DOCUMENT),
        lambda text, _: read(_json(text)),
        paths=(path,),
        read_answers=lambda answers: read(answers[path]),
        **more,
    )


_ALL = (
    ImportKind(
        "crontab",
        "crontab",
        "Each line becomes a heartbeat monitor, and a line that pings it.",
        "The output of `crontab -l`, or a file of /etc/cron.d with the names of users.",
        (ImportForm.DOCUMENT,),
        lambda text, options: crontab.read(text, timezone=options.timezone, has_user=options.has_user),
        has_schedules=True,
    ),
    ImportKind(
        "alertmanager",
        "Alertmanager",
        "Routes become rules of one source. Receivers are found by the names of destinations.",
        "The file alertmanager.yml.",
        (ImportForm.DOCUMENT,),
        lambda text, _: alertmanager.read(text),
    ),
    _of_one_answer(
        "alertmanager_silences",
        "Alertmanager: silences",
        (
            "Silences that have not ended become silences of the same source.",
            "A bearer token, if the server asks for one.",
        ),
        alertmanager_silences.SILENCES,
        alertmanager_silences.read,
        header=("Authorization", "Bearer "),
    ),
    _of_one_answer(
        "healthchecks",
        "Healthchecks",
        ("Checks become heartbeat monitors.", "An API key of the project settings; a read-only one is enough."),
        healthchecks.CHECKS,
        healthchecks.read,
        header=("X-Api-Key", ""),
        default_address="https://healthchecks.io",
    ),
    ImportKind(
        "uptime_kuma",
        "Uptime Kuma",
        "Push monitors become heartbeat monitors. The others report to one source by a webhook. Maintenance becomes silences.",
        "The file kuma.db of the data directory, or the backup in JSON of version 1.",
        (ImportForm.FILE, ImportForm.DOCUMENT),
        lambda text, _: uptime_kuma.read_backup(_json(text)),
        uptime_kuma.read_bytes,
    ),
    _of_one_answer(
        "gotify",
        "Gotify",
        ("Applications become sources that keep their tokens.", "A client token of the server."),
        gotify.APPLICATIONS,
        gotify.read,
        header=("X-Gotify-Key", ""),
    ),
    ImportKind(
        "opsgenie",
        "Opsgenie",
        "Integrations become sources, and heartbeats become heartbeat monitors.",
        "An API key of the settings with access to the configuration.",
        (ImportForm.ADDRESS,),
        paths=(opsgenie.INTEGRATIONS, opsgenie.HEARTBEATS),
        read_answers=opsgenie.read,
        header=("Authorization", "GenieKey "),
        default_address="https://api.opsgenie.com",
    ),
    ImportKind(
        "oncall",
        "Grafana OnCall",
        "Integrations become sources, and routes by labels become rules.",
        "An API token of the settings, which show the address too.",
        (ImportForm.ADDRESS,),
        paths=(oncall.INTEGRATIONS, oncall.ROUTES),
        read_answers=oncall.read,
    ),
)
KINDS: Mapping[str, ImportKind] = {each.kind: each for each in _ALL}
