"""All blueprints of the service. A module that is not listed here is not served."""

from __future__ import annotations

from flask import Flask

from inbox.api.configuration import kept_records
from inbox.api.deliveries import (
    built_in_receiver,
    deliveries,
    destination_kinds,
    destination_pages,
    destinations,
    notices,
    status_callbacks,
    unsubscribing,
)
from inbox.api.heartbeats import monitors, pings, push_pings, watchers
from inbox.api.http import policy
from inbox.api.http.blueprint import AliasConverter, TypeIdConverter
from inbox.api.incidents import action_links, app_interactions, bulk, interactions, phone_answers
from inbox.api.insight import activity, statistics, views
from inbox.api.instance import (
    admin,
    agent_file,
    guide_pages,
    health,
    info,
    landing_page,
    metrics,
    problem_pages,
    setup,
    start,
    stream,
    well_known,
)
from inbox.api.oncall import calendars, feeds, forwardings, overrides, person_shifts, schedules, shifts
from inbox.api.oncall import log as on_call_log
from inbox.api.oncall import previews as schedule_previews
from inbox.api.oncall import statistics as on_call_statistics
from inbox.api.oncall import versions as schedule_versions
from inbox.api.openapi import document
from inbox.api.people import (
    account,
    auth,
    chat_accounts,
    contact_methods,
    devices,
    factors,
    links,
    notification_rules,
    oidc,
    push,
    trusted_browsers,
)
from inbox.api.routing import previews, profiles, silences, versions, vocabulary
from inbox.api.senders import (
    cloudevents,
    events,
    hooks,
    imports,
    keys,
    legacy,
    mappings,
    opsgenie,
    pagerduty,
    prometheus,
    source_kinds,
    sources,
)
from inbox.api.workspaces import audit, export, invites, members, walls, workspaces
from inbox.config.settings import Settings

BLUEPRINTS = (
    setup.blp,
    auth.blp,
    oidc.blp,
    links.blp,
    notification_rules.blp,
    contact_methods.blp,
    trusted_browsers.blp,
    start.blp,
    factors.blp,
    workspaces.blp,
    members.blp,
    invites.blp,
    walls.blp,
    kept_records.blp,
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
    monitors.blp,
    pings.blp,
    push_pings.blp,
    watchers.blp,
    bulk.blp,
    views.blp,
    activity.blp,
    versions.blp,
    statistics.blp,
    vocabulary.blp,
    previews.blp,
    silences.blp,
    profiles.blp,
    schedules.blp,
    shifts.blp,
    overrides.blp,
    schedule_versions.blp,
    schedule_previews.blp,
    on_call_log.blp,
    person_shifts.blp,
    forwardings.blp,
    feeds.blp,
    calendars.blp,
    on_call_statistics.blp,
    destination_kinds.blp,
    destination_pages.blp,
    guide_pages.blp,
    destinations.blp,
    built_in_receiver.blp,
    interactions.blp,
    app_interactions.blp,
    phone_answers.blp,
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
"""The blueprints, in the order in which the OpenAPI document describes them."""

PAGES = well_known.blp
"""Pages and files for browsers (`dashboard`, `well_known`), which the OpenAPI document leaves out."""


def install(app: Flask, settings: Settings) -> None:
    """Registers all blueprints. Raises `PolicyIncomplete` when an endpoint has no policy."""
    app.url_map.converters["typeid"] = TypeIdConverter
    app.url_map.converters["alias"] = AliasConverter
    api = document.Api(app, settings)
    for blueprint in BLUEPRINTS:
        api.register_blueprint(blueprint)
    app.register_blueprint(PAGES)
    policy.verify(app.view_functions)
