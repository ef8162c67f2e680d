"""Upgrades a running instance of an earlier version under load, and counts what is lost: `bin/bench upgrade --help`.

1. Start the earlier version from the history of this repository: web, workers and scheduler.
2. Send it events, and make work that waits: snoozes, a silence, held notices, previews.
3. Migrate the database while the earlier version works on. Start this version beside it. Stop the earlier version.
4. Wait until nothing is due, and compare what was accepted with what was routed, sent and received.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bench.environment import Api, BenchEnvironment
from bench.programs import Program
from bench.upgrade_checks import Waiting, counts, faults, settled
from bench.upgrade_sender import Sender
from inbox.distribution import ROOT

BEFORE_NAMES = "0cebef4^"
"""The last commit of version 0028, whose tables and columns have other names."""

SETTLE_SECONDS = 1800.0
SNOOZED = 200
BESIDE_SECONDS = 30.0
ACCOUNT_READY_SECONDS = 120


def main(arguments: Sequence[str]) -> int:
    """Return 0 when nothing was lost, sent twice or left behind."""
    options = _parser().parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="inbox-upgrade-") as folder:
        tree = _checked_out(options.since, Path(folder) / "earlier")
        with BenchEnvironment.open(Path(folder) / "instance", root=tree) as earlier:
            found = run(earlier, options.events)
    for name, value in found.items():
        print(f"{name:40} {value}")
    wrong = faults(found)
    print("\n".join(wrong) or "Nothing was lost.")
    return 1 if wrong else 0


def run(earlier: BenchEnvironment, events: int) -> dict[str, Any]:
    """Upgrade the instance with so many events, and count."""
    now = earlier.with_root(ROOT)
    with Program("receiver") as receiver, ExitStack() as stack:
        earlier_parts = stack.enter_context(ExitStack())
        web = earlier_parts.enter_context(_service(earlier))
        web.send_everything_to([receiver.read_line()["port"]])
        key = web.source_key()
        _fill(web, key, events)
        began = datetime.now(UTC)
        waiting = _wait_work(web, began)
        sender = stack.enter_context(Sender(key))
        sender.send_to(web.port)
        migration_seconds = _migrate(now)
        later = stack.enter_context(_service(now, wait=False))
        sender.send_to(later.port)
        time.sleep(BESIDE_SECONDS)
        earlier_parts.close()
        later.call("PATCH", f"/v1/workspaces/{later.workspace_id()}", {"settings": {"quietHours": {"enabled": False}}})
        until = max(waiting.until, datetime.now(UTC) + timedelta(seconds=BESIDE_SECONDS))
        time.sleep((until - datetime.now(UTC)).total_seconds())
        sender.stop()
        settled(now, SETTLE_SECONDS)
        return {
            "events before the upgrade": events,
            "seconds of the migration": round(migration_seconds, 1),
            **counts(now, later, waiting, sender, receiver, events),
        }


@contextmanager
def _service(environment: BenchEnvironment, *, wait: bool = True) -> Iterator[Api]:
    """The web processes, two workers and the scheduler of a version."""
    with environment.web() as web, environment.workers(2, wait=wait), environment.scheduler():
        yield web


def _fill(web: Api, key: str, events: int) -> None:
    """Send the events in batches of a hundred, and wait until they are routed."""
    answered = web.load(kind="batch", connections=4, token=key, requests=events // 100)
    assert answered["answers"] * 100 >= events, answered
    print(f"{events:,} events accepted", file=sys.stderr, flush=True)


def _wait_work(web: Api, now: datetime) -> Waiting:
    """Snooze incidents, silence others, hold the notices of quiet hours, begin two previews: all end after the upgrade."""
    workspace, until = web.workspace_id(), now + timedelta(minutes=4)
    end = until.isoformat().replace("+00:00", "Z")
    _until_routed(web)
    listed = web.call("GET", f"/v1/incidents?workspaceId={workspace}&limit=200&state=open")["items"]
    snoozed = [each["id"] for each in listed[:SNOOZED]]
    for incident in snoozed:
        web.call("POST", f"/v1/incidents/{incident}/snooze", {"until": end})
    silence = {"workspaceId": workspace, "matchText": 'title startsWith "Job 77"', "comment": "Upgrade", "endsAt": end}
    web.call("POST", "/v1/silences", silence)
    days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
    quiet = {"enabled": True, "timezone": "UTC", "windows": [{"days": days, "start": "00:00", "end": "23:00"}]}
    if now.hour == 23:
        quiet["windows"] = [{"days": days, "start": "22:00", "end": "21:00"}]
    web.call("PATCH", f"/v1/workspaces/{workspace}", {"settings": {"quietHours": quiet}})
    rule = {
        "name": "Previewed",
        "matchText": "severity >= ERROR",
        "then": {"disposition": "log"},
    }
    order = {
        "workspaceId": workspace,
        "rule": rule,
        "since": (now - timedelta(days=1)).isoformat().replace("+00:00", "Z"),
    }
    previews = [str(answer["id"]) for _ in range(2) if "id" in (answer := web.call("POST", "/v1/rules/preview", order))]
    return Waiting(snoozed=snoozed, previews=previews, until=until)


def _until_routed(web: Api) -> None:
    until = time.monotonic() + SETTLE_SECONDS
    pending = "/v1/events?disposition=pending&limit=1"
    while web.call("GET", pending)["items"]:
        if time.monotonic() > until:
            raise RuntimeError("the earlier version did not route all events in time")
        time.sleep(1)


def _migrate(environment: BenchEnvironment) -> float:
    began = time.monotonic()
    subprocess.run(
        [sys.executable, "-m", "ops.first_run", "--json"],
        cwd=ROOT, env=environment.environment, check=True, stdout=subprocess.DEVNULL, timeout=1800,
    )  # fmt: skip
    return time.monotonic() - began


def _checked_out(commit: str, folder: Path) -> Path:
    """Write the files of a commit into a folder."""
    folder.mkdir(parents=True)
    archive = folder.with_suffix(".tar")
    with archive.open("wb") as file:
        subprocess.run(["git", "archive", commit], cwd=ROOT, check=True, stdout=file)
    with tarfile.open(archive) as opened:
        opened.extractall(folder)  # Python 3.11.2 knows no filters, and the archive is ours
    return folder


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bin/bench upgrade", description="Upgrade a running instance under load.")
    parser.add_argument("--since", default=BEFORE_NAMES, metavar="COMMIT", help="the earlier version")
    parser.add_argument("--events", type=int, default=1_000_000, metavar="N", help="events before the upgrade")
    return parser
