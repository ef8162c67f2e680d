"""Settings are complete, documented, and refused with every fault at once."""

from __future__ import annotations

import base64
import json
from dataclasses import fields
from pathlib import Path

import pytest

from inbox.config.settings import Settings, SettingsInvalid, variable
from inbox.config.unknown import unknown_settings

GOOD = {
    "DATABASE_URL": "postgresql://inbox@127.0.0.1/inbox",
    "REDIS_URL": "redis://127.0.0.1:6379/0",
    "INBOX_SECRET_KEYS": "k1:" + base64.b64encode(b"k" * 32).decode(),
    "INBOX_SIGNING_KEY": "s" * 32,
}

MUST_END = "must end with its host, or with a path of letters, digits, - _ . and ~, such as /inbox"
OWN_PATH = "must not have a path that the service itself has; choose another one, such as /inbox"


def test_the_required_settings_are_sufficient() -> None:
    settings = Settings.from_env(GOOD)

    assert settings.problems_url == "http://127.0.0.1:8080/problems"
    assert settings.may_call_private and settings.may_call_loopback and settings.rate_limits


def test_an_empty_environment_lists_everything_that_is_missing() -> None:
    with pytest.raises(SettingsInvalid) as refused:
        Settings.from_env({})

    assert refused.value.faults == [
        "DATABASE_URL is missing",
        "REDIS_URL is missing",
        "INBOX_SECRET_KEYS is missing",
        "INBOX_SIGNING_KEY is missing",
    ]


@pytest.mark.parametrize(
    ("name", "value", "fault"),
    [
        ("INBOX_PORT", "0", "INBOX_PORT must be 1 to 65535"),
        ("INBOX_PORT", "65536", "INBOX_PORT must be 1 to 65535"),
        ("INBOX_PORT", "-1", "INBOX_PORT must be a whole number, 0 or more"),
        ("INBOX_PORT", "８０", "INBOX_PORT must be a whole number, 0 or more"),
        ("INBOX_RATE_LIMITS", "maybe", "INBOX_RATE_LIMITS must be on or off"),
        ("INBOX_EDITION", "cloud", "INBOX_EDITION must be self_hosted or hosted"),
        ("INBOX_LOG_LEVEL", "LOUD", "INBOX_LOG_LEVEL must be DEBUG, INFO, WARNING or ERROR"),
        ("INBOX_WORKSPACE_CREATION", "nobody", "INBOX_WORKSPACE_CREATION must be everybody or administrators"),
        ("INBOX_ALLOW_LOOPBACK_DESTINATIONS", "maybe", "INBOX_ALLOW_LOOPBACK_DESTINATIONS must be on or off"),
        (
            "INBOX_DESTINATION_DENY",
            "10.0.0.0/8, a/b",
            "INBOX_DESTINATION_DENY must be networks and host names, separated by commas; 'a/b' is neither",
        ),
        (
            "INBOX_OUTBOUND_PROXY",
            "http://me:secret@proxy",
            "INBOX_OUTBOUND_PROXY must be http://, with user:password@ if wanted, host and port",
        ),
        ("INBOX_CA_FILE", "/nowhere.pem", "INBOX_CA_FILE must name a readable file of certificates in PEM"),
        ("INBOX_CA_FILE", __file__, "INBOX_CA_FILE must name a readable file of certificates in PEM"),
        ("INBOX_BASE_URL", "ftp://x", "INBOX_BASE_URL must be an http or https address"),
        *(
            ("INBOX_BASE_URL", f"https://ops.example.org{end}", f"INBOX_BASE_URL {MUST_END}")
            for end in ("/a b", "/a//b", "/../a", "/inbox?x=y", "/inbox#x")
        ),
        ("INBOX_BASE_URL", "https://ops.example.org/v1/x", f"INBOX_BASE_URL {OWN_PATH}"),
        ("DATABASE_URL", "mysql://x", "DATABASE_URL must begin with postgresql://"),
        (
            "REDIS_URL",
            "http://x",
            "REDIS_URL must begin with redis://, rediss://, unix://, redis+sentinel:// or rediss+sentinel://",
        ),
        ("INBOX_SIGNING_KEY", "s" * 31, "INBOX_SIGNING_KEY must have at least 32 characters"),
        ("INBOX_ADMIN_EMAIL", "a@example.org", "INBOX_ADMIN_EMAIL and INBOX_ADMIN_PASSWORD go together"),
        ("INBOX_WEB_WORKERS", "0", "INBOX_WEB_WORKERS must be at least 1"),
        ("INBOX_DELIVERY_TIMEOUT_SECONDS", "0", "INBOX_DELIVERY_TIMEOUT_SECONDS must be at least 1"),
        ("INBOX_SMTP_URL", "smtp://mail.example.org", "INBOX_SMTP_URL and INBOX_MAIL_FROM go together"),
        ("INBOX_SECURITY_CONTACT", "a@example.org", "INBOX_SECURITY_CONTACT must begin with mailto: or https://"),
        (
            "INBOX_LEGAL_LINKS",
            "Imprint=b",
            "INBOX_LEGAL_LINKS has the address 'b', but an address begins with https:// or http:// and names a host",
        ),
        ("INBOX_MAIL_FROM", "a@example.org", "INBOX_SMTP_URL and INBOX_MAIL_FROM go together"),
    ],
)
def test_a_setting_out_of_its_range_is_refused_by_name(name: str, value: str, fault: str) -> None:
    with pytest.raises(SettingsInvalid) as refused:
        Settings.from_env({**GOOD, name: value})

    assert refused.value.faults == [fault]


