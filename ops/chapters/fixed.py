"""The fixed limits of the service: their words, their constants, and the sections that describe them."""

from __future__ import annotations

from typing import NamedTuple

from inbox.api.heartbeats import watchers as watcher_endpoints
from inbox.api.heartbeats.schemas import watchers
from inbox.api.http import bodies, body_limits, csv_files, problems, read_slots
from inbox.api.http.policy import role_before_body
from inbox.api.http.schemas import base, list_filters
from inbox.api.incidents import interactions
from inbox.api.incidents.schemas import bulk, incidents
from inbox.api.oncall import person_shifts
from inbox.api.senders import hooks as tool_hooks
from inbox.api.senders import imports as import_endpoints
from inbox.api.senders import pagerduty, sender_bodies
from inbox.api.senders.schemas.sources import LONGEST_SECRET
from inbox.destinations import bounded_response, extra_headers, lookup
from inbox.destinations.email import recipients
from inbox.domain.deliveries import built_in_receiver, delivery
from inbox.domain.events import time_meaning
from inbox.domain.heartbeats import pings, schedule
from inbox.domain.heartbeats import watchers as checks
from inbox.domain.oncall import feed_memory, followed, lead_times, shifts
from inbox.domain.oncall import problems as oncall_problems
from inbox.domain.oncall import schedule as oncall_schedule
from inbox.domain.people import notification_rules, pairing
from inbox.domain.routing import decision, people
from inbox.domain.routing.matchers import clauses, evaluation_cost, patterns, size, tree
from inbox.domain.routing.matchers.trace import MAX_RECORD, MAX_SHOWN
from inbox.domain.routing.rules import rule, verdict
from inbox.domain.senders import recovery
from inbox.domain.values import jsonbody, recurrence
from inbox.flow.oncall import calendar_files, calendar_reading, feed_shifts
from inbox.flow.preview import job
from inbox.flow.routing import batch
from inbox.identity import passkeys
from inbox.intake import mail_message, mapping, paths, prometheus, sample
from inbox.intake import pagerduty as pagerduty_format
from inbox.intake.base import MOST_ELEMENTS, MOST_ITEMS
from inbox.intake.calendars import reading
from inbox.intake.importers import plan, rendered_shifts
from inbox.limits import ingest
from inbox.live import hub, mailbox
from inbox.mail_in import delivery as mail_delivery
from inbox.mail_in import hooks, session
from inbox.models.heartbeats import history
from inbox.models.lists import facets, pages, pagination
from inbox.models.routing import versions
from inbox.models.senders import source_summary, sources
from inbox.services.deliveries import destinations, replays
from inbox.services.explaining import explanations, notices, simulations
from inbox.services.heartbeats import monitors, slug_monitors
from inbox.services.incidents import facets as facet_services
from inbox.services.insight import activity, views
from inbox.services.oncall import calendars as schedule_calendars
from inbox.services.oncall import feeds, forwardings, overrides, schedules
from inbox.services.oncall import preview as schedule_preview
from inbox.services.oncall import statistics as on_call_statistics
from inbox.services.people import (
    authentication_factors,
    chat_accounts,
    contact_codes,
    contact_methods,
    contact_providers,
    devices,
    factors,
    pairings,
    passwords,
    push,
    trusted_browsers,
)
from inbox.services.records import audit
from inbox.services.routing import configuration_texts, previews, profiles, silences
from inbox.services.senders import import_children, import_fetching, import_reading, imports, keys, signing_secrets
from inbox.services.senders import sources as source_services
from inbox.services.senders.import_children import Limits
from inbox.services.workspaces import invites, members, walls
from ops import connection_limits


class Fixed(NamedTuple):
    """A limit that no setting changes."""

    what: str
    value: float
    section: str


