"""Certificate authorities beside the public ones: `INBOX_CA_FILE` and the store of the system (specification 9.6)."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from requests.adapters import DEFAULT_CA_BUNDLE_PATH

from inbox.config import settings as in_force
from inbox.config.settings import Settings
from inbox.destinations import KINDS, Message, outbound_policy
from inbox.destinations.http import Client
from inbox.domain.deliveries.delivery import FailureReason
from inbox.domain.values.addresses import OutboundPolicy
from inbox.runtime import tls
from tests.destinations.kinds.notice_bodies import AT, body
from tests.destinations.kinds.stand_in import vet
from tests.destinations.receivers import Receiver, answer
from tests.destinations.test_tls import Authority
from tests.mail.servers import MailServer

InSettings = Callable[..., None]
ANY = OutboundPolicy(allow_private=True, allow_loopback=True)


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def receiver(authority: Authority) -> Iterator[Receiver]:
    with Receiver(answer(), tls=authority.context("127.0.0.1")) as receiver:
        yield receiver


@pytest.fixture
def in_settings(settings: Settings) -> Iterator[InSettings]:
    yield lambda **changes: in_force.use(replace(settings, **changes))
    in_force.use(settings)


@pytest.fixture
def trusted(authority: Authority, in_settings: InSettings) -> None:
    in_settings(
        ca_file=str(authority.file),
        allow_private_destinations=True,
        allow_loopback_destinations=True,
        allow_apprise=True,
    )


@pytest.mark.usefixtures("trusted")
def test_receivers_and_identity_providers_of_the_file_are_trusted(receiver: Receiver) -> None:
    assert outbound_policy.client().post(receiver.url, b"{}", {}).status_code == 200
    called = outbound_policy.operators_client().exchange("GET", receiver.url, {})
    assert called.receipt.status_code == 200


@pytest.mark.usefixtures("trusted")
def test_mail_servers_of_the_file_are_trusted(authority: Authority, in_settings: InSettings) -> None:
    with MailServer(tls=authority.context("127.0.0.1")) as server:
        in_settings(smtp_url=server.url, mail_from="inbox@example.org", ca_file=str(authority.file))
        config = KINDS["email"].validate({"to": "mia@example.org"}, vet)
        receipt = KINDS["email"].send(Message("dlv_1", body(), AT), config, Client(ANY))

    assert receipt.is_accepted and len(server.mails) == 1


@pytest.mark.usefixtures("trusted")
def test_services_behind_apprise_with_a_certificate_of_the_file_are_trusted(
    receiver: Receiver, in_settings: InSettings
) -> None:
    def send() -> bool:
        config = KINDS["apprise"].validate({"url": f"jsons://127.0.0.1:{receiver.port}/"}, vet)
        return KINDS["apprise"].send(Message("dlv_1", body(), AT), config, Client(ANY)).is_accepted

    assert send()
    in_settings(ca_file="", allow_apprise=True)
    assert not send()


def test_without_the_file_its_authorities_are_refused(receiver: Receiver) -> None:
    assert Client(ANY).post(receiver.url, b"{}", {}).failure is FailureReason.TLS_FAILED


def test_the_store_of_the_system_is_trusted(
    authority: Authority, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    tls.trust.cache_clear()
    try:
        assert Client(ANY).post(receiver.url, b"{}", {}).status_code == 200
    finally:
        tls.trust.cache_clear()


def test_public_authorities_stay_trusted_beside_the_file(authority: Authority, tmp_path: Path) -> None:
    public, own = tls.trust(DEFAULT_CA_BUNDLE_PATH), tls.trust(DEFAULT_CA_BUNDLE_PATH, str(authority.file))

    assert len(own.get_ca_certs()) == len(public.get_ca_certs()) + 1
    assert len(public.get_ca_certs()) >= 100
    assert own.minimum_version is ssl.TLSVersion.TLSv1_2
