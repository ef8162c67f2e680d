"""Scenarios in the namespace. Each gives the number of its calls and their results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from itertools import product
from typing import Any

from inbox.config import settings as in_force
from inbox.destinations import KINDS, Config, Message
from inbox.destinations.descriptors import FieldType
from inbox.destinations.http import Client
from inbox.destinations.outbound_policy import operators_client, policy
from inbox.destinations.provider_client import ProviderClient
from inbox.destinations.service import EditingKind
from inbox.destinations.web_push import push_encryption
from inbox.domain.values.addresses import AddressRefused
from inbox.domain.values.refusals import ValidationFailed
from inbox.identity.faults import OidcRefused
from inbox.identity.provider_metadata import ProviderMetadata
from tests.destinations.kinds.cases import CASES
from tests.destinations.kinds.notice_bodies import AT, body
from tests.destinations.namespace import apprise_scenarios
from tests.destinations.namespace.places import (
    ALWAYS_FORBIDDEN,
    HOSTED,
    OWN_ADDRESSES,
    OWN_PORTS,
    SELF_HOSTED,
    TAILS,
    in_brackets,
)
from tests.destinations.namespace.world import FORBIDDEN, PUBLIC, World
from tests.domain.values.test_address_spellings import forms
from tests.stand_ins.push_service import Subscription
from tests.stand_ins.receivers import SECRET, Receiver

NOW = datetime(2026, 11, 22, tzinfo=UTC)
CHAT_REFERENCE = {"channel": "C1", "ts": "1.0", "id": "m1", "chatId": 1, "messageId": 1, "eventId": "$1"}

Result = dict[str, Any]


def hostile_urls() -> list[str]:
    """One URL of each kind that leads to our side: spellings, names, and the ports of our own servers."""
    hosts = [*map(in_brackets, FORBIDDEN), "127.1", "2130706433", "0x7f.1", "0177.0.0.1", "①②⑦.⓪.⓪.①", "localhost"]
    hosts += ["metadata.example.com", "mixed-3.example.com", "user@10.0.0.1", "example.com#@127.0.0.1", "127.0.0.1."]
    return [f"{scheme}://{host}{tail}" for scheme, host, tail in product(("http", "https"), hosts, ("/", ":8080/x"))]


def every_url_form(world: World) -> Result:
    """All spellings of addresses, at saving and at sending, by a hosted instance."""
    client, saved, sent = Client(HOSTED), 0, 0
    urls = [f"{scheme}://{form}{tail}" for _, form in forms() for scheme in ("http", "https") for tail in TAILS]
    for url in urls:
        saved += is_saved(client, url)
        sent += client.post(url, b"{}", {}).status_code is not None
    return {"calls": len(urls), "saved": saved, "answered": sent}


def forms_that_no_instance_calls(world: World) -> Result:
    """Addresses that are never called, and the ports of our own servers, by an instance that calls private addresses."""
    client, saved = Client(policy(SELF_HOSTED)), 0
    hosts = [form for target, form in forms() if target in ALWAYS_FORBIDDEN and not form.startswith(("[fc", "[fd"))]
    hosts += map(in_brackets, ALWAYS_FORBIDDEN)
    urls = [f"{scheme}://{host}{tail}" for scheme in ("http", "https") for host in hosts for tail in TAILS]
    urls += [f"http://{host}:{port}/v1/events" for host in OWN_ADDRESSES for port in OWN_PORTS]
    for url in urls:
        saved += is_saved(client, url)
        client.post(url, b"{}", {})
    return {"calls": len(urls), "saved": saved}


def rebinding(world: World) -> Result:
    """1,000 sends to names whose answer changes after the first question: half were asked before, when they were saved."""
    client, saved = Client(HOSTED), 0
    for number in range(1_000):
        url = f"https://swap-{number}.example.com/hook"
        saved += is_saved(client, url) if number % 2 else 0
        client.post(url, b"{}", {})
    for number in range(200):
        saved += is_saved(client, f"https://mixed-{number}.example.com/")
        client.post(f"https://mixed-{number}.example.com/", b"{}", {})
    counts = {name: world.names.questions[name, kind] for name, kind in world.names.questions}
    resolved_once = sum(
        count == 1 for name, count in counts.items() if name.startswith("swap-") and name.endswith(".com")
    )
    return {"calls": 1_000, "saved": saved, "resolved once": resolved_once}


def settings_of_kinds(world: World) -> Result:
    """Each hostile URL in each field of each kind: at saving, and at sending as if it had been saved."""
    client, calls, saved = Client(HOSTED), 0, []
    for kind_name, given in all_settings():
        kind = KINDS[kind_name]
        for each, url in product(kind.description.fields, hostile_urls()):
            if each.type in (FieldType.FLAG, FieldType.NUMBER, FieldType.CHOICE):
                continue
            try:
                kind.validate({**given, each.name: url}, client.vet)
            except ValidationFailed:
                pass
            else:
                saved += [f"{kind_name} {each.name}"] if each.type is FieldType.URL else []
            calls += send(kind_name, given, {each.name: url}, client)
    return {"calls": calls, "saved": sorted(set(saved))}


def push_endpoints(world: World) -> Result:
    """Endpoints of phones: at any host, at a known service whose name leads elsewhere, at a host of the operator."""
    with Receiver() as anywhere:
        subscription = Subscription(anywhere)
    in_force.use(SELF_HOSTED)
    client, calls = Client(HOSTED), 0
    names = ["fcm.googleapis.com", "web.push.apple.com", "metadata.example.com", "mixed-5.push.apple.com"]
    names += [f"swap-{number}.push.services.mozilla.com" for number in range(100)]
    urls = [*hostile_urls(), *(f"https://{name}/push" for name in names), "http://fcm.googleapis.com:8080/"]
    key = {
        "p256dh": subscription.keys["p256dh"],
        "auth": subscription.keys["auth"],
        "privateKey": push_encryption.new_key()[0],
    }
    for url in urls:
        if "swap-" in url:
            world.names.questions.update([(url.split("/")[2], kind) for kind in (1, 28)])  # it was asked before
        config = Config({}, {"endpoint": url, **key})
        KINDS["web_push"].send(Message("dlv_1", body(), AT), config, client)
        calls += 1
    return {"calls": calls}


def identity_providers(world: World) -> Result:
    """Issuers and key addresses: of a hosted instance any, of the operator's settings those that are never called."""
    in_force.use(SELF_HOSTED)
    own = [f"http://{host}:{port}" for host in OWN_ADDRESSES for port in OWN_PORTS]
    never = [f"https://{in_brackets(each)}" for each in ALWAYS_FORBIDDEN] + ["https://metadata.example.com", *own]
    found = {"calls": 0, "answered": 0}
    for client, urls in ((ProviderClient(HOSTED), hostile_urls()), (operators_client(), never)):
        for url in urls:
            for ask in (lambda it: it.metadata(NOW), lambda it: it.keys(None, url, NOW)):  # noqa: B023
                found["calls"] += 1
                found["answered"] += has_answer(ask, ProviderMetadata(url, client))
    return found


