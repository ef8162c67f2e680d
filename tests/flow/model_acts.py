"""The acts of people in the model, and what each does in each state."""

from __future__ import annotations

from tests.flow.model_parts import (
    UNRESOLVED,
)

PEOPLE = {
    ("open", "acknowledge"): ("acknowledged", "acknowledged"),
    ("snoozed", "acknowledge"): ("acknowledged", "acknowledged"),
    ("acknowledged", "unacknowledge"): ("open", "renotify"),
    ("open", "snooze"): ("snoozed", "snoozed"),
    ("acknowledged", "snooze"): ("snoozed", "snoozed"),
    ("snoozed", "snooze"): ("snoozed", "snoozed"),
    ("snoozed", "unsnooze"): ("open", "updated"),
    **{(state, "resolve"): ("resolved", "resolved") for state in UNRESOLVED},
    ("resolved", "reopen"): ("open", "reopened"),
    **{(state, "edit"): (state, "updated") for state in UNRESOLVED},
}
"""(state, act of a person) → the state after it and its notice; what is not here is a repeat or refused."""


REPEATS = {("acknowledged", "acknowledge"), ("open", "unacknowledge"), ("open", "unsnooze"), ("resolved", "resolve"),
           ("open", "reopen")}  # fmt: skip


class Refused(Exception):
    """A person asked for what the state does not allow."""
