"""Where the servers are: every host and port that a URL names, as the client libraries read it."""

from __future__ import annotations

import pytest

from inbox.server_addresses import ServerAddress, database_addresses, each_host, redis_addresses


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

    assert each_host(parameters) == [
        {"host": "a", "port": "1", "user": "u"},
        {"host": "b", "port": "5432", "user": "u"},
    ]
