"""The specification has every fixed limit with its value, every limit that is a setting, and every field by its name."""

from __future__ import annotations

import re
from dataclasses import fields

from app import create_app
from inbox import settings as environment
from inbox.api import (
    bodies,
    body_limits,
    interactions,
    pagerduty,
    problems,
    read_slots,
    role_before_body,
    sender_bodies,
)
from inbox.api import hooks as tool_hooks
from inbox.api import imports as import_endpoints
from inbox.api import watchers as watcher_endpoints
from inbox.api.schemas import base, incident_bulk, incidents, list_filters, watchers
from inbox.api.schemas.sources import LONGEST_SECRET
from inbox.destinations import bounded_response, lookup
from inbox.domain import built_in_receiver, delivery, jsonbody, pairing, recovery, recurrence, routing
from inbox.domain import watchers as checks
from inbox.domain.heartbeats import pings, schedule
from inbox.domain.matchers import clauses, evaluation_cost, patterns, size, tree
from inbox.domain.matchers.trace import MAX_RECORD, MAX_SHOWN
from inbox.domain.notices import payload_of_test
from inbox.domain.rules import rule, verdict
from inbox.domain.state_machine import State
from inbox.flow.ingest import rate_limit
from inbox.flow.preview import job
from inbox.flow.routing import batch
from inbox.identity import passkeys
from inbox.intake import mail_message, mapping, paths, prometheus, sample
from inbox.intake import pagerduty as pagerduty_format
from inbox.intake.base import MOST_ELEMENTS
from inbox.intake.importers import plan
from inbox.live import hub, mailbox
from inbox.mail_in import delivery as mail_delivery
from inbox.mail_in import hooks, session
from inbox.models import source_summary
from inbox.models.heartbeats import history
from inbox.models.lists import facets, pages, pagination
from inbox.models.tables import sources, versions
from inbox.services import (
    activity,
    audit,
    authentication_factors,
    chat_accounts,
    configuration_texts,
    deliveries,
    destinations,
    devices,
    explanations,
    factors,
    heartbeats,
    import_children,
    import_reading,
    imports,
    invites,
    keys,
    members,
    notices,
    pairings,
    passwords,
    previews,
    profiles,
    push,
    signing_secrets,
    silences,
    simulations,
    slug_monitors,
    trusted_browsers,
    views,
)
from inbox.services import facets as facet_services
from inbox.services import sources as source_services
from inbox.services.import_children import Limits
from inbox.settings import Settings
from ops import connection_limits
from tests.api.test_specification import quoted, sections
from tests.domain.test_notices import NOW

