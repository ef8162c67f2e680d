"""Reading an answer: its end, the counted part, and whether the connection can be reused."""

from __future__ import annotations

import io
import itertools
import socket
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inbox.destinations.bounded_response import BODY_BYTES, HEAD_BYTES, INTERIM_RESPONSES, MAX_RESPONSE_BYTES, read_body
from inbox.destinations.http import NO_RETRIES
from inbox.destinations.pools import CallFailed, CallTime, Pool, PoolKey, Pools
from inbox.domain.deliveries.delivery import FailureReason

HEAD = b"HTTP/1.1 200 OK\r\n"
SIZED = HEAD + b"Content-Length: 5\r\n\r\nhello"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n3;a=b\r\nhel\r\n2\r\nlo\r\n0\r\nX-Late: yes\r\n\r\n"


class Wire:
    """A socket that the receiver writes these pieces to, after which it sends nothing more."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces: Iterator[bytes] = iter(pieces)
        self._quiet = socket.socketpair()
        self.is_shut = False

    def fileno(self) -> int:
        return self._quiet[0].fileno()

    def makefile(self, mode: str, buffering: int = -1) -> io.RawIOBase:
        return Stream(self._pieces)

    def gettimeout(self) -> float:
        return 60.0

    def settimeout(self, seconds: float) -> None:
        assert 0 < seconds <= 60

    def sendall(self, data: bytes) -> None: ...

    def shutdown(self, how: int) -> None:
        self.is_shut = True

    def close(self) -> None:
        self.is_shut = True
        for end in self._quiet:
            end.close()


class Stream(io.RawIOBase):
    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces, self._rest = pieces, b""

    def readinto(self, buffer: Any, /) -> int:
        piece = self._rest or next(self._pieces, b"")
        size = min(len(buffer), len(piece))
        buffer[:size], self._rest = piece[:size], piece[size:]
        return size


@dataclass(frozen=True)
class Arrived:
    """An answer. `is_whole`: it was read to its end, and its connection can serve again."""

    status: int
    headers: dict[str, str]
    body: bytes
    is_whole: bool


def read(*pieces: bytes) -> Arrived:
    """The answer in these pieces, after which the connection ends."""
    return read_from(iter(pieces))


POOLS, KEY = Pools(), PoolKey("http", "127.0.0.1", 80, "example.org")


def wired(wire: Wire) -> Pool:
    """A pool whose idle connection has this socket."""
    pool = POOLS.get(KEY)
    assert pool.pool is not None
    connection: Any = pool.ConnectionCls("127.0.0.1")
    connection.sock = wire
    pool.pool.get()
    pool.pool.put(connection)
    return pool


def read_from(pieces: Iterable[bytes]) -> Arrived:
    wire = Wire(pieces)
    try:
        answer = wired(wire).call("POST", b"", CallTime(60.0, time.monotonic() + 60.0), BODY_BYTES)
        headers = {name.lower(): answer.joined(name.lower()) for name, _ in answer.headers}
        return Arrived(answer.status, headers, answer.body, not wire.is_shut)
    finally:
        POOLS.discard(KEY)


def read_by_urllib3(pieces: Iterable[bytes]) -> Arrived:
    """The answer as urllib3 reads it for the calls of `requests`."""
    wire = Wire(pieces)
    try:
        response = wired(wire).urlopen(
            "POST", "/", b"{}", {}, retries=NO_RETRIES, timeout=60.0, preload_content=False, decode_content=False
        )
        body = read_body(response)
        response.close()
        headers = {name.lower(): response.headers[name].strip() for name in response.headers}
        return Arrived(response.status, headers, body, not wire.is_shut)
    finally:
        POOLS.discard(KEY)


@pytest.mark.parametrize(
    ("sent", "status", "body", "is_whole"),
    [
        (SIZED, 200, b"hello", True),
        (CHUNKED, 200, b"hello", True),
        (HEAD + b"Content-Length: 0\r\n\r\n", 200, b"", True),
        (b"HTTP/1.1 204 No Content\r\n\r\n", 204, b"", True),
        (b"HTTP/1.1 304\r\nContent-Length: 7\r\n\r\n", 304, b"", True),
        (b"HTTP/1.1 200 OK\nContent-Length: 5\n\nhello", 200, b"hello", True),
        (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\n" + SIZED, 200, b"hello", True),
        # What cannot serve again: no length, too much, too little, nobody wants to.
        (HEAD + b"\r\nhello", 200, b"hello", False),
        (SIZED + b"!", 200, b"hello", False),
        (SIZED[:-1], 200, b"hell", False),
        (SIZED.replace(b"\r\n\r\n", b"\r\nConnection: Close\r\n\r\n"), 200, b"hello", False),
        (b"HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200, b"hello", False),
        (CHUNKED.replace(b"Transfer", b"Content-Length: 5\r\nTransfer"), 200, b"hello", False),
        (CHUNKED[:-2], 200, b"hello", False),
        (CHUNKED.replace(b"hel\r\n", b"hello\r\n"), 200, b"hel", False),
    ],
)
def test_an_answer_ends_where_it_says_and_says_whether_another_can_follow(
    sent: bytes, status: int, body: bytes, is_whole: bool
) -> None:
    arrived = read(sent)

    assert (arrived.status, arrived.body, arrived.is_whole) == (status, body, is_whole)


@given(st.sampled_from([SIZED, CHUNKED, HEAD + b"\r\nhello"]), st.lists(st.integers(0, 120), max_size=8))
def test_a_response_is_parsed_alike_however_it_is_split(sent: bytes, cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(sent)]
    pieces = [piece for begin, end in itertools.pairwise(places) if (piece := sent[begin:end])]

    assert read(*pieces) == read(sent)


FRAGMENTS = st.sampled_from(
    [
        HEAD,
        b"HTTP/1.0 500\n",
        b"HTTP/1.1 100 C\r\n\r\n",
        b"Content-Length: ",
        b"Transfer-Encoding: chunked",
        b"7",
        b"\r\n",
    ]
    + [b"\n", b"\r", b"\r\n\r\n", b": ", b";", b"0", b"ffffffff", b"hello", b"\x00\xff"]
)


@given(st.lists(FRAGMENTS | st.binary(max_size=9), max_size=30))
def test_every_sequence_of_pieces_is_a_response_or_a_failed_call(pieces: list[bytes]) -> None:
    with suppress(CallFailed):
        arrived = read(*filter(None, pieces))
        assert arrived.status >= 101
        assert arrived.body in b"".join(pieces) or b"chunked" in b"".join(pieces)


@given(st.lists(FRAGMENTS | st.sampled_from([SIZED, CHUNKED]) | st.binary(max_size=9), max_size=30))
def test_a_response_is_read_as_urllib3_reads_it(pieces: list[bytes]) -> None:
    def outcome(read: Callable[[Iterable[bytes]], Arrived]) -> Arrived | FailureReason:
        try:
            return read(filter(None, pieces))
        except CallFailed as failed:
            return failed.failure

    assert outcome(read_from) == outcome(read_by_urllib3)


@pytest.mark.parametrize("whole", [SIZED, CHUNKED])
def test_a_status_counts_once_its_head_is_whole_and_not_before(whole: bytes) -> None:
    ends = whole.index(b"\r\n\r\n") + 4
    for cut in range(len(HEAD), ends):
        if whole[:cut].endswith(b"\n\r"):
            continue
        assert failure_of(whole[:cut]) is FailureReason.CONNECTION_LOST
    for cut in range(ends, len(whole)):
        assert read(whole[:cut]).status == 200


@pytest.mark.parametrize("sent", [b"", b"H", b"HTTP/1.1 20", b"HTTP/1.1 100 Continue\r\n\r\n"])
def test_an_empty_or_truncated_response_is_a_lost_connection(sent: bytes) -> None:
    assert failure_of(sent) is FailureReason.CONNECTION_LOST


@pytest.mark.parametrize(
    "sent",
    [
        b"HTTP/2 200\r\n\r\n",
        b"HTTP/1.1 99 X\r\n\r\n",
        b"HTTP/1.1 2000 X\r\n\r\n",
        b"HTTP/1.1 -20 X\r\n\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\n\r\n",
        HEAD + b"a line that is no header\r\n\r\n",
        SIZED.replace(b"5", b"five"),
        SIZED.replace(b"5", b"5, 6"),
        CHUNKED.replace(b"chunked", b"gzip, chunked"),
    ],
)
def test_a_response_that_is_not_http_is_a_bad_response(sent: bytes) -> None:
    assert failure_of(sent) is FailureReason.BAD_RESPONSE


@pytest.mark.parametrize("sent", [b"hello", b"\n", b"220 mail.example.org ESMTP\r\n"])
def test_a_response_that_does_not_start_like_http_fails_at_once(sent: bytes) -> None:
    def pieces() -> Iterator[bytes]:
        yield sent
        raise AssertionError("nobody waits for more")

    with pytest.raises(CallFailed) as failed:
        read_from(pieces())
    assert failed.value.failure is FailureReason.BAD_RESPONSE


def test_headers_are_found_in_any_case() -> None:
    arrived = read(HEAD + b"Retry-AFTER:  9 \r\nX: 1\r\nx: 2\r\nY: caf\xe9\r\n\r\n")

    assert arrived.headers == {"retry-after": "9", "x": "1, 2", "y": "café"}


@pytest.mark.parametrize(("over", "body"), [(-1, BODY_BYTES - 1), (0, BODY_BYTES), (1, BODY_BYTES)])
def test_a_response_body_keeps_64_kib_and_a_longer_one_closes_the_connection(over: int, body: int) -> None:
    size = BODY_BYTES + over
    arrived = read(HEAD + b"Content-Length: %d\r\n\r\n" % size, b"x" * size)

    assert (len(arrived.body), arrived.is_whole) == (body, over <= 0)


@pytest.mark.parametrize("over", [0, 1])
def test_a_head_of_64_kib_is_read_and_a_longer_one_is_invalid(over: int) -> None:
    filler = b"X: " + b"y" * (HEAD_BYTES - len(HEAD) - 3 + over)
    if over:
        assert failure_of(HEAD + filler, b"\r\n\r\n") is FailureReason.BAD_RESPONSE
    else:
        assert read(HEAD + filler, b"\r\n\r\n").status == 200


@pytest.mark.parametrize("over", [0, 1])
def test_no_more_than_192_kib_come_off_the_wire(over: int) -> None:
    interim = b"HTTP/1.1 100 Continue\r\nX: " + b"y" * 60_000 + b"\r\n\r\n"
    room = MAX_RESPONSE_BYTES + over - 3 * len(interim) - len(HEAD + b"X: \r\n\r\n")
    pieces = [interim] * 3 + [HEAD + b"X: " + b"y" * room + b"\r\n\r\n"]
    if over:
        assert failure_of(*pieces) is FailureReason.BAD_RESPONSE
    else:
        assert read(*pieces).status == 200


@pytest.mark.parametrize("status", [b"100 Continue", b"102 Processing", b"103 Early Hints"])
@pytest.mark.parametrize("over", [-1, 0, 1])
def test_fifty_interim_responses_are_read_and_more_are_invalid(status: bytes, over: int) -> None:
    pieces = [b"HTTP/1.1 " + status + b"\r\n\r\n"] * (INTERIM_RESPONSES + over) + [SIZED]
    if over > 0:
        assert failure_of(*pieces) is FailureReason.BAD_RESPONSE
    else:
        assert read(*pieces).body == b"hello"


def failure_of(*pieces: bytes) -> FailureReason:
    with pytest.raises(CallFailed) as failed:
        read(*pieces)
    return failed.value.failure
