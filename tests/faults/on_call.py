"""Pages during faults: a schedule with a handoff in the middle, and a person with a topic, a number for SMS and one for calls."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any, Self

from tests.faults.paid_pages import SlowTwilio
from tests.faults.service_processes import RunningService, Senders
from tests.stand_ins.receivers import Receiver

TOPIC = "faults-of-olga"
INCIDENTS = 40


class OnCall:
    """A source whose profile pages a schedule and notifies the destinations. Nobody is on call before the handoff.

    The administrator is on call from a whole minute on, which comes some time after the beginning.
    """

    def __init__(self, running_service: RunningService, workspace: str, destinations: list[str]) -> None:
        self.running_service, self.workspace, self.destinations = running_service, workspace, destinations
        self.pager, self.twilio = Receiver(), SlowTwilio()

    def __enter__(self) -> Self:
        self.pager.start()
        self.twilio.start()
        self._be_reachable()
        minute = datetime.now(UTC).replace(second=0, microsecond=0) + timedelta(minutes=1)
        self.handoff = minute if minute - datetime.now(UTC) > timedelta(seconds=30) else minute + timedelta(minutes=1)
        me = self.running_service.call("GET", "/v1/me")["id"]
        start = self.handoff.strftime("%Y-%m-%dT%H:%M")
        layer = {"name": "Days", "start": start, "unit": "day", "every": 1, "members": [[me]]}
        schedule = self._made("schedules", name="Faults", timezone="UTC", layers=[layer])["id"]
        step = {"afterMinutes": 0, "minSeverity": None, "destinationIds": self.destinations}
        profile = self._made("routing-profiles", name="Pages", steps=[{**step, "people": [{"scheduleId": schedule}]}])
        source = self._made("sources", name="Paging", routingProfileId=profile["id"])
        key = self.running_service.call("POST", f"/v1/sources/{source['id']}/keys", {"name": "paging"})["secret"]
        self._senders = Senders(self.running_service, key, threads=2, incidents=INCIDENTS, pause=0.02)
        self._senders.__enter__()
        return self

    def __exit__(self, *given: object) -> None:
        self._senders.__exit__(*given)

    @property
    def accepted(self) -> dict[str, str]:
        """The accepted events by the `externalId` that the sender gave."""
        return self._senders.accepted

    def close(self) -> None:
        """Ends the receivers of the pages."""
        self.pager.stop()
        self.twilio.stop()

    def _be_reachable(self) -> None:
        """Adds confirmed contact methods, and rules that use them at once."""
        config = {"server": self.pager.url, "topic": TOPIC}
        provider = self._made("destinations", name="Pager", kind="ntfy", config=config, forContactMethods=True)["id"]
        new = {"kind": "ntfy", "address": TOPIC, "providerId": provider}
        method = self.running_service.call("POST", "/v1/me/contact-methods", new)["id"]
        code = re.findall(r"\b\d{6}\b", self.pager.requests[-1].body.decode())[0]
        self.running_service.call("POST", f"/v1/me/contact-methods/{method}/confirm", {"code": code})
        methods = [method, *self.twilio.add_methods(self.running_service, self.workspace)]
        rules = {"default": [{"afterMinutes": 0, "method": each} for each in methods], "critical": []}
        self.running_service.call("PUT", "/v1/me/notification-rules", rules)

    def _made(self, noun: str, **fields: Any) -> dict[str, Any]:
        made: dict[str, Any] = self.running_service.call(
            "POST", f"/v1/{noun}", {"workspaceId": self.workspace, **fields}
        )
        return made


def check_pages(running_service: RunningService, on_call: OnCall) -> tuple[int, int]:
    """Each due page is sent once, and nobody is paged who was off when the step was due. Returns both counts of pages."""
    ask = running_service.ask
    off = "SELECT id FROM pages WHERE user_id IS NOT NULL AND created_at < %s AND schedule_id IS NOT NULL"
    assert ask(off, on_call.handoff) == [], "paged before the shift"
    missed = "SELECT id FROM pages WHERE cause IS NOT NULL AND created_at >= %s"
    assert ask(missed, on_call.handoff) == [], "on call and not paged"
    unsent = (
        "SELECT p.id FROM pages p CROSS JOIN unnest(p.destination_ids) t(id) LEFT JOIN deliveries d"
        " ON d.notice_id = p.notice_id AND d.destination_id = t.id"
        " WHERE p.cause IS NULL GROUP BY p.id, t.id"
        " HAVING count(d.id) <> 1 OR min(d.status) NOT IN ('sent', 'gathered', 'skipped')"
    )
    assert ask(unsent) == [], "a page that was not sent, or twice by one method"
    [(paged, nobody)] = ask(
        "SELECT count(*) FILTER (WHERE cause IS NULL), count(*) FILTER (WHERE cause IS NOT NULL) FROM pages"
    )
    return paged, nobody
