"""Downloads an export as a person does, in a separate process.

Takes `{"port", "path", "cookie"}`. Answers one line: the times of the first and last byte, and the numbers of bytes and
events. It also says whether every line was JSON and the document was complete.
"""

from __future__ import annotations

import http.client
import json
import sys
import time
from typing import Any

import orjson

PIECE = 256 * 1024


def download(port: int, path: str, cookie: str) -> dict[str, Any]:
    """Reads the whole document without keeping it. Each item of a list stands on its own line."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    began = time.monotonic()
    connection.request("GET", path, headers={"Cookie": cookie})
    answer = connection.getresponse()
    first, size, items, rest, last = 0.0, 0, 0, b"", b""
    while piece := answer.read1(PIECE):
        first = first or time.monotonic() - began
        size += len(piece)
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            if line.startswith(b'{"') and not line.startswith(b'{"format"'):
                orjson.loads(line.removesuffix(b","))
                items += 1
        last = lines[-1] if lines else last
    took = time.monotonic() - began
    ended = answer.status == 200 and rest == b"" and last == b"]}"
    return {"status": answer.status, "first": first, "seconds": took, "bytes": size, "items": items, "whole": ended}


if __name__ == "__main__":
    print(json.dumps(download(**json.loads(sys.stdin.readline()))), flush=True)
