"""The web app: a table of contents."""

from __future__ import annotations

from pathlib import Path

from flask import Flask

from inbox.api import blueprints
from inbox.api.heartbeats.plain_pings import PlainPings
from inbox.api.http import (
    addresses,
    authorization,
    body_limits,
    conditional,
    connections,
    errors,
    limits,
    read_slots,
    requests,
    wrong_addresses,
)
from inbox.api.http.base_path import BasePath
from inbox.api.http.client_address import ClientAddress
from inbox.api.http.json import OrjsonProvider
from inbox.api.instance import dashboard
from inbox.api.senders.ingest import Ingest
from inbox.api.senders.plain_hooks import PlainHooks
from inbox.api.senders.sender_addresses import SenderAddresses
from inbox.config.settings import Settings
from inbox.domain.values.base_url import path_of


def create_app(settings: Settings, *, built: Path | None = None) -> Flask:
    """Returns the WSGI app of a process that `inbox.services.instance.bootstrap.configure` has configured.

    Raises when an endpoint has no policy. `built` is the folder of the built dashboard; without it the plain pages are
    served.
    """
    app = Flask("inbox", static_folder=None)
    app.json = OrjsonProvider(app)
    app.config["PROVIDE_AUTOMATIC_OPTIONS"] = False
    app.url_map.merge_slashes = False

    requests.install(app)
    limits.install(app)
    conditional.install(app)
    errors.install(app)
    addresses.install(app)
    body_limits.install(app)
    read_slots.install(app)
    connections.install(app)
    authorization.install(app)

    blueprints.install(app, settings)
    dashboard.install(app, built)
    wrong_addresses.install(app)

    app.wsgi_app = SenderAddresses(app)  # type: ignore[method-assign]
    app.wsgi_app = PlainHooks(app.wsgi_app)  # type: ignore[method-assign]
    app.wsgi_app = PlainPings(app.wsgi_app)  # type: ignore[method-assign]
    app.wsgi_app = Ingest(app.wsgi_app)  # type: ignore[method-assign]
    if path := path_of(settings.base_url):
        app.wsgi_app = BasePath(app.wsgi_app, path)  # type: ignore[method-assign]
    if settings.trusted_proxies:
        app.wsgi_app = ClientAddress(app.wsgi_app, settings.trusted_proxies)  # type: ignore[method-assign]
    return app
