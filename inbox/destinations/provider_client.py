"""The client for identity providers: `requests` on the guarded pools of the outgoing client."""

from __future__ import annotations

from typing import Any

import requests
from requests.adapters import HTTPAdapter
from urllib3 import HTTPConnectionPool, Timeout

from inbox.destinations.bounded_response import read_body
from inbox.destinations.http import NO_RETRIES, Client, Request
from inbox.destinations.lookup import OF_OPERATOR
from inbox.destinations.pools import Answer, CallFailed, CallTime, Pool
from inbox.domain.deliveries.delivery import FailureReason


class ProviderClient(Client):
    """A client that lets `requests` write the request.

    It uses no session. So `requests` reads no proxy, netrc or cookie, and follows no redirect.
    """

    lookup_threads = OF_OPERATOR

    def _send(self, pool: Pool, request: Request, limits: CallTime) -> Answer:
        url = f"{request.url.scheme}://{request.url.authority}{request.url.path}"
        timeout = Timeout(connect=limits.step, total=limits.left)
        try:
            prepared = requests.Request(request.method, url, dict(request.headers), data=request.body).prepare()
            response = PoolAdapter(pool).send(prepared, stream=True, timeout=timeout).raw  # type: ignore[arg-type]
        except requests.Timeout:
            raise CallFailed(FailureReason.TIMEOUT) from None
        except requests.RequestException:
            raise CallFailed(FailureReason.UNSENDABLE) from None
        body = read_body(response, self._body_bytes)
        response.close()
        return Answer(response.status, list(response.headers.items()), body)


class PoolAdapter(HTTPAdapter):
    """Sends requests through one pool, whose address is checked and whose TLS context verifies."""

    def __init__(self, pool: HTTPConnectionPool) -> None:
        super().__init__(max_retries=NO_RETRIES)
        self._pool = pool

    def get_connection_with_tls_context(self, *_: Any, **__: Any) -> HTTPConnectionPool:
        """Return the pool, because `requests` would resolve the name again and connect to an unchecked address."""
        return self._pool

    def cert_verify(self, *_: object) -> None:
        """Do nothing, because `requests` would add public certificate authorities to the pool."""
