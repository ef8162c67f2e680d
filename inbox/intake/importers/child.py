"""Program that reads a set-up of another tool in a child process, within limits (decision 0009).

`services/senders/import_reading` starts it with `python -I`. Standard input has one line of JSON, the order, and then
the set-up. Standard output gets one JSON object: a plan, or the reason why there is none.
"""

from __future__ import annotations

import os
import sys
import traceback
from contextlib import suppress
from datetime import datetime
from typing import Any

import orjson

from inbox.intake.importers import answers
from inbox.intake.importers.import_kind import ImportForm, Options
from inbox.intake.importers.plan import Plan, Unreadable
from inbox.intake.importers.registry import KINDS
from inbox.runtime import child_process

PRIORITY = 10
"""Added to the niceness, so that requests are computed first."""


def main() -> None:
    """Reads the set-up, and writes the result."""
    order = orjson.loads(sys.stdin.buffer.readline())
    child_process.limit(memory_bytes=order["memoryBytes"], cpu_seconds=order["cpuSeconds"])
    with suppress(OSError):
        os.nice(PRIORITY)
    try:
        result = _result(order, sys.stdin.buffer.read())
    except MemoryError:
        result = orjson.dumps({"outOfMemory": True})
    sys.stdout.buffer.write(result)


def _result(order: dict[str, Any], content: bytes) -> bytes:
    try:
        result = orjson.dumps({"plan": _plan(order, content)})
    except Unreadable as fault:
        return orjson.dumps({"unreadable": str(fault)})
    except MemoryError:
        raise
    except Exception as fault:  # noqa: BLE001 - the process that started this one raises it
        # The text of an exception may repeat the set-up, whose tokens must not reach a log.
        at = traceback.extract_tb(fault.__traceback__)[-1]
        return orjson.dumps({"failed": f"{type(fault).__name__} in {at.filename}:{at.lineno}"})
    if len(result) > order["planBytes"]:
        return orjson.dumps({"unreadable": f"Its plan has more than {order['planBytes']:,} bytes."})
    return result


def _plan(order: dict[str, Any], content: bytes) -> Plan:
    kind = KINDS[order["kind"]]
    if kind.read_setup is not None:
        return kind.read_setup(*_setup(kind.kind, order, content))
    match order["form"]:
        case ImportForm.DOCUMENT if kind.read_text is not None:
            return kind.read_text(content.decode(), Options(order["timezone"], order["hasUser"]))
        case ImportForm.FILE if kind.read_file is not None:
            return kind.read_file(content)
        case ImportForm.ADDRESS if kind.read_answers is not None:
            return kind.read_answers(_answers(order["answers"], content))
    raise Unreadable("It is not imported in this form.")


def _setup(kind: str, order: dict[str, Any], content: bytes) -> tuple[dict[str, Any], datetime]:
    """Returns the answers of a whole set-up, and the time at which they were read."""
    if order["form"] == ImportForm.FILE:
        return answers.read(kind, content)
    return _answers(order["answers"], content), datetime.fromisoformat(order["at"])


def _answers(sizes: dict[str, int], content: bytes) -> dict[str, Any]:
    """Returns the JSON answers of a server, which follow each other in the content. An empty one was refused."""
    found, at = {}, 0
    for path, size in sizes.items():
        try:
            found[path] = orjson.loads(content[at : at + size]) if size else None
        except ValueError:
            raise Unreadable(f"The answer to {path} is no JSON.") from None
        at += size
    return found
