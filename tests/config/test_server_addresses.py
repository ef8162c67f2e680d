"""Server addresses: every host and port that a URL names, as the client libraries read it."""

from __future__ import annotations

import pytest

from inbox.config.server_addresses import (
    ServerAddress,
    database_addresses,
    parameters_by_host,
    redis_addresses,
    with_default_hosts,
    without_credentials,
)


@pytest.mark.parametrize(
    ("url", "addresses"),
    [
        ("postgresql://u:p@db.example/inbox", [("db.example", 5432)]),
        ("postgresql://a:1,b:2/inbox", [("a", 1), ("b", 2)]),
        ("postgresql://a,b/inbox?port=7", [("a", 7), ("b", 7)]),
        ("postgresql://a:1,[::1],c:3/inbox", [("a", 1), ("::1", 5432), ("c", 3)]),
        ("postgresql:///inbox?host=a,/run/pg&port=1,2", [("a", 1)]),
        (
            "postgresql://a,b/x?hostaddr=10.0.0.1,10.0.0.2",
            [("a", 5432), ("10.0.0.1", 5432), ("b", 5432), ("10.0.0.2", 5432)],
        ),
        ("postgresql://u@/inbox?host=/run/pg", []),
        ("postgresql:///inbox?host=@abstract", []),
    ],
)
def test_a_database_url_names_every_tcp_address(url: str, addresses: list[tuple[str, int]]) -> None:
    assert list(database_addresses(url)) == [ServerAddress(*each) for each in addresses]


@pytest.mark.parametrize(
    ("url", "addresses"),
    [
        ("redis://:p@cache.example:7/1", [("cache.example", 7)]),
        ("rediss://[::1]/0", [("::1", 6379)]),
        ("redis://", [("localhost", 6379)]),
        ("redis:///0?host=cache.example&port=9", [("cache.example", 9)]),
        ("unix:///run/redis.sock?db=1", []),
    ],
)
def test_a_redis_url_names_its_tcp_address(url: str, addresses: list[tuple[str, int]]) -> None:
    assert list(redis_addresses(url)) == [ServerAddress(*each) for each in addresses]


def test_each_host_takes_its_own_port_and_the_parameters_of_all() -> None:
    parameters = {"host": "a,b", "port": "1,", "user": "u"}

    assert parameters_by_host(parameters) == [
        {"host": "a", "port": "1", "user": "u"},
        {"host": "b", "port": "5432", "user": "u"},
    ]


def test_hosts_of_the_environment_complete_the_database_url() -> None:
    assert with_default_hosts({"user": "u"}, host="a", hostaddr="10.0.0.1") == {
        "user": "u",
        "host": "a",
        "hostaddr": "10.0.0.1",
    }
    assert with_default_hosts({"host": "b"}, host="a") == {"host": "b"}


def test_hosts_of_the_environment_that_do_not_fit_are_refused_without_being_quoted() -> None:
    with pytest.raises(ValueError, match="must name as many ports as hosts") as refused:
        with_default_hosts({"host": "a,b"}, hostaddr="10.0.0.1")

    assert "10.0.0.1" not in str(refused.value)


@pytest.mark.parametrize(
    ("url", "retained"),
    [
        (
            "postgresql://owner:p%40ss@a:1,[::1]:2/inbox?sslpassword=secret",
            "postgresql:///?host=a%2C%3A%3A1&port=1%2C2",
        ),
        ("postgresql://owner:pw@/inbox?host=/run/pg", "postgresql:///?host=%2Frun%2Fpg"),
        ("postgresql://owner:pw@/inbox?hostaddr=10.0.0.1", "postgresql:///?hostaddr=10.0.0.1"),
        ("postgresql://owner:pw@/inbox", "postgresql:///?"),
    ],
)
def test_an_address_without_credentials_is_at_the_same_hosts(url: str, retained: str) -> None:
    assert without_credentials(url) == retained
    assert database_addresses(retained) == database_addresses(url)
