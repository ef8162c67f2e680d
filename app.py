"""The web app: a table of contents."""

from __future__ import annotations

from pathlib import Path

from flask import Flask

from inbox.api import (
    account,
    action_links,
    activity,
    addresses,
    admin,
    agent_file,
    audit,
    auth,
    authorization,
    body_limits,
    built_in_receiver,
    chat_accounts,
    cloudevents,
    conditional,
    connections,
    dashboard,
    deliveries,
    destination_kinds,
    destination_pages,
    destinations,
    devices,
    document,
    errors,
    events,
    export,
    factors,
    health,
    heartbeat_monitors,
    heartbeats,
    hooks,
    imports,
    incident_bulk,
    info,
    interactions,
    invites,
    keys,
    landing_page,
    legacy,
    limits,
    links,
    mappings,
    members,
    metrics,
    notices,
    oidc,
    opsgenie,
    pagerduty,
    preferences,
    previews,
    problem_pages,
    profiles,
    prometheus,
    push,
    push_pings,
    read_slots,
    requests,
    rule_vocabulary,
    setup,
    silences,
    source_kinds,
    sources,
    start,
    statistics,
    status_callbacks,
    stream,
    trusted_browsers,
    unsubscribing,
    versions,
    views,
    watchers,
    well_known,
    workspaces,
    wrong_addresses,
)
from inbox.api.blueprint import AliasConverter, TypeIdConverter
from inbox.api.client_address import ClientAddress
from inbox.api.ingest import Ingest
from inbox.api.json import OrjsonProvider
from inbox.api.plain_hooks import PlainHooks
from inbox.api.plain_pings import PlainPings
from inbox.settings import Settings

BLUEPRINTS = (
    setup.blp,
    auth.blp,
    oidc.blp,
    links.blp,
    preferences.blp,
    trusted_browsers.blp,
    start.blp,
    factors.blp,
    workspaces.blp,
    members.blp,
    invites.blp,
    audit.blp,
    account.blp,
    export.blp,
    admin.blp,
    devices.blp,
    push.blp,
    sources.blp,
    mappings.blp,
    source_kinds.blp,
    imports.blp,
    keys.blp,
    events.blp,
    legacy.blp,
    hooks.blp,
    pagerduty.blp,
    prometheus.blp,
    opsgenie.blp,
    cloudevents.blp,
    heartbeat_monitors.blp,
    heartbeats.blp,
    push_pings.blp,
    watchers.blp,
    incident_bulk.blp,
    views.blp,
    activity.blp,
    versions.blp,
    statistics.blp,
    rule_vocabulary.blp,
    previews.blp,
    silences.blp,
    profiles.blp,
    destination_kinds.blp,
    destination_pages.blp,
    destinations.blp,
    built_in_receiver.blp,
    interactions.blp,
    status_callbacks.blp,
    chat_accounts.blp,
    chat_accounts.pages,
    deliveries.blp,
    notices.blp,
    stream.blp,
    info.blp,
    problem_pages.blp,
    health.blp,
    metrics.blp,
    landing_page.blp,
    action_links.blp,
    unsubscribing.blp,
    agent_file.blp,
    document.blp,
)


def create_app(settings: Settings, *, built: Path | None = None) -> Flask:
    """The WSGI app of a process that is wired (`inbox.bootstrap.wire`); raises when a route has no policy.

    `built` is the folder of the built dashboard; without it the plain pages are served.
    """
    app = Flask("inbox", static_folder=None)
    app.json = OrjsonProvider(app)
    app.config["PROVIDE_AUTOMATIC_OPTIONS"] = False
    app.url_map.converters["typeid"] = TypeIdConverter
    app.url_map.converters["alias"] = AliasConverter
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

    api = document.Api(app, settings)
    for blueprint in BLUEPRINTS:
        api.register_blueprint(blueprint)
    dashboard.install(app, built)
    well_known.install(app)
    authorization.verify(app)
    wrong_addresses.install(app)

    app.wsgi_app = PlainHooks(app.wsgi_app)  # type: ignore[method-assign]
    app.wsgi_app = PlainPings(app.wsgi_app)  # type: ignore[method-assign]
    app.wsgi_app = Ingest(app.wsgi_app)  # type: ignore[method-assign]
    if settings.trusted_proxies:
        app.wsgi_app = ClientAddress(app.wsgi_app, settings.trusted_proxies)  # type: ignore[method-assign]
    return app