LIMITS = (
    Fixed("bytes of a body with a credential", body_limits.CAP, "2.2"),
    Fixed("bytes of a body without a credential", body_limits.ANONYMOUS_CAP, "2.2"),
    Fixed("levels of a JSON body", jsonbody.MAX_DEPTH, "2.2"),
    Fixed("values of a JSON body", jsonbody.MAX_NODES, "2.2"),
    Fixed("members of an object of a JSON body of a person", base.MOST_MEMBERS, "2.2"),
    Fixed("values of a JSON body of several events", jsonbody.MAX_BATCH_NODES, "2.2"),
    Fixed("values of a JSON body of a webhook above 2 MiB", jsonbody.MAX_HOOK_NODES, "2.2"),
    Fixed("bytes of a webhook of a tool", tool_hooks.HOOK_CAP, "19.5"),
    Fixed("items of a webhook that are read", MOST_ITEMS, "19.5"),
    Fixed("bytes of the matches on a page", pages.PAGE_BYTES, "2.6"),
    Fixed("rows that a numbered page of a long list examines", pagination.NUMBERED_PAGE.scan_rows, "2.6"),
    Fixed("values of a filter", list_filters.MAX_VALUES, "2.6"),
    Fixed("reads of people in work in a web process", read_slots.READS_AT_ONCE, "2.8"),
    Fixed("connections of a web process", connection_limits.CONNECTIONS, "2.9"),
    Fixed("days after which a beginning counts as a wrong clock", time_meaning.MAX_BEGINNING_AGE.days, "4.3"),
    Fixed("characters of a clause, and of a value, in `routing`", MAX_SHOWN, "4.10"),
    Fixed("characters of the clauses of a rule in `routing`", MAX_RECORD, "4.10"),
    Fixed("rules in `routing` that were left out or invalid", verdict.MAX_FAILED, "4.10"),
    Fixed("rules without a decision that `trace` names", decision.MAX_NAMED_RULES, "4.10"),
    Fixed("events that a facet counts", facet_services.MAX_EVENTS, "4.11"),
    Fixed("sources of a workspace", source_services.MAX_SOURCES, "5.1"),
    Fixed("events of the last 24 hours that a source counts", sources.MAX_COUNTED, "5.1"),
    Fixed("open incidents that a source counts", source_summary.MAX_OPEN, "5.1"),
    Fixed("keys of a source", keys.MAX_KEYS, "5.2"),
    Fixed("working signing secrets of a source for a tool", signing_secrets.MOST, "5.2"),
    Fixed("characters of an entered signing secret", LONGEST_SECRET, "5.2"),
    Fixed("rules of a workspace", rule.MAX_RULES, "6.2"),
    Fixed("characters of the match in the sentence of a rule", configuration_texts.MAX_MATCH_TEXT, "6.2"),
    Fixed("levels of a match", tree.DEPTH_LIMIT, "6.3"),
    Fixed("clauses of a match", tree.CLAUSES_LIMIT, "6.3"),
    Fixed("values of a clause", clauses.VALUES_LIMIT, "6.3"),
    Fixed("characters of a pattern", patterns.LENGTH_LIMIT, "6.3"),
    Fixed("bytes of a match as JSON", size.BYTES_LIMIT, "6.3"),
    Fixed("bytes of the matches of all rules, and of all silences, of a workspace", tree.TOTAL_BYTES_LIMIT, "6.3"),
    Fixed("instructions of the patterns of a match", patterns.SIZE_LIMIT, "6.3"),
    Fixed("instructions of those of its patterns that search a body or metadata", patterns.LONG_TEXT_SIZE_LIMIT, "6.3"),
    Fixed(
        "recipients of notices in a transaction of the routing worker, before the last event",
        batch.STEP_RECIPIENTS,
        "9.1",
    ),
    Fixed(
        "recipients of a workspace in such a transaction, if an event has more than 25 on average",
        batch.WORKSPACE_RECIPIENTS,
        "9.1",
    ),
    Fixed("units of work of the rules of a workspace for an event", evaluation_cost.EVENT_BUDGET, "6.3"),
    Fixed("units of work of the silences of a workspace for an event or incident", evaluation_cost.EVENT_BUDGET, "6.3"),
    Fixed("characters of a match as text", size.TEXT_LIMIT, "6.4"),
    Fixed("routing profiles of a workspace", profiles.MAX_PROFILES, "6.7"),
    Fixed("events of a preview that is answered at once", previews.AT_ONCE, "6.9"),
    Fixed("events of a preview in the background", job.MAX_EVENTS, "6.9"),
    Fixed("fingerprints of a preview in the background", job.MAX_FINGERPRINTS, "6.9"),
    Fixed("previews of a workspace in the background at a time", previews.MAX_ACTIVE, "6.9"),
    Fixed("decisions of a simulation", simulations.MAX_DECISIONS, "6.10"),
    Fixed("versions of a rule, routing profile or on-call schedule", versions.MAX_VERSIONS, "6.11"),
    Fixed("characters of a note", incidents.LONGEST_NOTE, "7.3"),
    Fixed("incidents of a bulk action", bulk.MAX_INCIDENTS, "7.4"),
    Fixed("decisions of a page of explanations", explanations.MAX_DECISIONS, "7.7"),
    Fixed("rows of a CSV file", csv_files.MAX_ROWS, "2.6"),
    Fixed("pages that a CSV file reads", csv_files.MAX_PAGES, "2.6"),
    Fixed("decisions of a page of notices", notices.MAX_DECISIONS, "7.7"),
    Fixed("saved views of a person in a workspace", views.MAX_VIEWS, "7.10"),
    Fixed("values of a facet", facets.MAX_VALUES, "7.11"),
    Fixed("incidents that a facet counts", facet_services.MAX_INCIDENTS, "7.11"),
    Fixed("incidents of an activity", activity.MAX_INCIDENTS, "7.12"),
    Fixed("sources of an activity", activity.MAX_SOURCES, "7.12"),
    Fixed("periods of an activity", activity.MAX_PERIODS, "7.12"),
    Fixed("on-call schedules of a workspace", schedules.MAX_SCHEDULES, "23.1"),
    Fixed("layers of a schedule", oncall_schedule.MAX_LAYERS, "23.1"),
    Fixed("turns of a layer until the first one comes again", oncall_schedule.MAX_MEMBERS, "23.1"),
    Fixed("people of a turn", oncall_schedule.MAX_PEOPLE, "23.1"),
    Fixed("days of shifts in a request", shifts.MAX_RANGE.days, "23.3"),
    Fixed("shifts in a request", shifts.MAX_SHIFTS, "23.3"),
    Fixed("schedules in the shifts of a person", person_shifts.MOST, "23.3"),
    Fixed("changes and overrides that a computation of shifts evaluates", shifts.MAX_STEPS, "23.3"),
    Fixed("days of the preview of a schedule", schedule_preview.AHEAD.days, "23.4"),
    Fixed("bytes of an external calendar", calendar_files.MAX_BYTES, "23.20"),
    Fixed("events of an external calendar", reading.MAX_EVENTS, "23.20"),
    Fixed("days of an external calendar", followed.AHEAD.days, "23.20"),
    Fixed("minutes between two readings of an external calendar", calendar_reading.EVERY.seconds // 60, "23.20"),
    Fixed(
        "external calendars that a workspace reads for previews in a minute",
        schedule_calendars.PREVIEWS_A_MINUTE,
        "23.20",
    ),
    Fixed("gaps among the problems of a schedule", oncall_problems.MAX_GAPS, "23.6"),
    Fixed("overrides of a schedule that have not ended", overrides.MAX_FUTURE, "23.7"),
    Fixed("forwardings of a workspace that have not ended", forwardings.MAX_FUTURE, "23.9"),
    Fixed("rows of the log, and pages, in statistics of people on call", on_call_statistics.MAX_ROWS, "23.15"),
    Fixed("lead times of mails about shifts", lead_times.MAX_LEADS, "23.16"),
    Fixed("minutes of a lead time", lead_times.LONGEST, "23.16"),
    Fixed("reads of wall displays from a network in a minute", walls.READS_A_MINUTE, "12.11"),
    Fixed("monitors that a wall display names", walls.MAX_NAMED, "12.11"),
    Fixed("shifts of a calendar feed", feed_shifts.MAX_EVENTS, "23.14"),
    Fixed("changes and overrides that a calendar feed evaluates", feed_shifts.MAX_STEPS, "23.14"),
    Fixed("cancelled shifts of a calendar feed", feed_memory.MAX_CANCELLED, "23.14"),
    Fixed("requests that a calendar feed answers in an hour", feeds.READS_AN_HOUR, "23.14"),
    Fixed("entries in `people` of a step", people.MAX_PEOPLE, "23.12"),
    Fixed("contact methods of a person", contact_methods.MAX_METHODS, "23.11"),
    Fixed("codes of contact methods that a person requests in an hour", contact_codes.CODES_PER_HOUR, "23.11"),
    Fixed("codes that an address of a provider gets in a day", contact_codes.CODES_PER_DAY, "23.18"),
    Fixed("providers of contact methods that a person chooses from", contact_providers.MOST, "23.18"),
    Fixed("wrong tries of a code of a contact method", contact_codes.MAX_WRONG_TRIES, "23.11"),
    Fixed("notification rules of a list", notification_rules.MAX_RULES, "23.11"),
    Fixed("minutes after which a notification rule applies", notification_rules.MAX_MINUTES, "23.11"),
    Fixed("silences of a workspace whose end is in the future", silences.MAX_SILENCES, "8.1"),
    Fixed("silences of a workspace that ended within 24 hours", silences.MAX_ENDED, "8.1"),
    Fixed("occurrences of a silence", recurrence.MAX_OCCURRENCES, "8.4"),
    Fixed("destinations of a workspace", destinations.MAX_DESTINATIONS, "9.3"),
    Fixed("headers of a destination", extra_headers.MAX_HEADERS, "9.3"),
    Fixed("addresses of a destination of mails", recipients.MAX_RECIPIENTS, "9.20"),
    Fixed("look-ups of names of one zone in a web process at a time", lookup.MOST_OF_ZONE, "9.4"),
    Fixed("attempts of a delivery", len(delivery.RETRY_DELAYS), "9.6"),
    Fixed("interim responses before an answer", bounded_response.INTERIM_RESPONSES, "9.6"),
    Fixed("replayed deliveries at once", replays.MAX_REPLAYED, "9.10"),
    Fixed("requests of a workspace that the built-in receiver keeps", built_in_receiver.MAX_REQUESTS, "9.12"),
    Fixed("seconds for which the built-in receiver keeps requests", built_in_receiver.KEPT_SECONDS, "9.12"),
    Fixed("characters of a header that the built-in receiver keeps", built_in_receiver.LONGEST_HEADER, "9.12"),
    Fixed("phones of a workspace that are notified", push.MAX_PHONES_OF_WORKSPACE, "9.13"),
    Fixed("devices of a person that are notified", push.MAX_PHONES, "9.13"),
    Fixed("chat accounts of a person", chat_accounts.MAX_ACCOUNTS, "9.18"),
    Fixed("bytes of the request for a pressed button", interactions.CAP, "9.18"),
    Fixed("wrong second-factor codes of an account in a day", authentication_factors.CODES_PER_DAY, "11.3"),
    Fixed("passkeys of an account", factors.MAX_PASSKEYS, "11.4"),
    Fixed("bytes of a browser's response with a passkey, as JSON", passkeys.LONGEST_RESPONSE, "11.4"),
    Fixed("bytes of a part of such a response", passkeys.LONGEST_PART, "11.4"),
    Fixed("password hashes that wait in a web process", passwords.MOST_WAITING, "11.6"),
    Fixed("devices of a person", pairings.MAX_DEVICES, "11.10"),
    Fixed("wrong tries of a pairing code", pairing.MAX_WRONG_ATTEMPTS, "11.10"),
    Fixed("token refreshes of a device in an hour", devices.REFRESHES_PER_HOUR, "11.10"),
    Fixed("trusted browsers of an account", trusted_browsers.MAX_BROWSERS, "11.11"),
    Fixed("workspaces that a person owns", members.MAX_OWNED, "12.1"),
    Fixed("workspaces of a person", members.MAX_MEMBERSHIPS, "12.1"),
    Fixed(
        "characters of a text in a body without a workspace that is validated", role_before_body.LONGEST_TEXT, "12.2"
    ),
    Fixed("members of a workspace", members.MAX_MEMBERS, "12.3"),
    Fixed("invitations of a workspace that wait", invites.MAX_WAITING, "12.4"),
    Fixed("invitation mails of a workspace in an hour", invites.MAILS_PER_HOUR, "12.4"),
    Fixed("characters of a text in an entry of the audit log", audit.MAX_TEXT, "12.7"),
    Fixed("streams of a person in a web process", hub.STREAMS_PER_PERSON, "14.4"),
    Fixed("streams of a workspace in a web process", hub.STREAMS_PER_WORKSPACE, "14.4"),
    Fixed("streams of a web process", hub.STREAMS, "14.4"),
    Fixed("lines that wait for a stream", mailbox.CAPACITY, "14.4"),
    Fixed("entries of `errors`", problems.MAX_ERRORS, "15.1"),
    Fixed("heartbeat monitors of a workspace", monitors.MAX_MONITORS, "18.1"),
    Fixed("characters of a cron expression", schedule.LONGEST_EXPRESSION, "18.2"),
    Fixed("bytes of a ping's text", pings.BODY_BYTES, "18.5"),
    Fixed("pings of a monitor that are kept", history.KEPT_PINGS, "18.7"),
    Fixed("monitors of a source, above which pings create none", slug_monitors.MOST_OF_SOURCE, "18.11"),
    Fixed("characters at the beginning of a message that a recovery pattern searches", recovery.SEARCHED_FIRST, "19.3"),
    Fixed("characters at the end of a longer message that it searches", recovery.SEARCHED_LAST, "19.3"),
    Fixed("fields of a form of a sender", sender_bodies.MAX_FIELDS, "19.5"),
    Fixed("bytes of the headers of a part of such a form", sender_bodies.LONGEST_HEAD, "19.5"),
    Fixed("faults in the answer to a webhook of a tool", tool_hooks.LISTED_FAULTS, "19.5"),
    Fixed(
        "seconds of a source's limit that a refused body takes for each MiB", int(ingest.SOURCE_SECONDS_PER_MIB), "2.8"
    ),
    Fixed("seconds of a workspace's limit that it takes for each MiB", int(ingest.WORKSPACE_SECONDS_PER_MIB), "2.8"),
    Fixed("bytes of a body above which it is counted before it is read, after a refused one", bodies.BEGINNING, "2.8"),
    Fixed("seconds after a refused body in which that applies to its key", int(ingest.BURST_SECONDS), "2.8"),
    Fixed("elements of a list inside an item of a tool's payload that are read", MOST_ELEMENTS, "19.6"),
    Fixed("bytes of an event in the PagerDuty format", pagerduty.CAP, "19.9"),
    Fixed("characters of a `dedup_key` in the PagerDuty format", pagerduty_format.KEY_LIMIT, "19.9"),
    Fixed(
        "bytes of the labels of an alert whose fingerprint is that of Alertmanager", prometheus.LONGEST_LABELS, "19.10"
    ),
    Fixed("characters of a sample", sample.LONGEST_BODY, "19.14"),
    Fixed("recipients of a received mail", hooks.MOST_RECIPIENTS, "19.16"),
    Fixed("connections of mail senders of one address", session.MOST_PER_PEER, "19.16"),
    Fixed("mails of a session of a mail sender", session.COMMANDS["MAIL"], "19.16"),
    Fixed("`Received` headers of a received mail", mail_delivery.MOST_HOPS, "19.16"),
    Fixed("lines of the head of a received mail that are read", mail_message.MOST_HEADER_LINES, "19.16"),
    Fixed("boundaries of a received mail in parts", mail_message.MOST_BOUNDARIES, "19.16"),
    Fixed("lines of a received mail that may separate parts", mail_message.MOST_SEPARATORS, "19.16"),
    Fixed("cost of a received mail in parts, in lines", mail_message.MOST_COST, "19.16"),
    Fixed("items of a mapped payload", mapping.MOST_ITEMS, "19.17"),
    Fixed("values of a payload at which the paths of a mapping look", paths.MOST_VISITED, "19.17"),
    Fixed("characters of a template of a mapping", paths.LONGEST_TEMPLATE, "19.17"),
    Fixed("characters of a path of a mapping", paths.LONGEST_PATH, "19.17"),
    Fixed("checks of a watcher", checks.MAX_CHECKS, "20.2"),
    Fixed("characters of a check's message", checks.MESSAGE_CHARACTERS, "20.2"),
    Fixed("labels of a watcher", watchers.MOST_LABELS, "20.2"),
    Fixed("bytes of a check-in of a watcher", watcher_endpoints.CAP, "20.2"),
    Fixed("bytes of an import", import_endpoints.CAP, "22.1"),
    Fixed("bytes of a file of an import", import_reading.MAX_FILE, "22.1"),
    Fixed("characters of a document of an import", import_reading.MAX_TEXT, "22.1"),
    Fixed("bytes of the plan of an import", Limits().plan_bytes, "22.1"),
    Fixed("seconds of computing of the process that reads an import", Limits().cpu_seconds, "22.1"),
    Fixed("seconds until the process that reads an import ends", Limits().seconds, "22.1"),
    Fixed("bytes of memory of the process that reads an import", Limits().memory_bytes, "22.1"),
    Fixed("processes that read imports for a web process", import_children.MOST_CHILDREN, "22.1"),
    Fixed("seconds for which an import waits for such a process", import_children.WAIT_SECONDS, "22.1"),
    Fixed("items of the plan of an import", plan.MAX_ITEMS, "22.2"),
    Fixed("items of the plan of an on-call set-up", plan.MAX_SETUP_ITEMS, "22.2"),
    Fixed("entries of an import that become no record", plan.MOST_LEFT_OUT, "22.2"),
    Fixed("seconds of computing of the creation of an import", imports.CREATION_SECONDS, "22.3"),
    Fixed("requests to the API of an on-call set-up", import_fetching.Limits().requests, "22.12"),
    Fixed("seconds for reading the API of an on-call set-up", import_fetching.Limits().seconds, "22.12"),
    Fixed("bytes of the answers of an on-call set-up", import_fetching.Limits().total_bytes, "22.12"),
    Fixed("seconds of computing of the calls for an on-call set-up", imports.READING_SECONDS, "22.12"),
    Fixed("listed differences of the shifts of a schedule", rendered_shifts.MOST_DIFFERENCES, "22.12"),
)
"""The fixed limits, in the order of the sections."""
