"""Stored secrets stay with the place they were entered for: every kind, every field beside a secret (specification 9.3)."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

import pytest

from inbox.destinations import KINDS, Config, Message
from inbox.destinations.descriptors import FieldDescription, FieldType, KindDescription
from inbox.destinations.http import CallResult, Client
from inbox.domain.values import addresses
from inbox.domain.values.addresses import OutboundPolicy
from inbox.domain.values.refusals import ValidationFailed
from tests.destinations.kinds.cases import CASES, rows, with_table
from tests.destinations.kinds.notice_bodies import AT, body
from tests.stand_ins.receivers import Answer, Receiver, Request

ELSEWHERE = "https://elsewhere.example.net/"
SETTINGS: dict[str, tuple[str, Mapping[str, Any]]] = {
    **{name: (case.kind, case.settings) for name, case in CASES.items()},
    **{
        name: (module.__name__.rpartition(".")[2], settings)
        for module in with_table("MORE_SETTINGS")
        for name, settings in module.MORE_SETTINGS.items()
    },
}
"""Each kind with each form of its settings."""

OTHER_TEXTS = {name: text for module in with_table("OTHER_TEXTS") for name, text in module.OTHER_TEXTS.items()}
PLACES = rows("PLACES")


def vet(url: str) -> None:
    """The check of addresses, without a policy."""
    addresses.parse(url)


def stored(name: str) -> Config:
    kind, settings = SETTINGS[name]
    return KINDS[kind].validate(settings, vet)


def faults(name: str, change: Mapping[str, Any], before: Config | None = None) -> dict[str, str]:
    """What is wrong with an edit of the stored settings, by the names of fields."""
    try:
        KINDS[SETTINGS[name][0]].validate(change, vet, before or stored(name))
    except ValidationFailed as refused:
        return {fault.pointer.removeprefix("/config/"): fault.detail for fault in refused.errors}
    return {}


def other_values(field: FieldDescription, value: Any) -> list[Any]:
    """Other values of a field than this one, among them none where the field can be empty."""
    found: list[Any] = {
        FieldType.URL: [ELSEWHERE],
        FieldType.CHOICE: [each for each in field.choices if each != value],
        FieldType.FLAG: [not value],
        FieldType.NUMBER: [8],
        FieldType.TEXT: [OTHER_TEXTS.get(field.name)],
        FieldType.TEMPLATE: [OTHER_TEXTS.get(field.name)],
    }[field.type]
    if field.name == "to" and "@" in str(value):
        found = ["mallory@example.net"]
    assert None not in found, f"name another value of the field {field.name}"
    return found if field.required else [*found, None]


def changes(name: str) -> Iterator[dict[str, Any]]:
    """Every edit of one field that is no secret."""
    for field in KINDS[SETTINGS[name][0]].description.fields:
        if not field.secret:
            for value in other_values(field, SETTINGS[name][1].get(field.name, field.default)):
                yield {field.name: value}


class TwoPlaces(Client):
    """The client of the product between two receivers: `home` has the known origins, `elsewhere` all others."""

    def __init__(self, home: Receiver, elsewhere: Receiver) -> None:
        super().__init__(OutboundPolicy(allow_private=True, allow_loopback=True), deadline=60.0)
        self.home_origins: set[tuple[str, str]] | None = None
        self.origins = set[tuple[str, str]]()
        self.home, self.elsewhere = home, elsewhere

    def exchange(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None = None) -> CallResult:
        parts = urlsplit(url)
        origin = (parts.scheme, parts.netloc)
        self.origins.add(origin)
        is_home = self.home_origins is None or origin in self.home_origins
        place = f"127.0.0.1:{(self.home if is_home else self.elsewhere).port}"
        return super().exchange(method, urlunsplit(("http", place, *parts[2:])), headers, body)


@contextmanager
def two_places() -> Iterator[TwoPlaces]:
    with Receiver(Answer(200, b"{}")) as home, Receiver(Answer(200, b"{}")) as elsewhere:
        client = TwoPlaces(home, elsewhere)
        yield client
        client.close()


def has_secret(request: Request, config: Config) -> bool:
    """Whether the request discloses one of the secrets, of an address its last part."""
    shown = [request.path, *request.headers.values(), request.body.decode()]
    basic = request.headers.get("authorization", "")
    if basic.startswith("Basic "):
        shown.append(base64.b64decode(basic.removeprefix("Basic ")).decode())
    text = "\n".join([*shown, *map(unquote, shown)])
    return any((secret.rsplit("/", 1)[1] if "://" in secret else secret) in text for secret in config.hidden_texts)


def sent(name: str, config: Config, client: Client) -> None:
    KINDS[SETTINGS[name][0]].send(Message("dlv_1", body("test"), AT), config, client)


def test_every_kind_is_among_the_cases() -> None:
    assert {kind for kind, _ in SETTINGS.values()} == set(KINDS) - {"web_push"}
    assert KINDS["web_push"].description.fields == ()


@pytest.mark.parametrize("name", sorted(set(SETTINGS) - {"email", "apprise"}))
def test_no_edit_of_another_field_sends_a_stored_secret_elsewhere(name: str) -> None:
    before = stored(name)
    with two_places() as client:
        sent(name, before, client)
        client.home_origins = set(client.origins)
        assert any(has_secret(each, before) for each in client.home.requests) is (name != "webhook")

        for change in changes(name):
            try:
                config = KINDS[SETTINGS[name][0]].validate(change, vet, before)
            except ValidationFailed:
                continue
            sent(name, config, client)

        assert [each.path for each in client.elsewhere.requests if has_secret(each, before)] == []


@pytest.mark.parametrize(("name", "place", "secrets"), PLACES)
def test_a_changed_address_requires_the_secret_again(name: str, place: str, secrets: set[str]) -> None:
    [field] = [each for each in KINDS[SETTINGS[name][0]].description.fields if each.name == place]
    value = other_values(field, stored(name).public.get(place))[0]
    entered = {each: SETTINGS[name][1][each] for each in secrets}

    found = faults(name, {place: value})

    assert set(found) == secrets
    assert all(text.startswith("must be entered again: the ") for text in found.values())
    assert faults(name, {place: value, **entered}) == {}


@pytest.mark.parametrize("name", sorted(SETTINGS))
def test_fields_other_than_the_address_change_without_the_secret(name: str) -> None:
    places = {place for each, place, _ in PLACES if each == name}

    for change in changes(name):
        if not places & set(change):
            assert not [text for text in faults(name, change).values() if "again" in text], change


SAME = [
    ("gotify", "https://gotify.example.org/push"),
    ("gotify", "HTTPS://GoTiFy.Example.ORG:443/push//"),
    ("gotify", "https://gotify.example.org./push/"),
    ("gotify", "https://gotify.example.org:0443/push/"),
    ("ntfy", "https://ntfy.sh:443/"),
    ("telegram", "https://api.telegram.org/"),
    ("telegram", None),
    ("slack_bot", "https://SLACK.com"),
    ("slack_server", "https://slack-gov.com:443/"),
]
OTHER = [
    ("gotify", "http://gotify.example.org/push/"),
    ("gotify", "https://gotify.example.org:8443/push/"),
    ("gotify", "https://gotify.example.org/"),
    ("gotify", "https://gotify.example.org/push/mallory"),
    ("gotify", "https://gotify.example.org/%70ush/"),
    ("gotify", "https://gotify.example.org/mallory/../push/"),
    ("gotify", "https://gotify.example.org/push?to=mallory"),
    ("gotify", "https://gotify.example.org.mallory.example/push/"),
    ("gotify", "https://g\N{GREEK SMALL LETTER OMICRON}tify.example.org/push/"),
    ("telegram", "http://127.0.0.1:8081"),
    ("telegram_server", None),
    ("telegram_server", "https://tg.example.org/"),
    ("slack_bot", "https://slack-gov.com"),
    ("slack_server", None),
    ("slack_server", ""),
]


@pytest.mark.parametrize(("name", "server"), SAME)
def test_the_same_place_in_another_spelling_does_not_need_the_secret(name: str, server: str | None) -> None:
    assert faults(name, {"server": server}) == {}


@pytest.mark.parametrize(("name", "server"), OTHER)
def test_another_scheme_host_port_or_path_needs_the_secret(name: str, server: str | None) -> None:
    assert set(faults(name, {"server": server})) == {"token"}


@pytest.mark.parametrize(
    "server", ["https://b\N{LATIN SMALL LETTER U WITH DIAERESIS}cher.example", "https://xn--bcher-kva.example/"]
)
def test_an_international_name_and_its_ascii_form_are_one_place(server: str) -> None:
    before = KINDS["gotify"].validate({**SETTINGS["gotify"][1], "server": "https://B\u00dcCHER.example"}, vet)

    assert faults("gotify", {"server": server}, before) == {}


@pytest.mark.parametrize(
    "server",
    [
        "https://gotify.example.org@mallory.example/push/",
        "https://gotify.example.org\\@mallory.example/",
        "//mallory.example/push/",
        "https://mallory.example/#gotify.example.org/push/",
        "https:/\t/mallory.example/",
    ],
)
def test_an_ambiguous_address_is_refused(server: str) -> None:
    assert "server" in faults("gotify", {"server": server})


def test_the_other_way_to_authenticate_does_not_keep_the_secret_of_the_first() -> None:
    to_password = {"server": ELSEWHERE, "token": None, "user": "mallory", "password": "of mallory"}
    config = KINDS["ntfy"].validate(to_password, vet, stored("ntfy"))

    assert config.secrets == {"password": "of mallory"}
    assert set(faults("ntfy", {**to_password, "token": ""}, stored("ntfy_password"))) == set()
    assert set(faults("ntfy", {"server": ELSEWHERE, "user": "mallory", "password": "of mallory"})) == {"token"}
    assert set(faults("ntfy_password", {"server": ELSEWHERE, "token": "tk_of_mallory"})) == {"password"}


def test_an_empty_secret_is_not_one_that_was_entered() -> None:
    for empty in (None, ""):
        assert set(faults("gotify", {"server": ELSEWHERE, "token": empty})) == {"token"}


def test_the_faults_of_other_fields_are_reported_too() -> None:
    found = faults("gotify", {"server": ELSEWHERE, "actionLinks": 7})

    assert set(found) == {"token", "actionLinks"}


def test_a_kind_that_does_not_declare_the_place_of_a_secret_cannot_be_made() -> None:
    text = partial(FieldDescription, type=FieldType.TEXT, label="X", help="")
    make = partial(KindDescription, "new", "New", "", "x")

    with pytest.raises(ValueError, match="token"):
        text("token", secret=True)
    with pytest.raises(ValueError, match="server"):
        text("server", sent_to=())
    with pytest.raises(ValueError, match="srever"):
        make((text("server"), text("token", secret=True, sent_to=("srever",))))
    with pytest.raises(ValueError, match="other"):
        make((text("other", secret=True, sent_to=()), text("token", secret=True, sent_to=("other",))))


def test_the_stored_place_that_cannot_be_read_is_another_one() -> None:
    before = stored("gotify")
    broken = replace(before, public={**before.public, "server": "https://gotify.example.org:99999/push/"})

    assert set(faults("gotify", {"server": "https://gotify.example.org/push/"}, broken)) == {"token"}
