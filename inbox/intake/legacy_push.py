"""Reads the legacy push format: a message with title, priority and extras becomes one event (specification 19.2)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from inbox.domain.events.field_names import NAMES
from inbox.domain.senders import recovery
from inbox.domain.senders.recovery import Reading
from inbox.domain.senders.recovery_presets import RecoveryPreset
from inbox.domain.values.refusals import BadRequest
from inbox.domain.values.severity import Severity
from inbox.intake import state_words
from inbox.intake.event import bounded, key_of_title
from inbox.runtime import work_budget
from inbox.runtime.real_threads import RealThreads

EVENT = "inbox::event"
"""The member of `extras` whose fields replace the fields of the event."""

LIBRENMS = "monitoring::librenms"
LIBRENMS_RECOVERED = 0

LONGEST_FIRST_LINE = 1_000
"""The maximum length of a title that is taken from the first line of a message, in characters."""

SHORT_TEXT = 2_048
"""The characters of a text that is searched at once. The worst pattern takes 7 ms for it, and 80 ms for the longest text."""

PRIORITY_BANDS = (
    (0, Severity.DEBUG),
    (3, Severity.INFO),
    (7, Severity.WARNING),
    (9, Severity.ERROR),
)
"""The highest priority of each severity. A higher priority is CRITICAL."""

SEARCHING_THREADS = 2
_threads = RealThreads(SEARCHING_THREADS)
"""The engine of patterns releases the interpreter, so that other requests continue while a thread searches."""

_INTEGER = re.compile(r"\s*([+-]?[0-9]{1,9})\s*")


@dataclass(frozen=True, slots=True)
class Message:
    """A message as sent. `priority` is None when none was sent."""

    message: str
    title: str
    priority: int | None
    extras: Mapping[str, Any]

    @property
    def text(self) -> str:
        """Returns the title and the message, in which patterns search."""
        return f"{self.title}\n{self.message}" if self.title else self.message


def parse(fields: Mapping[str, Any]) -> Message:
    """Reads the message of a JSON object, a form or a query. Raises `BadRequest`."""
    message = _text(fields, "message")
    if not message.strip():
        raise BadRequest("Field 'message' is required")
    extras = fields.get("extras")
    if extras is not None and not isinstance(extras, dict):
        raise BadRequest("Field 'extras' must be an object")
    return Message(message, _text(fields, "title").strip(), _priority(fields.get("priority")), extras or {})


def event(sent: Message, *, pattern: str | None, preset: RecoveryPreset | None) -> dict[str, Any]:
    """Returns the event of a message, with the recovery pattern and the preset of its source."""
    made: dict[str, Any] = {
        "title": sent.title or sent.message.strip()[:LONGEST_FIRST_LINE].splitlines()[0],
        "body": sent.message,
        "severity": None if sent.priority is None else str(severity_of(sent.priority)),
    }
    if sent.extras:
        made["metadata"] = {"extras": {name: value for name, value in sent.extras.items() if name != EVENT}}
        made["url"] = _link(sent.extras)
    found = _reading(sent.text, pattern, preset) or _general(made["title"], preset)
    if found is not None and found.is_notice:
        made["severity"] = str(Severity.INFO)
    elif found is not None:
        made["dedupKey"] = bounded(found.key or "") or None
        made["severity"] = str(Severity.SUCCESS) if found.recovers else made["severity"]
    return made | _of_librenms(sent.extras.get(LIBRENMS)) | _of_ours(sent.extras.get(EVENT))


def _reading(text: str, pattern: str | None, preset: RecoveryPreset | None) -> Reading | None:
    """Returns what the pattern or the preset finds in a text. The search in a long text does not block the event loop."""
    read = partial(recovery.read, text, pattern=pattern, presets=() if preset is None else (preset,))
    if len(text) <= SHORT_TEXT or (pattern is None and preset is None):
        return read()
    work_budget.rest()  # the time of other requests meanwhile is not that of this one
    return _threads.run(read)


def _general(title: str, preset: RecoveryPreset | None) -> Reading | None:
    """Returns what words of states in the title say, such as `[RESOLVED]`, where the source reads them."""
    if preset is not RecoveryPreset.GENERAL:
        return None
    stated = state_words.read(title)
    return Reading(stated.has_ended is True, f"{preset}:{key_of_title(stated.title)}")


def severity_of(priority: int) -> Severity:
    """Returns the severity of a priority."""
    return next((severity for highest, severity in PRIORITY_BANDS if priority <= highest), Severity.CRITICAL)


def _text(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise BadRequest(f"Field '{name}' must be a string")
    return value


def _priority(sent: object) -> int | None:
    """Returns the integer. A number as text is accepted, because forms and several clients send one."""
    if sent is None or sent == "":
        return None
    if isinstance(sent, int) and not isinstance(sent, bool):
        return sent
    number = _INTEGER.fullmatch(sent) if isinstance(sent, str) else None
    if number is None:
        raise BadRequest("Field 'priority' must be an integer")
    return int(number[1])


def _link(extras: Mapping[str, Any]) -> str | None:
    """Returns the address that a tap on the notification opens."""
    value: Any = extras.get("client::notification")
    for name in ("click", "url"):
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, str) else None


def _of_librenms(sent: object) -> dict[str, Any]:
    """Returns the event fields that LibreNMS sends in its extras.

    A recovery has the priority of its alarm, so only `state` distinguishes them.
    """
    if not isinstance(sent, dict) or not isinstance(sent.get("id"), str | int):
        return {}
    made: dict[str, Any] = {"dedupKey": bounded(f"librenms:{sent['id']}")}
    if isinstance(sent.get("hostname"), str):
        made["resource"] = f"host:{sent['hostname']}"
    if str(sent.get("state")) == str(LIBRENMS_RECOVERED):
        made["severity"] = str(Severity.SUCCESS)
    return made


def _of_ours(sent: object) -> dict[str, Any]:
    if sent is None:
        return {}
    if not isinstance(sent, dict):
        raise BadRequest(f"extras '{EVENT}' must be an object")
    return {name: value for name, value in sent.items() if name in NAMES}
