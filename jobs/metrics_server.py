"""Serves the metrics and the health of workers and schedulers over HTTP, for hosts without a web process.

The first process of a host that binds the port serves the metrics of all. When it ends, another process takes over. The
server answers one request at a time within two seconds, so that callers delay only each other.
"""

from __future__ import annotations

import errno
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

import structlog
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest

from inbox.config.settings import Settings
from inbox.runtime.metrics import processes
from inbox.runtime.metrics.access import may_read

log = structlog.get_logger(__name__)

RETRY_SECONDS = 5.0
REQUEST_SECONDS = 2.0


def start(settings: Settings, *, kind: str) -> None:
    """Share this process's metrics, and serve the host's metrics when `INBOX_METRICS_PORT` is set."""
    processes.expose(kind, settings.metrics_dir)
    if settings.metrics_port:
        threading.Thread(target=_serve, args=(settings,), name="metrics server", daemon=True).start()


def _serve(settings: Settings) -> None:
    where, reported = {"host": settings.host, "port": settings.metrics_port}, ""
    while True:
        try:
            server = _Server((settings.host, settings.metrics_port), settings)
        except OSError as fault:
            if fault.errno == errno.EADDRINUSE:
                log.debug("the metrics port is taken", **where)
            elif reported != str(fault):
                reported = str(fault)
                log.warning("the metrics cannot be served", fault=reported, **where)
            time.sleep(RETRY_SECONDS)
        else:
            log.info("metrics served", port=settings.metrics_port)
            server.serve_forever()


class _Server(HTTPServer):
    def __init__(self, address: tuple[str, int], settings: Settings) -> None:
        self.settings = settings
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        super().__init__(address, _Request)

    def handle_error(self, request: object, client_address: object) -> None:
        """Log nothing: a caller that disconnects or is too slow is no error."""


class _Request(BaseHTTPRequestHandler):
    timeout = REQUEST_SECONDS
    server: _Server

    def do_GET(self) -> None:
        settings, path = self.server.settings, self.path.partition("?")[0]
        if path == "/healthz":
            self._answer(200, b'{"status":"ok"}\n', "application/json")
        elif path not in ("/metrics", "/metrics/"):
            self._answer(404, b"Not found: the metrics are at /metrics.\n", "text/plain; charset=utf-8")
        elif not may_read(
            self.headers.get, self.client_address[0], token=settings.metrics_token, base_url=settings.base_url
        ):
            self._answer(401, b"Send the metrics token as a bearer credential.\n", "text/plain; charset=utf-8")
        else:
            registry = CollectorRegistry()
            registry.register(_Host())
            self._answer(200, generate_latest(registry), CONTENT_TYPE_LATEST)

    def log_message(self, *arguments: object) -> None:
        """Log nothing: a request line may contain a secret that was sent by mistake."""

    def _answer(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class _Host:
    collect = staticmethod(processes.gather)
