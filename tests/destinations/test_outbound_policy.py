"""Addresses that the settings allow to be called."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from inbox.config.settings import Settings, use
from inbox.destinations.outbound_policy import client, operators_client, policy
from inbox.domain.deliveries.delivery import FailureReason
from inbox.domain.values.addresses import AddressRefused, Deny, check_addresses, parse
from tests.destinations.receivers import Receiver, answer

REQUIRED = {"database_url": "postgresql://u@127.0.0.1:5433/x", "redis_url": "redis://localhost", "secret_keys": ""}


def given(**values: Any) -> Settings:
    return Settings(**{**REQUIRED, "signing_key": "", **values})


def is_called(url: str, **values: Any) -> bool:
    try:
        check_addresses(parse(url), [], policy(given(**values)))
    except AddressRefused:
        return False
    return True


@pytest.mark.parametrize(
    ("url", "called"),
    [
        ("http://127.0.0.1:8080/", False),
        ("http://127.0.0.1:5433/", False),
        ("http://127.0.0.1:6379/", False),
        ("http://127.0.0.1:9999/", True),
        ("http://10.0.0.1:8080/", True),
        ("https://1.1.1.1/", True),
    ],
)
def test_neither_the_service_nor_its_servers_are_called(url: str, called: bool) -> None:
    assert is_called(url) is called


@pytest.mark.parametrize(
    "port", [{"metrics_port": 9100}, {"mail_in_port": 9100}, {"mail_in_port": 9100, "mail_in_host": "0.0.0.0"}]
)
def test_no_other_listener_of_the_service_is_called(port: dict[str, Any]) -> None:
    assert is_called("http://127.0.0.1:9100/")
    assert not is_called("http://127.0.0.1:9100/", **port)


def test_a_service_that_listens_everywhere_is_called_nowhere() -> None:
    assert not is_called("http://127.0.0.77:8080/", host="0.0.0.0")
    assert not is_called("http://[::1]:8080/", host="0.0.0.0")


def test_no_host_of_a_database_with_several_is_called() -> None:
    several = {"database_url": "postgresql://u@127.0.0.1:5433,127.0.0.2:5434/x?hostaddr=127.0.0.3,127.0.0.4"}

    refused = [("1", 5433), ("2", 5434), ("3", 5433), ("4", 5434)]
    assert [is_called(f"http://127.0.0.{host}:{port}/", **several) for host, port in refused] == [False] * 4
    assert is_called("http://10.0.0.1:5434/", **several)


PRIVATE, LOOPBACK = "http://10.0.0.1/", "http://127.0.0.1:9999/"


@pytest.mark.parametrize(
    ("values", "private", "loopback"),
    [
        ({}, True, True),
        ({"edition": "hosted"}, False, False),
        ({"allow_private_destinations": False}, False, False),
        ({"allow_private_destinations": False, "allow_loopback_destinations": True}, False, True),
        ({"allow_loopback_destinations": False}, True, False),
        ({"edition": "hosted", "allow_private_destinations": True}, True, True),
        ({"edition": "hosted", "allow_private_destinations": True, "allow_loopback_destinations": False}, True, False),
        ({"edition": "hosted", "allow_loopback_destinations": True}, False, True),
    ],
)
def test_private_and_loopback_addresses_are_called_as_the_settings_say(
    values: dict[str, Any], private: bool, loopback: bool
) -> None:
    assert (is_called(PRIVATE, **values), is_called(LOOPBACK, **values)) == (private, loopback)


def test_denied_destinations_are_not_called() -> None:
    deny = Deny.parse("10.0.0.0/30")

    assert not is_called("http://10.0.0.3/", destination_deny=deny)
    assert is_called("http://10.0.0.4/", destination_deny=deny)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://u@198.51.100.1:5433,10.0.0.7/x",
        "postgresql://u@198.51.100.1,10.0.0.7:5999/x?options=-cx%3Dy",
        "postgresql:///x?host=198.51.100.1,10.0.0.7&port=5999",
        "postgresql://198.51.100.2,198.51.100.3/x?hostaddr=198.51.100.1,10.0.0.7&port=5999",
    ],
)
def test_every_host_of_the_database_url_is_our_own(url: str) -> None:
    port = 5432 if "5433" in url else 5999

    assert not is_called(f"http://10.0.0.7:{port}/", database_url=url)
    assert is_called(f"http://10.0.0.8:{port}/", database_url=url)


@pytest.mark.parametrize("url", ["postgresql:///x?host=/run/pg", "postgresql:///x"])
def test_a_server_on_a_socket_file_is_protected_at_its_port_of_this_machine(url: str) -> None:
    on_sockets = {"database_url": url, "redis_url": "unix:///run/redis"}

    assert is_called("http://127.0.0.1:9/", **on_sockets)
    assert not is_called("http://127.0.0.1:5432/", **on_sockets)  # it may listen there, too


@pytest.mark.parametrize("name", ["migration_database_url", "direct_database_url", "read_database_url"])
def test_every_host_of_another_address_of_the_database_is_our_own(name: str) -> None:
    values = {name: "postgresql://owner@10.0.0.7:5999,10.0.0.9/x"}

    assert not is_called("http://10.0.0.7:5999/", **values)
    assert not is_called("http://10.0.0.9:5432/", **values)
    assert not is_called("http://127.0.0.1:5433/", **values)  # those of DATABASE_URL as ever
    assert is_called("http://10.0.0.7:5432/", **values) and is_called("http://10.0.0.8:5999/", **values)


@pytest.mark.parametrize(
    ("url", "port"),
    [("postgresql:///x", 5432), ("postgresql:///x?port=5999", 5999), ("postgresql:///x?hostaddr=127.0.0.3", 5432)],
)
def test_the_hosts_of_pghost_are_our_own_where_the_address_names_none(url: str, port: int) -> None:
    values = {"database_url": url, "database_host": "10.0.0.7"}

    assert not is_called(f"http://10.0.0.7:{port}/", **values)
    assert is_called(f"http://10.0.0.8:{port}/", **values)


@pytest.mark.parametrize("url", ["postgresql:///x", "postgresql://10.0.0.9/x"])
def test_the_hosts_of_pghostaddr_are_our_own_where_the_address_names_none(url: str) -> None:
    assert not is_called("http://10.0.0.7:5432/", database_url=url, database_hostaddr="10.0.0.7")


def test_pghost_applies_to_the_migration_database_too() -> None:
    values = {"migration_database_url": "postgresql://owner@/x?port=5999", "database_host": "10.0.0.7,10.0.0.9"}

    assert not is_called("http://10.0.0.7:5999/", **values) and not is_called("http://10.0.0.9:5999/", **values)
    assert is_called("http://10.0.0.7:5433/", **values)  # DATABASE_URL has its own host


@pytest.mark.parametrize("values", [{"database_host": "10.0.0.9"}, {"database_hostaddr": "10.0.0.9"}])
def test_hosts_of_the_database_url_override_the_environment(values: dict[str, Any]) -> None:
    url = "postgresql://u@10.0.0.5/x?hostaddr=10.0.0.7"

    assert is_called("http://10.0.0.9:5432/", database_url=url, **values)
    assert not is_called("http://10.0.0.7:5432/", database_url=url, **values)


@pytest.mark.parametrize(
    "values",
    [
        {"edition": "hosted"},
        {"allow_private_destinations": False, "allow_loopback_destinations": False},
        {"destination_deny": Deny.parse("127.0.0.0/8")},
    ],
)
def test_an_address_that_the_operator_wrote_may_be_private_but_never_our_own(
    settings: Settings, values: dict[str, Any]
) -> None:
    use(replace(settings, port=9001, **values))
    try:
        with Receiver(answer(200)) as receiver:
            url = f"http://127.0.0.1:{receiver.port}/"
            assert operators_client().exchange("GET", url, {}).receipt.status_code == 200
            assert client().exchange("GET", url, {}).receipt.failure is FailureReason.ADDRESS_REFUSED
        own = operators_client().exchange("GET", "http://127.0.0.1:9001/", {})
    finally:
        use(settings)

    assert own.receipt.failure is FailureReason.ADDRESS_REFUSED
