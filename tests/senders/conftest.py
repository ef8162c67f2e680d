"""One instance for a sender, and the state that its events cause."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from inbox.flow.routing.route import route
from inbox.intake.snippets import KEY, KINDS
from inbox.models.events.tables import Event
from inbox.models.incidents.tables import Incident
from ops.children import Child
from tests.cast import Cast, present
from tests.faults.service_processes import until
from tests.live.web import Web
from tests.senders.programs import python_of_clients

SECONDS = 60


@dataclass(frozen=True)
class Instance:
    """A web process, and a source key of the source `source`."""

    address: str
    key: str
    cast: Cast

    def snippet(self, kind: str, name: str, key: str = "") -> str:
        """The text that the service shows for this sender, with the key."""
        [found] = [each for each in KINDS[kind].snippets if each.name == name]
        return found.text(self.address).replace(KEY, key or self.key)

    def incidents(self) -> dict[str, str]:
        """The states of the incidents by title, after everything that arrived is routed."""
        route(present)
        return {each.title: each.state for each in Incident.select().order_by(Incident.id)}

    def becomes(self, condition: Callable[[dict[str, str]], Any], what: str) -> dict[str, str]:
        """Wait until the incidents meet the condition."""
        until(lambda: condition(self.incidents()), f"{what}: {self.incidents()}", SECONDS)
        return self.incidents()

    def events(self) -> list[dict[str, Any]]:
        """The stored events, the oldest first."""
        return list(Event.select().order_by(Event.id).dicts())


@pytest.fixture
def instance(cast: Cast, web_of_file: Web) -> Instance:
    """An instance with one web process; the test routes."""
    return Instance(f"http://127.0.0.1:{web_of_file.port}", cast.key, cast)


@contextmanager
def running(argv: Sequence[str | Path], folder: Path) -> Iterator[Child]:
    """A program runs inside the block. Its output is in `sender.log`."""
    child = Child(name=Path(argv[0]).name, argv=argv, cwd=folder, log=folder / "sender.log")
    child.start()
    try:
        yield child
    finally:
        child.stop(grace=15)


def python(script: str, environment: Mapping[str, str]) -> str:
    """What a script prints that uses the installed clients; fails with its error."""
    done = subprocess.run(
        [python_of_clients(), "-c", script], env={**os.environ, "PYTHONPATH": "", **environment},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.strip()
