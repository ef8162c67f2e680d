"""The health check of a container: `python -m ops.healthy` ends with 0 when the part in the container answers.

A container of web processes is asked at `INBOX_PORT`, every other one at `INBOX_METRICS_PORT`, which must be set there.
"""

from __future__ import annotations

import http
import http.client
import os
import sys
from collections.abc import Mapping

from inbox.domain.values.base_url import path_of
from ops.listening import ANYWHERE

TIMEOUT_SECONDS = 4.0


def address(environ: Mapping[str, str]) -> tuple[str, int, str]:
    """Returns host, port and path of the health check. An unset variable has the default of its setting."""
    host = environ.get("INBOX_HOST") or "127.0.0.1"
    metrics_port = int(environ.get("INBOX_METRICS_PORT") or 0)
    path = "" if metrics_port else path_of(environ.get("INBOX_BASE_URL", ""))
    return ANYWHERE.get(host, host), metrics_port or int(environ.get("INBOX_PORT") or 8080), f"{path}/healthz"


def main(environ: Mapping[str, str]) -> int:
    """Returns 0 for the answer 200, else 1 with the reason on standard error."""
    host, port, path = address(environ)
    connection = http.client.HTTPConnection(host, port, timeout=TIMEOUT_SECONDS)
    try:
        connection.request("GET", path)
        status = connection.getresponse().status
    except (OSError, http.client.HTTPException) as fault:
        print(f"{host}:{port} does not answer: {fault}", file=sys.stderr)
        return 1
    finally:
        connection.close()
    if status != http.HTTPStatus.OK:
        print(f"{host}:{port}{path} answers {status}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(os.environ))
