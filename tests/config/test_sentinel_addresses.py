"""Addresses of sentinels: what `REDIS_URL` may say, and sentences about what it may not."""

from __future__ import annotations

import pytest

from inbox.config import sentinel_addresses
from inbox.config.sentinel_addresses import MUST_BE, OPTIONS, PERCENT
from inbox.config.server_addresses import ServerAddress, redis_addresses

WHOLE = (
    "rediss+sentinel://inbox:p%40ss%2F@s1.example,[2001:db8::5]:5,10.0.0.1:26380/my%20master/3"
    "?sentinel_username=watch&sentinel_password=w%26tch&ssl_ca_certs=/etc/ca.pem"
)


def test_a_whole_address_is_read_with_its_encoded_characters() -> None:
    found = sentinel_addresses.parse(WHOLE)

    assert found.sentinels == (("s1.example", 26379), ("2001:db8::5", 5), ("10.0.0.1", 26380))
    assert (found.name, found.database) == ("my master", 3)
    assert found.credentials == {"username": "inbox", "password": "p@ss/"}
    assert found.sentinel_credentials == {"username": "watch", "password": "w&tch"}
    assert found.tls == {"ssl_ca_certs": "/etc/ca.pem"}


@pytest.mark.parametrize(
    ("url", "database", "credentials"),
    [
        ("redis+sentinel://a/m", 0, {}),
        ("redis+sentinel://a/m/", 0, {}),
        ("redis+sentinel://:secret@a/m/7", 7, {"password": "secret"}),
        ("redis+sentinel://default:secret@a/m", 0, {"username": "default", "password": "secret"}),
    ],
)
def test_user_password_and_database_may_be_left_out(url: str, database: int, credentials: dict[str, str]) -> None:
    found = sentinel_addresses.parse(url)

    assert (found.database, found.credentials, found.sentinel_credentials, found.tls) == (
        database,
        credentials,
        {},
        None,
    )


def test_tls_counts_without_options_too() -> None:
    assert sentinel_addresses.parse("rediss+sentinel://a/m").tls == {}


def test_no_password_is_printed_with_an_address() -> None:
    printed = repr(sentinel_addresses.parse(WHOLE))

    assert "p@ss" not in printed and "w&tch" not in printed


def test_every_sentinel_is_a_server_of_the_service() -> None:
    assert redis_addresses("redis+sentinel://:p@a,b:7/m") == (ServerAddress("a", 26379), ServerAddress("b", 7))


@pytest.mark.parametrize(
    ("url", "fault"),
    [
        ("redis+sentinel://a", f"{MUST_BE}; {PERCENT}"),
        ("redis+sentinel:///m/0", f"{MUST_BE}; {PERCENT}"),
        ("redis+sentinel://a//0", f"{MUST_BE}; {PERCENT}"),
        ("redis+sentinel://a/m/x", f"{MUST_BE}; {PERCENT}"),
        ("redis+sentinel://a/m/0/1", f"{MUST_BE}; {PERCENT}"),
        ("redis+sentinel://a/m/0#b", f"{MUST_BE}; {PERCENT}"),
        ("redis+sentinel://a,,b/m", f"{MUST_BE}; {PERCENT}"),
        ("redis+sentinel://a b/m", f"{MUST_BE}; {PERCENT}"),
        ("redis+sentinel://::1/m", f"{MUST_BE}; {PERCENT}"),
        ("redis+sentinel://s3@a/m", f"{MUST_BE}; {PERCENT}"),
        ("redis+sentinel://u:s3/x@a/m", f"{MUST_BE}; {PERCENT}"),
        ("redis+sentinel://u:s3@x@a/m", f"{MUST_BE}; {PERCENT}"),
        ("redis+sentinel://u:@a/m", "has a user without a password"),
        ("redis+sentinel://a:0/m", "has a port that is not 1 to 65535"),
        ("redis+sentinel://a:65536/m", "has a port that is not 1 to 65535"),
        ("redis+sentinel://a,b,a:26379/m", "names a sentinel twice"),
        ("redis+sentinel://a/m?s3", OPTIONS),
        ("redis+sentinel://a/m?db=s3", OPTIONS),
        ("redis+sentinel://a/m?sentinel_password=", OPTIONS),
        ("redis+sentinel://a/m?sentinel_password=s3&sentinel_password=s3", OPTIONS),
        ("redis+sentinel://a/m?sentinel_username=s3", "has a sentinel_username without a sentinel_password"),
        ("redis+sentinel://a/m?ssl_ca_certs=/s3.pem", "has options of TLS, which need rediss+sentinel://"),
    ],
)
def test_a_bad_address_is_refused_with_one_sentence_that_quotes_nothing(url: str, fault: str) -> None:
    with pytest.raises(ValueError, match=".") as refused:
        sentinel_addresses.parse(url)

    assert str(refused.value) == fault
    assert "s3" not in fault