CONSTANTS = {
    "look-ups of names of one zone in a web process at a time": lookup.MOST_OF_ZONE,
    "bytes of the labels of an alert whose fingerprint is that of Alertmanager": prometheus.LONGEST_LABELS,
    "elements of a list inside an item of a tool's payload that are read": MOST_ELEMENTS,
    "interim responses before an answer": bounded_response.INTERIM_RESPONSES,
    "characters of a clause, and of a value, in `routing`": MAX_SHOWN,
    "characters of the clauses of a rule in `routing`": MAX_RECORD,
    "rules in `routing` that were left out or invalid": verdict.MAX_FAILED,
    "rules without a decision that `trace` names": routing.MAX_NAMED_RULES,
    "units of work of the rules of a workspace for an event": evaluation_cost.EVENT_BUDGET,
    "units of work of the silences of a workspace for an event or incident": evaluation_cost.EVENT_BUDGET,
    "rows that a numbered page of a long list examines": pagination.NUMBERED_PAGE.scan_rows,
    "values of a payload at which the paths of a mapping look": paths.MOST_VISITED,
    "characters at the beginning of a message that a recovery pattern searches": recovery.SEARCHED_FIRST,
    "characters at the end of a longer message that it searches": recovery.SEARCHED_LAST,
    "fields of a form of a sender": sender_bodies.MAX_FIELDS,
    "bytes of the headers of a part of such a form": sender_bodies.LONGEST_HEAD,
    "bytes of a browser's response with a passkey, as JSON": passkeys.LONGEST_RESPONSE,
    "bytes of a part of such a response": passkeys.LONGEST_PART,
    "lines of a received mail that may separate parts": mail_message.MOST_SEPARATORS,
    "boundaries of a received mail in parts": mail_message.MOST_BOUNDARIES,
    "cost of a received mail in parts, in lines": mail_message.MOST_COST,
    "lines of the head of a received mail that are read": mail_message.MOST_HEADER_LINES,
    "workspaces that a person owns": members.MAX_OWNED,
    "workspaces of a person": members.MAX_MEMBERSHIPS,
    "members of a workspace": members.MAX_MEMBERS,
    "invitations of a workspace that wait": invites.MAX_WAITING,
    "sources of a workspace": source_services.MAX_SOURCES,
    "keys of a source": keys.MAX_KEYS,
    "destinations of a workspace": destinations.MAX_DESTINATIONS,
    "phones of a workspace that are notified": push.MAX_PHONES_OF_WORKSPACE,
    "devices of a person": pairings.MAX_DEVICES,
    "chat accounts of a person": chat_accounts.MAX_ACCOUNTS,
    "decisions of a simulation": simulations.MAX_DECISIONS,
    "decisions of a page of explanations": explanations.MAX_DECISIONS,
    "decisions of a page of notices": notices.MAX_DECISIONS,
    "rules of a workspace": rule.MAX_RULES,
    "routing profiles of a workspace": profiles.MAX_PROFILES,
    "silences of a workspace whose end is in the future": silences.MAX_SILENCES,
    "seconds of a source's limit that a refused body takes for each MiB": int(rate_limit.SOURCE_SECONDS_PER_MIB),
    "seconds of a workspace's limit that it takes for each MiB": int(rate_limit.WORKSPACE_SECONDS_PER_MIB),
    "bytes of a body above which it is counted before it is read": bodies.BEGINNING,
    "recipients of notices in a transaction of the routing worker, before the last event": batch.STEP_RECIPIENTS,
    "recipients of a workspace in such a transaction, if an event has more than 25 on average": batch.WORKSPACE_RECIPIENTS,
    "silences of a workspace that ended within 24 hours": silences.MAX_ENDED,
    "occurrences of a silence": recurrence.MAX_OCCURRENCES,
    "heartbeat monitors of a workspace": heartbeats.MAX_MONITORS,
    "monitors of a source, above which pings create none": slug_monitors.MOST_OF_SOURCE,
    "characters of a cron expression": schedule.LONGEST_EXPRESSION,
    "bytes of a ping's text": pings.BODY_BYTES,
    "pings of a monitor that are kept": history.KEPT_PINGS,
    "bytes of an event in the PagerDuty format": pagerduty.CAP,
    "characters of a `dedup_key` in the PagerDuty format": pagerduty_format.KEY_LIMIT,
    "working signing secrets of a source for a tool": signing_secrets.MOST,
    "characters of an entered signing secret": LONGEST_SECRET,
    "characters of a sample": sample.LONGEST_BODY,
    "checks of a watcher": checks.MAX_CHECKS,
    "characters of a check's message": checks.MESSAGE_CHARACTERS,
    "labels of a watcher": watchers.MOST_LABELS,
    "saved views of a person in a workspace": views.MAX_VIEWS,
    "events of the last 24 hours that a source counts": sources.MAX_COUNTED,
    "open incidents that a source counts": source_summary.MAX_OPEN,
    "passkeys of an account": factors.MAX_PASSKEYS,
    "trusted browsers of an account": trusted_browsers.MAX_BROWSERS,
    "levels of a match": tree.DEPTH_LIMIT,
    "clauses of a match": tree.CLAUSES_LIMIT,
    "values of a clause": clauses.VALUES_LIMIT,
    "characters of a pattern": patterns.LENGTH_LIMIT,
    "bytes of a match as JSON": size.BYTES_LIMIT,
    "characters of a match as text": size.TEXT_LIMIT,
    "bytes of the matches of all rules, and of all silences, of a workspace": tree.TOTAL_BYTES_LIMIT,
    "bytes of the matches on a page": pages.PAGE_BYTES,
    "characters of the match in the sentence of a rule": configuration_texts.MAX_MATCH_TEXT,
    "characters of a text in an entry of the audit log": audit.MAX_TEXT,
    "instructions of the patterns of a match": patterns.SIZE_LIMIT,
    "instructions of those of its patterns that search a body or metadata": patterns.LONG_TEXT_SIZE_LIMIT,
    "events of a preview that is answered at once": previews.AT_ONCE,
    "events of a preview in the background": job.MAX_EVENTS,
    "fingerprints of a preview in the background": job.MAX_FINGERPRINTS,
    "previews of a workspace in the background at a time": previews.MAX_ACTIVE,
    "values of a filter": list_filters.MAX_VALUES,
    "values of a facet": facets.MAX_VALUES,
    "incidents that a facet counts": facet_services.MAX_INCIDENTS,
    "events that a facet counts": facet_services.MAX_EVENTS,
    "incidents of an activity": activity.MAX_INCIDENTS,
    "sources of an activity": activity.MAX_SOURCES,
    "periods of an activity": activity.MAX_PERIODS,
    "versions of a rule or routing profile": versions.MAX_VERSIONS,
    "incidents of a bulk action": incident_bulk.MAX_INCIDENTS,
    "characters of a note": incidents.LONGEST_NOTE,
    "reads of people in work in a web process": read_slots.READS_AT_ONCE,
    "replayed deliveries at once": deliveries.MAX_REPLAYED,
    "attempts of a delivery": len(delivery.RETRY_DELAYS),
    "requests of a workspace that the built-in receiver keeps": built_in_receiver.MAX_REQUESTS,
    "seconds for which the built-in receiver keeps requests": built_in_receiver.KEPT_SECONDS,
    "characters of a header that the built-in receiver keeps": built_in_receiver.LONGEST_HEADER,
    "wrong second-factor codes of an account in a day": authentication_factors.CODES_PER_DAY,
    "password hashes that wait in a web process": passwords.MOST_WAITING,
    "wrong tries of a pairing code": pairing.MAX_WRONG_ATTEMPTS,
    "token refreshes of a device in an hour": devices.REFRESHES_PER_HOUR,
    "devices of a person that are notified": push.MAX_PHONES,
    "invitation mails of a workspace in an hour": invites.MAILS_PER_HOUR,
    "streams of a person in a web process": hub.STREAMS_PER_PERSON,
    "streams of a workspace in a web process": hub.STREAMS_PER_WORKSPACE,
    "streams of a web process": hub.STREAMS,
    "lines that wait for a stream": mailbox.CAPACITY,
    "connections of a web process": connection_limits.CONNECTIONS,
    "bytes of a body with a credential": body_limits.CAP,
    "bytes of a body without a credential": body_limits.ANONYMOUS_CAP,
    "bytes of a check-in of a watcher": watcher_endpoints.CAP,
    "bytes of the request for a pressed button": interactions.CAP,
    "items of a mapped payload": mapping.MOST_ITEMS,
    "characters of a template of a mapping": paths.LONGEST_TEMPLATE,
    "characters of a path of a mapping": paths.LONGEST_PATH,
    "recipients of a received mail": hooks.MOST_RECIPIENTS,
    "connections of mail senders of one address": session.MOST_PER_PEER,
    "mails of a session of a mail sender": session.COMMANDS["MAIL"],
    "`Received` headers of a received mail": mail_delivery.MOST_HOPS,
    "bytes of an import": import_endpoints.CAP,
    "bytes of a file of an import": import_reading.MAX_FILE,
    "characters of a document of an import": import_reading.MAX_TEXT,
    "members of an object of a JSON body of a person": base.MOST_MEMBERS,
    "items of the plan of an import": plan.MAX_ITEMS,
    "entries of an import that become no record": plan.MOST_LEFT_OUT,
    "bytes of the plan of an import": Limits().plan_bytes,
    "seconds of computing of the process that reads an import": Limits().cpu_seconds,
    "seconds until the process that reads an import ends": Limits().seconds,
    "bytes of memory of the process that reads an import": Limits().memory_bytes,
    "processes that read imports for a web process": import_children.MOST_CHILDREN,
    "seconds for which an import waits for such a process": import_children.WAIT_SECONDS,
    "seconds of computing of the creation of an import": imports.CREATION_SECONDS,
    "characters of a text in a body without a workspace that is validated": role_before_body.LONGEST_TEXT,
    "levels of a JSON body": jsonbody.MAX_DEPTH,
    "values of a JSON body": jsonbody.MAX_NODES,
    "values of a JSON body of several events": jsonbody.MAX_BATCH_NODES,
    "faults in the answer to a webhook of a tool": tool_hooks.LISTED_FAULTS,
    "entries of `errors`": problems.MAX_ERRORS,
}
NO_LIMITS = {"mail_in_port", "port", "web_workers", "database_connections", "trusted_proxies", "metrics_port"}
"""Settings that are numbers and bound nothing that a client can meet."""


