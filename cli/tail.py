"""`bin/inbox tail`: prints the stream of changes, one line of JSON each (specification 14.2)."""

from __future__ import annotations

import argparse
import http.client
import json
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from cli.command import Failed, command
from cli.instance import dial, takes_address
from inbox.domain.people.cookies import cookie_name

SILENCE_SECONDS = 60.0
"""Longer than two of the stream's pings. After this silence the stream counts as disconnected."""

USUAL = "http://127.0.0.1:8080"
"""The base URL of an instance without `INBOX_BASE_URL`."""

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 30.0


def add_to(commands: Any) -> None:
    """Adds `tail`."""
    about = (
        'Print the stream of changes: a line of JSON for each, and {"type": "resync"} when some may have been'
        " missed. The token of a session or of a paired device comes from INBOX_TOKEN."
    )
    made = command(commands, "tail", tail, about, on_database=False)
    made.add_argument("--token", help="instead of INBOX_TOKEN; visible to all users of the machine")
    takes_address(made)


class Interrupted(Exception):
    """The stream ended or was refused. A new attempt makes sense after `seconds`."""

    def __init__(self, why: str, seconds: float | None = None) -> None:
        super().__init__(why)
        self.seconds = seconds


def tail(options: argparse.Namespace) -> int:
    """Prints changes until interrupted. Raises `Failed` when the token is refused, or nobody answers at first."""
    token = (options.token or os.environ.get("INBOX_TOKEN", "")).strip()
    if not token or not token.isascii() or not token.isprintable():
        raise Failed("Set INBOX_TOKEN to the token of a session or of a paired device.")
    was_connected, pause = False, FIRST_PAUSE
    while True:
        try:
            for change in _changes(options, token):
                was_connected, pause = True, FIRST_PAUSE
                print(json.dumps(change), flush=True)
        except Interrupted as end:
            if not was_connected:
                raise Failed(str(end)) from None
            wait = pause if end.seconds is None else end.seconds
            print(f"{end}; retrying in {wait:g} s", file=sys.stderr)
        time.sleep(wait)
        pause = min(pause * 2, LONGEST_PAUSE)


def _changes(options: argparse.Namespace, token: str) -> Iterator[dict[str, Any]]:
    """Yields the changes of one connection.

    Raises `Interrupted` at its end, `Failed` when another one would fail, too.
    """
    connection, path, name = dial(options, SILENCE_SECONDS)
    try:
        for headers in _ways(token, (name, options.environment.get("INBOX_BASE_URL", USUAL))):
            connection.request("GET", f"{path}/v1/stream", headers=headers)
            answer = connection.getresponse()
            if answer.status == 200:
                yield from _read(answer)
                raise Interrupted(f"{name} ended the stream")
            _refused(answer)
        raise Failed(f"{name} rejected the token.")
    except (OSError, http.client.HTTPException, ValueError) as fault:
        raise Interrupted(f"{name} did not send a valid answer: {fault or type(fault).__name__}") from None
    finally:
        connection.close()


def _ways(token: str, addresses: Sequence[str]) -> tuple[Mapping[str, str], ...]:
    """Returns both forms of the credential, because a device's token looks like a session's.

    A session's cookie is named after the base URL, which may differ from the called address.
    """
    names = {cookie_name("inbox_session", address) for address in (*addresses, "http://x", "https://x")}
    return {"Authorization": f"Bearer {token}"}, {"Cookie": "; ".join(f"{name}={token}" for name in sorted(names))}


def _read(answer: http.client.HTTPResponse) -> Iterator[dict[str, Any]]:
    while line := answer.readline():
        if line.startswith(b"data:"):
            yield json.loads(line.removeprefix(b"data:"))


def _refused(answer: http.client.HTTPResponse) -> None:
    """Ignores a 401, so that another form is tried. Raises `Interrupted` or `Failed` for any other answer."""
    problem_body = answer.read()
    if answer.status == 401:
        return
    if answer.status == 429 or answer.status >= 500:
        after = answer.headers.get("Retry-After", "")
        raise Interrupted(f"answered {answer.status}", float(after) if after.isdecimal() else None)
    raise Failed(f"{answer.status}: {json.loads(problem_body).get('detail', '')}")
