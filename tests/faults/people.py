"""People who change silences, rules, profiles, settings and sources while events arrive.

A killed process may lose a single change. Changes that the final checks need are repeated until they succeed.
"""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any, Self

import requests

from tests.faults.groups import GROUPING
from tests.faults.service_processes import EMAIL, PASSWORD, RunningService, Senders

SENDERS, DOOMED = 6, 3
"""How many threads send by the keys of the one source that stays, and how many sources wait to be deleted."""

LASTING_MINUTES = 600
"""After how long without an event everything resolves by itself, once nobody changes that any more."""

TOO_LATE = frozenset({404, 409})
"""Answers to what came too late: a silence is over, an incident has moved."""

PAST = TOO_LATE | {422}
"""The same where a time is named that may have passed meanwhile."""


class People:
    """Act by act, one at a time, until the block ends; then all is as in the end: no silence, one plan, no doomed source."""

    def __init__(self, running_service: RunningService, workspace: str, destinations: list[str], seed: int) -> None:
        self.running_service, self.workspace, self.destinations = running_service, workspace, destinations
        self.acts = Counter[str]()
        self._chance, self._stop, self._session = random.Random(seed), threading.Event(), requests.Session()
        self._silences: list[str] = []
        self._doomed: list[tuple[str, Senders]] = []
        self._hand = ThreadPoolExecutor(1)

    def __enter__(self) -> Self:
        self._insist("POST", "/v1/auth/login", {"email": EMAIL, "password": PASSWORD})
        self.profile = self._made("routing-profiles", name="On call", **self._plan())
        self.rules = [
            self._made("rules", name=f"Rule {n}", matchText=f'dedupKey startsWith "{n}-"', then=self._outcome())
            for n in range(3)
        ]
        self.source = self._made("sources", name="Staying", routingProfileId=self.profile)
        self._made("rules", **GROUPING)
        self.key = self._key_of(self.source)
        for _ in range(DOOMED):
            self._hire()
        self._acting = self._hand.submit(self._go_on)
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._acting.result(120)
        for source, senders in self._doomed:
            self._delete(source)
            senders.__exit__()
        at_once = [{"afterMinutes": 0, "destinationIds": self.destinations[:1]}]
        lasting = {"renotifyMax": 0, "ackTimeoutMinutes": 0, "autoResolveMinutes": LASTING_MINUTES}
        self._insist("PATCH", f"/v1/routing-profiles/{self.profile}", {"steps": at_once, **lasting})
        self._insist("PATCH", f"/v1/workspaces/{self.workspace}", {"settings": lasting})

    @property
    def accepted(self) -> Mapping[str, str]:
        """What the senders of sources that were to be deleted had accepted."""
        return {key: event for _, senders in self._doomed for key, event in senders.accepted.items()}

    def _go_on(self) -> None:
        while not self._stop.wait(self._chance.uniform(0.1, 0.6)):
            (act,) = self._chance.choices(list(ACTS), list(ACTS.values()))
            if act(self):
                self.acts[act.__name__.strip("_")] += 1

    def _begin_a_silence(self) -> bool:
        whom = f"{self._chance.randrange(SENDERS)}-{self._chance.choice(['', '1', '2', '3'])}"
        made = self._ask("POST", "/v1/silences", {
            "workspaceId": self.workspace, "matchText": f'dedupKey startsWith "{whom}"',
            "endsAt": self._ahead(1, 8), "comment": "Upgrade",
        }, PAST)  # fmt: skip
        if made is not None:
            self._silences.append(f"/v1/silences/{made['id']}")
        return made is not None

    def _change_a_silence(self) -> bool:
        if not self._silences:
            return False
        path = self._chance.choice(self._silences[-3:])
        match self._chance.randrange(4):
            case 0:
                return self._ask("POST", f"{path}/end", {}) is not None
            case 1:
                return self._ask("POST", f"{path}/extend", {"endsAt": self._ahead(8, 12)}, PAST) is not None
            case 2:
                whom = f"{self._chance.randrange(SENDERS)}-"
                return self._ask("PATCH", path, {"matchText": f'dedupKey startsWith "{whom}"'}) is not None
            case _:
                return self._ask("DELETE", path) is not None

    def _change_a_rule(self) -> bool:
        path = f"/v1/rules/{self._chance.choice(self.rules)}"
        change = self._chance.choice([{"enabled": False}, {"enabled": True}, {"then": self._outcome()}])
        return self._ask("PATCH", path, change) is not None

    def _put_rules_in_another_order(self) -> bool:
        existing = self._ask("GET", f"/v1/rules?workspaceId={self.workspace}")
        if existing is None:
            return False
        self._chance.shuffle(self.rules)
        order = {"workspaceId": self.workspace, "ids": self.rules, "rev": existing["rulesRev"]}
        return self._ask("PUT", "/v1/rules/order", order) is not None

    def _change_the_profile(self) -> bool:
        return self._ask("PATCH", f"/v1/routing-profiles/{self.profile}", self._plan()) is not None

    def _change_the_settings(self) -> bool:
        settings = {"renotifyMinutes": {"ERROR": self._chance.choice([0, 1, 30])}, "renotifyMax": 1,
                    "autoResolveMinutes": self._chance.choice([0, 60, LASTING_MINUTES])}  # fmt: skip
        return self._ask("PATCH", f"/v1/workspaces/{self.workspace}", {"settings": settings}) is not None

    def _take_some_incidents(self) -> bool:
        found = self._ask("GET", "/v1/incidents?state=open&limit=20")
        if not found or not found["items"]:
            return False
        act, ids = self._chance.choice(["acknowledge", "resolve"]), [each["id"] for each in found["items"]]
        return self._ask("POST", "/v1/incidents/bulk", {"ids": ids, "action": act}) is not None

    def _delete_a_source(self) -> bool:
        source, _ = self._doomed[-self._chance.randint(1, DOOMED)]
        if self._ask("DELETE", f"/v1/sources/{source}") is None:
            return False
        self._hire()
        return True

    def _hire(self) -> None:
        """One more source with somebody who sends by its key, until it is refused."""
        source = self._made("sources", name=f"Doomed {len(self._doomed)}", routingProfileId=self.profile)
        senders = Senders(self.running_service, self._key_of(source), threads=1, incidents=700, mortal=True)
        self._doomed.append((source, senders.__enter__()))

    def _plan(self) -> dict[str, Any]:
        steps = [{"afterMinutes": n, "destinationIds": [self._chance.choice(self.destinations)]} for n in range(2)]
        return {
            "steps": steps[: self._chance.randint(1, 2)], "renotifyMax": self._chance.randint(0, 1),
            "autoResolveMinutes": self._chance.choice([None, 1, 60, LASTING_MINUTES]),
            "ackTimeoutMinutes": self._chance.choice([0, 1, 30]),
        }  # fmt: skip

    def _outcome(self) -> dict[str, Any]:
        if not self._chance.randrange(4):
            return {"disposition": self._chance.choice(["log", "drop"]), "severity": None, "destinationIds": []}
        to = self._chance.sample(self.destinations, self._chance.randint(0, 2))
        severity = self._chance.choice([None, "CRITICAL", "WARNING"])
        return {"disposition": "incident", "severity": severity, "destinationIds": to}

    def _ahead(self, least: float, most: float) -> str:
        return (datetime.now(UTC) + timedelta(seconds=self._chance.uniform(least, most))).isoformat()

    def _made(self, what: str, **fields: Any) -> str:
        return str(self._insist("POST", f"/v1/{what}", {"workspaceId": self.workspace, **fields})["id"])

    def _key_of(self, source: str) -> str:
        return str(self._insist("POST", f"/v1/sources/{source}/keys", {"name": "test"})["secret"])

    def _delete(self, source: str) -> None:
        self._insist("DELETE", f"/v1/sources/{source}", gone=frozenset({404}))

    def _insist(
        self, method: str, path: str, body: dict[str, Any] | None = None, gone: frozenset[int] = frozenset()
    ) -> Any:
        """Until it is answered."""
        while (answer := self._answer(method, path, body, gone)) is None:
            time.sleep(0.2)
        return answer

    def _ask(self, method: str, path: str, body: dict[str, Any] | None = None, late: frozenset[int] = TOO_LATE) -> Any:
        """What is answered; None when nobody answers, or says that it is too late."""
        return self._answer(method, path, body, late) or None

    def _answer(self, method: str, path: str, body: dict[str, Any] | None, refused: frozenset[int]) -> Any:
        """None when nobody answers, false when the answer is one of these refusals."""
        headers = {"Origin": self.running_service.address}
        try:
            answer = self._session.request(
                method, self.running_service.address + path, json=body, headers=headers, timeout=20
            )
        except requests.RequestException:
            return None
        if answer.status_code == 503:
            return None
        if answer.status_code in refused:
            return False
        assert answer.status_code < 300, (method, path, body, answer.status_code, answer.text)
        return answer.json() if answer.content else {"done": True}


ACTS: Mapping[Callable[[People], bool], float] = {
    People._begin_a_silence: 5,
    People._change_a_silence: 4,
    People._change_a_rule: 4,
    People._put_rules_in_another_order: 1,
    People._change_the_profile: 3,
    People._change_the_settings: 2,
    People._take_some_incidents: 2,
    People._delete_a_source: 3,
}
