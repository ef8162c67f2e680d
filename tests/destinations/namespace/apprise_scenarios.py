"""Apprise scenarios in the namespace. Its process asks for each address, and connects by itself."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

from inbox.config import settings as in_force
from inbox.config.settings import Settings
from inbox.destinations import KINDS, Config, Message, apprise
from inbox.destinations.http import Client
from inbox.destinations.outbound_policy import policy
from inbox.domain.explaining import notice_content
from inbox.runtime.child_process import Child
from tests.destinations.kinds.notice_bodies import AT, body
from tests.destinations.namespace.places import (
    ALWAYS_FORBIDDEN,
    HOSTED,
    OWN_ADDRESSES,
    OWN_PORTS,
    SELF_HOSTED,
    TAILS,
    in_brackets,
)
from tests.destinations.namespace.world import FORBIDDEN, World
from tests.domain.values.test_address_spellings import forms

ORDERS = Path(__file__).parent / "apprise_orders.py"
SCHEMAS = ("json", "jsons")
OTHER_SCHEMAS = ("form", "xmls", "rocket://user:password@", "emby://user:password@", "bark")
"""Further schemas whose address has a host that anybody chooses."""

WITH_APPRISE: Settings = replace(SELF_HOSTED, allow_apprise=True, delivery_timeout_seconds=60)
TEXT = apprise.layout(notice_content.of_body(body()))

Result = dict[str, Any]


@contextmanager
def sender() -> Iterator[Child]:
    """A guarded process that sends one order after another."""
    command = [sys.executable, "-I", str(ORDERS), str(apprise.PROGRAM)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        yield Child(process)


def results_of(urls: Iterable[str], client: Client) -> list[Mapping[str, Any]]:
    """What the process says of a message to each address."""
    found = []
    with sender() as child:
        for url in urls:
            result = apprise._talk(child, {"url": url, **TEXT}, client)
            assert result is not None, url
            found.append(result)
    return found


def summary(results: list[Mapping[str, Any]]) -> Result:
    """How many calls there were, how many were sent, and how many addresses the library could not read."""
    sent, unreadable = (sum(each["sent"] is value for each in results) for value in (True, None))
    return {"calls": len(results) - unreadable, "sent": sent}


def each_form_through_apprise(world: World) -> Result:
    """All spellings of addresses by a hosted instance, in the place of the host of several services."""
    hosts = [form for _, form in forms()]
    urls = [f"{schema}://{host}/" for schema, host in product(SCHEMAS, hosts)]
    for schema, host, tail in product(OTHER_SCHEMAS, map(in_brackets, FORBIDDEN), ("/room", ":8080/room")):
        urls.append(f"{schema}{'' if '://' in schema else '://'}{host}{tail}")
    return summary(results_of(urls, Client(HOSTED)))


def apprise_of_an_instance_with_private_receivers(world: World) -> Result:
    """Addresses that are never called, and the ports of our own servers."""
    urls = [f"{schema}://{in_brackets(host)}{tail}" for schema, host, tail in product(SCHEMAS, ALWAYS_FORBIDDEN, TAILS)]
    urls += [f"json://{host}:{port}/" for host, port in product(OWN_ADDRESSES, OWN_PORTS)]
    return summary(results_of(urls, Client(policy(SELF_HOSTED))))


def rebinding_through_apprise(world: World) -> Result:
    """Names whose answer changes after the first question, and names with a public and a forbidden address."""
    urls = [f"jsons://swap-{number}.example.org/" for number in range(200)]
    urls += [f"jsons://mixed-{number}.example.org/" for number in range(200)]
    return summary(results_of(urls, Client(HOSTED)))


def messages_through_apprise(world: World) -> Result:
    """The same as the service sends: a process for each message, of which the last one is allowed."""
    in_force.use(WITH_APPRISE)
    client, reasons = Client(HOSTED), []
    for url in ("json://127.0.0.1/", "jsons://[fe80::1]/", "json://2130706433/", "jsons://metadata.example.org/"):
        reasons.append(
            str(KINDS["apprise"].send(Message("dlv_1", body(), AT), Config({}, {"url": url}), client).failure)
        )
    allowed = Client(policy(SELF_HOSTED))
    KINDS["apprise"].send(Message("dlv_1", body(), AT), Config({}, {"url": "json://10.0.0.1/"}), allowed)
    return {"calls": len(reasons) + 1, "failures": sorted(set(reasons))}


SCENARIOS = (
    each_form_through_apprise,
    apprise_of_an_instance_with_private_receivers,
    rebinding_through_apprise,
    messages_through_apprise,
)
