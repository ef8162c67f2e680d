"""Sends two events with INBOX_SOURCE_KEY through the service of the environment, in this process, and prints the files they pass.

The answer is JSON: for each step of the second event, and for the first event, the files of `inbox` in which a function was called.
A separate process, because threads that began before the trace are not seen.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections import defaultdict
from pathlib import Path
from types import FrameType
from typing import Any

from app import create_app
from inbox.config.settings import Settings
from inbox.database.base import db
from inbox.flow.delivery.deliver import deliver
from inbox.flow.routing.route import route
from inbox.services.instance import bootstrap
from tests.api.events.senders import Sender
from tests.cast import present

PROJECT = f"{Path(__file__).parent.parent.parent}/"


class Trace:
    """The files of `inbox` in which a function is called, in this thread and in those that it starts, by step."""

    def __init__(self) -> None:
        self.files = defaultdict[str, set[str]](set)
        self.step = ""
        threading.setprofile(self._see)
        sys.setprofile(self._see)

    def _see(self, frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_name not in ("<module>", "<lambda>"):
            path = frame.f_code.co_filename
            if path.startswith(f"{PROJECT}inbox/"):
                self.files[self.step].add(path.removeprefix(PROJECT))


def main() -> None:
    settings = Settings.from_env(os.environ)
    bootstrap.configure(settings, application="inbox-test")
    sender = Sender(create_app(settings), os.environ["INBOX_SOURCE_KEY"])
    trace = Trace()
    for names in [["first"] * 3, ["ingest", "routing", "delivery"]]:
        with db.connection_context():
            trace.step = names[0]
            sender.stored({"title": "Disk full", "severity": "ERROR", "resource": f"host:{names[0]}"})
            trace.step = names[1]
            assert route(present) == 1
            trace.step = names[2]
            deliver(present)
    sys.setprofile(None)
    print(json.dumps({step: sorted(files) for step, files in trace.files.items()}))
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
