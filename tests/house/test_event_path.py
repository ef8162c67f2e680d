"""How many files of the product one event passes, from `POST /v1/events` to a delivered webhook.

The event is the second of its source: caches and compiled rules are those of a service that runs.

`bin/test tests/house/test_event_path.py -s` prints the files of each step.
"""

from __future__ import annotations

import sys
import threading
from collections import defaultdict
from pathlib import Path
from types import FrameType
from typing import Any, Self

from flask import Flask

from inbox.flow.delivery.deliver import deliver
from inbox.flow.routing.route import route
from tests.api.events.senders import Sender
from tests.cast import Cast, present
from tests.flow.routing_fixtures import route_to
from tests.flow.rulemaking import clause, rule
from tests.outgoing_posts import make_destination
from tests.receivers import Receiver

PROJECT = Path(__file__).parent.parent.parent
MOST_FILES = 84
"""The number of today; the aim is 50 (decision 0046). A change that needs fewer lowers it."""


class Trace:
    """The files of `inbox` and `app.py` in which a function is called, in this thread and in those that it starts, by step."""

    def __init__(self) -> None:
        self.files = defaultdict[str, set[str]](set)
        self.step = ""
        self._ended = False

    def __enter__(self) -> Self:
        threading.setprofile(self._see)
        sys.setprofile(self._see)
        return self

    def __exit__(self, *_: object) -> None:
        self._ended = True
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]

    def _see(self, frame: FrameType, event: str, _: Any) -> None:
        if self._ended:
            sys.setprofile(None)  # of a thread that outlives the test
        elif event == "call" and frame.f_code.co_name not in ("<module>", "<lambda>"):
            path = frame.f_code.co_filename
            if path.startswith((f"{PROJECT}/inbox/", f"{PROJECT}/app.py")):
                self.files[self.step].add(path.removeprefix(f"{PROJECT}/"))


def test_one_event_passes_no_more_files_than_today(app: Flask, cast: Cast) -> None:
    with Receiver() as receiver, Trace() as trace:
        route_to(cast.workspace, [make_destination(cast.workspace, receiver)])
        rule(cast.workspace, clause("title", "contains", "disk"))
        sender = Sender(app, cast.key)
        for names in [["first"] * 3, ["ingest", "routing", "delivery"]]:
            trace.step = names[0]
            [event] = sender.stored({"title": "Disk full", "severity": "ERROR", "resource": f"host:{names[0]}"})
            trace.step = names[1]
            assert route(present) == 1
            trace.step = names[2]
            deliver(present)
        _, request = receiver.requests
    assert event["status"] == "accepted" and request.verified()["data"]["resource"] == "host:ingest"

    steps = {name: trace.files[name] for name in ("ingest", "routing", "delivery")}
    everything = set().union(*steps.values())
    for name, files in {**steps, "first event alone": trace.files["first"] - everything}.items():
        print(f"\n{name}, {len(files)} files:", *sorted(files), sep="\n  ")
    print(f"\n{len(everything)} files in all")
    assert min(len(files) for files in steps.values()) > 10
    assert len(everything) <= MOST_FILES