def table(section: str) -> dict[str, tuple[str, str]]:
    """The rows of a table with three columns, by the first; its head and rule left out."""
    found = re.findall(r"^\| (.+?) \| (.+?) \| (.+?) \|$", sections()[section], re.MULTILINE)
    return {re.sub("^`(.*)`$", r"\1", name): (value, where) for name, value, where in found[1:]}


def number(text: str) -> int:
    return int(text.replace(",", ""))


def test_fixed_limits_have_the_values_of_the_code() -> None:
    assert {name: number(value) for name, (value, _) in table("17.2").items()} == CONSTANTS


def test_every_limit_that_is_a_setting_is_listed_with_its_default() -> None:
    defaults = {
        environment.variable(each.name): each.default
        for each in fields(Settings)
        if each.type == "int" and each.name not in NO_LIMITS
    }

    assert {name: number(value) for name, (value, _) in table("17.3").items()} == defaults


def test_limits_name_sections_that_exist() -> None:
    where = {section for part in ("17.2", "17.3") for _, section in table(part).values()}

    assert where <= sections().keys()


def test_states_and_members_of_a_webhook_are_listed() -> None:
    described = set(re.findall(r"`data\.(\w+)`", sections()["10.2"]))

    assert set(State) <= quoted("3.1", "The states are")
    assert payload_of_test("Ops", "https://inbox.example", NOW)["data"].keys() <= described


def test_every_field_and_parameter_of_the_api_is_named(settings: Settings) -> None:
    document = create_app(settings).test_client().get("/v1/openapi.json").json
    prose = re.sub(r"```\w*\n(.*?)```", r"`\1`", "\n".join(sections().values()), flags=re.DOTALL)
    words = {word for code in re.findall("`([^`]+)`", prose) for word in re.findall(r"[\w-]+", code)}
    members = {
        f"{name}.{member}"
        for name, schema in document["components"]["schemas"].items()
        for member in schema.get("properties", {})
    }
    parameters = {
        f"{path}.{parameter['name']}"
        for path, item in document["paths"].items()
        for operation in item.values()
        if isinstance(operation, dict)
        for parameter in operation.get("parameters", [])
        if parameter.get("in") in ("query", "header")
    }

    assert len(members) > 400
    assert {name for name in members | parameters if name.rpartition(".")[2] not in words} == set()
