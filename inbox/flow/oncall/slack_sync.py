"""Shows in Slack who is on call: by a user group and the topic of a channel (specification 23.23).

1. The worker claims a schedule whose people have changed (commit).
2. It compares what Slack shows with who is on call now, and changes what differs.
3. It records the result (commit). After a failure it tries again, with the people who are on call by then.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from inbox.database.base import db
from inbox.destinations import outbound_policy
from inbox.destinations.base import Config
from inbox.destinations.slack import on_call
from inbox.destinations.slack.on_call import LONGEST_TOPIC, SlackRefused
from inbox.domain.explaining.formatting import series
from inbox.domain.oncall.followed import Reachable
from inbox.domain.oncall.shifts import who
from inbox.flow.delivery.senders import decrypted_config
from inbox.flow.oncall import computed, record
from inbox.flow.unit_of_work import work
from inbox.models.deliveries import results
from inbox.models.deliveries.destinations import Destination
from inbox.models.oncall import calendars, slack
from inbox.models.oncall.schedules import OnCallSchedule
from inbox.models.oncall.slack import OnCallSlack
from inbox.runtime import sealing

log = structlog.get_logger(__name__)

Clock = Callable[[], datetime]

LEASE = timedelta(minutes=10)
"""Longer than the calls for the most people of a schedule take."""

FIRST_PAUSE, LONGEST_PAUSE = timedelta(minutes=1), timedelta(minutes=15)
"""The times until Slack is called again after a failure; each is twice the one before."""

MAX_PEOPLE = 20
"""The most people of a user group."""

NO_DESTINATION = "The Slack destination is disabled or deleted, or has no bot token."
UNSEALED = "The token of the Slack destination cannot be decrypted."
UNKNOWN = "Slack has no account with the address of {}."


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What Slack should show."""

    config: Config
    schedule: str
    people: Sequence[Reachable]


def sync_due(clock: Clock, is_stopping: Callable[[], bool] = lambda: False) -> int:
    """Brings Slack in step for the schedules that are due, one after the other; returns their number."""
    count = 0
    while not is_stopping():
        with db.connection_context():
            with work():
                claimed = slack.claim(clock(), clock() + LEASE)
            if claimed is None:
                break
            wanted = _wanted(claimed, clock())
        _sync(claimed, wanted, clock)
        count += 1
    return count


def _wanted(claimed: OnCallSlack, now: datetime) -> _Wanted | str:
    """Returns what Slack should show now, or why it cannot be called."""
    found = Destination.get_or_none(id=claimed.destination_id, deleted_at=None, enabled=True, kind="slack")
    schedule: OnCallSchedule | None = OnCallSchedule.get_or_none(id=claimed.schedule_id)
    if found is None or schedule is None or "channel" not in found.config:
        return NO_DESTINATION
    try:
        config = decrypted_config(results.read(found.id))
    except sealing.CannotUnseal:
        return UNSEALED
    made = computed.current([schedule], now, now + timedelta(days=1))[schedule.id]
    present = {each.user_id for each in who(made, now)}
    people = [each for each in calendars.reachable(schedule.workspace_id) if each.id in present]
    return _Wanted(config, schedule.name, people[:MAX_PEOPLE])


def _sync(claimed: OnCallSlack, wanted: _Wanted | str, clock: Clock) -> None:
    failure, retry_after = wanted if isinstance(wanted, str) else "", None
    if not isinstance(wanted, str):
        try:
            failure = _show(claimed, wanted)
        except SlackRefused as refused:
            failure, retry_after = str(refused), refused.retry_after
    now = clock()
    with db.connection_context(), work() as done:
        pause = retry_after or min(FIRST_PAUSE * 2 ** min(claimed.failures, 10), LONGEST_PAUSE)
        changed = slack.record(
            claimed,
            due_at=now + pause if failure else None,
            failure=failure or None,
            failures=claimed.failures + 1 if failure else 0,
            failing_since=(claimed.failing_since or now) if failure else None,
        )
        if changed and bool(failure) != (claimed.failing_since is not None):
            record.set_due(claimed.workspace_id, [claimed.schedule_id], now, done)
    log.info("slack in step" if not failure else "slack not in step", schedule=str(claimed.schedule_id))


def _show(claimed: OnCallSlack, wanted: _Wanted) -> str:
    """Changes what differs in Slack. Returns what could not be shown, or nothing."""
    client = outbound_policy.client()
    if claimed.sets_topic:
        on_call.set_topic(client, wanted.config, topic(wanted.schedule, [each.name for each in wanted.people]))
    if claimed.user_group_id is None:
        return ""
    found = {each: on_call.member_of(client, wanted.config, each.email) for each in wanted.people}
    on_call.set_group(client, wanted.config, claimed.user_group_id, [id for id in found.values() if id])
    missing = [each.name for each, id in found.items() if id is None]
    return UNKNOWN.format(series(missing)) if missing else ""


def topic(schedule: str, names: Sequence[str]) -> str:
    """Returns the topic of the channel. It has no markup, so that no name mentions anybody."""
    text = f"On call for {schedule}: {series(sorted(names)) if names else 'nobody'}"
    plain = "".join(each for each in text if each not in "<>&")
    return plain if len(plain) <= LONGEST_TOPIC else plain[: LONGEST_TOPIC - 1] + "…"