def what_is_allowed(world: World) -> Result:
    """The counterpart: calls that the policies allow arrive, so the listeners see whoever connects."""
    Client(policy(SELF_HOSTED)).post("http://10.0.0.1/", b"{}", {})
    Client(policy(SELF_HOSTED)).post("http://[fd00::1]/", b"{}", {})
    Client(HOSTED).post(f"https://{PUBLIC}/", b"{}", {})
    Client(HOSTED).post("https://swap-0.example.net/", b"{}", {})
    return {"calls": 4}


SCENARIOS: Mapping[str, Callable[[World], Result]] = {
    each.__name__: each
    for each in (
        what_is_allowed,
        every_url_form,
        forms_that_no_instance_calls,
        rebinding,
        settings_of_kinds,
        push_endpoints,
        identity_providers,
        *apprise_scenarios.SCENARIOS,
    )
}


def is_saved(client: Client, url: str) -> bool:
    """Whether a destination with the URL could be saved."""
    try:
        client.vet(url)
    except AddressRefused:
        return False
    return True


def all_settings() -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each kind with settings of each form."""
    yield "webhook", {"url": "https://example.org/", "secret": SECRET}
    for case in CASES.values():
        yield case.kind, case.settings


def send(kind_name: str, given: Mapping[str, Any], changed: Mapping[str, Any], client: Client) -> int:
    """Send with settings of which no check was made: a first message, and one that changes an earlier one."""
    kind, stored = KINDS[kind_name], KINDS[kind_name].validate(given, lambda url: None)
    secret = {each.name for each in kind.description.fields if each.secret}
    chosen = {**stored.public, **stored.secrets, **changed}
    public = {name: value for name, value in chosen.items() if name not in secret}
    config = Config(public, {name: value for name, value in chosen.items() if name in secret})
    with suppress(KeyError, ValueError):  # settings that saving refuses
        kind.send(Message("dlv_1", body(), AT), config, client)
        if isinstance(kind, EditingKind) and (place := kind.place(config)):
            kind.send(Message("dlv_2", body(), AT, {"place": place, **CHAT_REFERENCE}), config, client)
    return 1


def has_answer(ask: Callable[[ProviderMetadata], Any], directory: ProviderMetadata) -> bool:
    """Whether the provider answered anything."""
    try:
        ask(directory)
    except OidcRefused:
        return False
    return True