PROVIDER = {
    "id": "acme",
    "name": "Acme",
    "issuer": "https://id.example.org/realm",
    "clientId": "c",
    "clientSecret": "s3",
}


def providers(*items: object) -> Settings:
    return Settings.from_env({**GOOD, "INBOX_OIDC_PROVIDERS": json.dumps(items)})


def test_identity_providers_are_read_in_their_order_and_do_not_show_their_secrets() -> None:
    settings = providers({**PROVIDER, "allowSignup": True}, {**PROVIDER, "id": "b", "issuer": "http://127.0.0.1:9"})

    first, second = settings.oidc_providers
    assert (first.id, first.issuer, first.client_secret) == ("acme", "https://id.example.org/realm", "s3")
    assert first.allow_signup and not second.allow_signup
    assert "s3" not in repr(settings)


@pytest.mark.parametrize(
    "items",
    [
        ["acme"],
        [{}],
        [{**PROVIDER, "id": "Acme"}],
        [{**PROVIDER, "id": "a/b"}],
        [{**PROVIDER, "id": ""}],
        [{**PROVIDER, "id": 7}],
        [{**PROVIDER, "allowSignup": "yes"}],
        [{**PROVIDER, "allowSignUp": True}],
        [{**PROVIDER, "issuer": "id.example.org"}],
        [{**PROVIDER, "issuer": "https://user:pw@id.example.org"}],
        [{**PROVIDER, "issuer": "https://id.example.org/#a"}],
        [{**PROVIDER, "issuer": "https://id.example.org/?a=b"}],
        [PROVIDER, PROVIDER],
    ],
)
def test_a_provider_that_cannot_be_used_is_refused_without_its_secret(items: list[object]) -> None:
    with pytest.raises(SettingsInvalid) as refused:
        providers(*items)

    assert len(refused.value.faults) == 1
    assert refused.value.faults[0].startswith("INBOX_OIDC_PROVIDERS ")
    assert "s3" not in str(refused.value) and "pw" not in str(refused.value)


@pytest.mark.parametrize("raw", ["{}", "null", "[", '"acme"', "7"])
def test_providers_are_a_list(raw: str) -> None:
    with pytest.raises(SettingsInvalid, match="INBOX_OIDC_PROVIDERS must be a JSON list"):
        Settings.from_env({**GOOD, "INBOX_OIDC_PROVIDERS": raw})


@pytest.mark.parametrize("url", ["smtp://h", "smtps://h:465", "smtp://u:p%40@h:2525/", "smtp://[::1]:25?starttls=off"])
@pytest.mark.parametrize("sender", ["a@example.org", "Incident Inbox <a@example.org>"])
def test_a_mail_server_and_a_sender_make_mail(url: str, sender: str) -> None:
    assert Settings.from_env({**GOOD, "INBOX_SMTP_URL": url, "INBOX_MAIL_FROM": sender}).can_send_mail


@pytest.mark.parametrize(
    "url", ["mail.example.org", "http://h", "smtp://", "smtp://u@h", "smtp://h:99999", "smtp://h/x", "smtp://h?tls=off"]
)
def test_an_invalid_mail_server_url_is_refused(url: str) -> None:
    with pytest.raises(SettingsInvalid, match="INBOX_SMTP_URL must be"):
        Settings.from_env({**GOOD, "INBOX_SMTP_URL": url, "INBOX_MAIL_FROM": "a@example.org"})


@pytest.mark.parametrize("sender", ["nobody", "a@b@c", "<>", "Inbox <nobody>", "a@example.org\r\nBcc: b@example.org"])
def test_an_invalid_mail_sender_is_refused(sender: str) -> None:
    with pytest.raises(SettingsInvalid, match="INBOX_MAIL_FROM must be"):
        Settings.from_env({**GOOD, "INBOX_SMTP_URL": "smtp://h", "INBOX_MAIL_FROM": sender})


KEY = base64.b64encode(b"k" * 32).decode()


@pytest.mark.parametrize(
    "ring",
    [
        *("k1", "k1:", ":" + "A" * 44, "k1:" + base64.b64encode(b"k" * 31).decode(), "k1:%%%"),
        *(f"k1:{KEY},k1:{KEY}", f"a key:{KEY}"),
    ],
)
def test_a_key_ring_that_cannot_seal_is_refused_without_repeating_it(ring: str) -> None:
    with pytest.raises(SettingsInvalid) as refused:
        Settings.from_env({**GOOD, "INBOX_SECRET_KEYS": ring})

    assert len(refused.value.faults) == 1
    assert ring not in str(refused.value) or ring in ("k1", "k1:")


def test_every_setting_is_documented() -> None:
    text = (Path(__file__).parent.parent.parent / "docs" / "configuration.md").read_text()

    assert [variable(field.name) for field in fields(Settings) if f"`{variable(field.name)}`" not in text] == []


@pytest.mark.parametrize(
    ("name", "value", "fault"),
    [
        (
            "DATABASE_URL",
            "postgresql://u:s3%zz@db/inbox",
            "DATABASE_URL cannot be read by libpq: percent-encode special",
        ),
        ("DATABASE_URL", "postgresql://[::1/inbox", "DATABASE_URL cannot be read by libpq"),
        ("DATABASE_URL", "postgresql://u:s3@a:1,b:2,c:3/x?port=1,2", "DATABASE_URL must name as many ports as hosts"),
        ("DATABASE_URL", "postgresql://u:s3@a:99999/x", "DATABASE_URL has a port that is not 1 to 65535"),
        ("DATABASE_URL", "postgresql:///x?service=s3", "DATABASE_URL must name its hosts itself"),
        ("REDIS_URL", "redis://:s3@a:1,b:2/0", "REDIS_URL cannot be read: it must be redis://"),
        ("REDIS_URL", "redis://:s3@[::1/0", "REDIS_URL cannot be read"),
        ("REDIS_URL", "redis+sentinel://:s3@a,b/0/1/2", "REDIS_URL cannot be read: it must be redis+sentinel://"),
    ],
)
def test_a_server_address_that_cannot_be_read_is_refused_without_its_password(
    name: str, value: str, fault: str
) -> None:
    with pytest.raises(SettingsInvalid) as refused:
        Settings.from_env({**GOOD, name: value})

    (found,) = refused.value.faults
    assert found.startswith(fault)
    assert "s3" not in found


def test_a_database_on_several_hosts_is_a_good_setting() -> None:
    url = "postgresql://u:s%40@a:1,[::1]:2,c/inbox?target_session_attrs=any&options=-c%20a.b%3Dc"

    assert Settings.from_env({**GOOD, "DATABASE_URL": url}).database_url == url


def test_the_hosts_that_libpq_reads_by_itself_are_settings() -> None:
    settings = Settings.from_env({**GOOD, "PGHOST": "db.example", "PGHOSTADDR": "10.0.0.7"})

    assert (settings.database_host, settings.database_hostaddr) == ("db.example", "10.0.0.7")


def test_hosts_of_the_environment_that_do_not_fit_the_address_are_refused() -> None:
    with pytest.raises(SettingsInvalid) as refused:
        Settings.from_env({**GOOD, "PGHOSTADDR": "10.0.0.7,10.0.0.8"})

    assert refused.value.faults == [
        "DATABASE_URL, with PGHOST or PGHOSTADDR, must name as many ports as hosts, or one port for all of them"
    ]


def test_a_misspelt_setting_is_named_with_the_one_that_was_meant_and_never_with_its_value() -> None:
    environ = {
        **GOOD,
        "INBOX_BASE_ULR": "canary",
        "INBOX_METRICS_TOKN": "canary",
        "INBOX_QUX": "canary",
        "PATH": "/bin",
    }

    assert unknown_settings(environ) == [
        "INBOX_BASE_ULR is no setting and is ignored; did you mean INBOX_BASE_URL?",
        "INBOX_METRICS_TOKN is no setting and is ignored; did you mean INBOX_METRICS_TOKEN?",
        "INBOX_QUX is no setting and is ignored.",
    ]
    assert unknown_settings({variable(field.name): "x" for field in fields(Settings)}) == []
