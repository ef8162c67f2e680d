"""Connection pools: how many are kept, how many addresses they serve, and which one is chosen."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from inbox.destinations.http import Client
from inbox.destinations.pools import IDLE_CONNECTIONS, MAX_POOLS, PoolKey, Pools
from inbox.domain.values.addresses import OutboundPolicy
from tests.destinations.receivers import Receiver, Request, answer

ANY = OutboundPolicy(allow_private=True, allow_loopback=True)


@pytest.fixture
def pools() -> Iterator[Pools]:
    pools = Pools()
    yield pools
    pools.close()


def place(number: int) -> PoolKey:
    return PoolKey("http", "127.0.0.1", number, "localhost")


@pytest.mark.parametrize("over", [-1, 0, 1])
def test_the_pool_keeps_32_connections_for_a_host_and_closes_more(over: int) -> None:
    at_once = IDLE_CONNECTIONS + over
    together = threading.Barrier(at_once)

    def script(connection: socket.socket, request: Request) -> bool:
        together.wait(30)
        return answer()(connection, request) is True

    client = Client(ANY, deadline=60.0)
    with Receiver(script) as receiver, ThreadPoolExecutor(at_once) as threads:
        for _ in range(2):
            statuses = list(threads.map(lambda _: client.post(receiver.url, b"{}", {}).status_code, range(at_once)))
            assert statuses == [200] * at_once
        client.close()

    assert receiver.connections == at_once + max(0, over)


@pytest.mark.parametrize("over", [-1, 0, 1])
def test_the_pool_that_was_used_longest_ago_is_closed_when_there_are_more_than_256(pools: Pools, over: int) -> None:
    made = [pools.get(place(number + 1)) for number in range(MAX_POOLS + over)]

    assert [pool.pool is None for pool in made] == [True] * max(0, over) + [False] * (MAX_POOLS + min(0, over))


def test_a_pool_that_is_used_again_is_not_the_one_used_longest_ago(pools: Pools) -> None:
    made = [pools.get(place(number + 1)) for number in range(MAX_POOLS)]
    assert pools.get(place(1)) is made[0]

    pools.get(place(MAX_POOLS + 1))

    assert (made[0].pool is not None, made[1].pool is None) == (True, True)


def test_a_discarded_host_gets_a_new_pool_and_others_keep_theirs(pools: Pools) -> None:
    own_one, other = pools.get(place(1)), pools.get(place(2))

    pools.discard(place(1))
    pools.discard(place(3))

    assert own_one.pool is None
    assert pools.get(place(1)) is not own_one
    assert pools.get(place(2)) is other


def test_a_pool_is_not_shared_between_names_schemes_addresses_and_ports(pools: Pools) -> None:
    one = PoolKey("https", "127.0.0.1", 443, "a.example")
    others = [
        one._replace(name="b.example"),
        one._replace(scheme="http"),
        one._replace(address="127.0.0.2"),
        one._replace(port=444),
    ]

    assert len({id(pools.get(key)) for key in [one, *others]}) == 5


def test_a_receiver_at_an_ipv6_address_is_called() -> None:
    try:
        listener = socket.create_server(("::1", 0), family=socket.AF_INET6)
    except OSError:
        pytest.skip("this machine has no IPv6")
    with listener, ThreadPoolExecutor(1) as threads:

        def respond() -> bytes:
            connection, _ = listener.accept()
            with connection:
                head = connection.recv(4_096)
                connection.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")
                return head

        head = threads.submit(respond)
        port = listener.getsockname()[1]
        assert Client(ANY, deadline=30.0).post(f"http://[::1]:{port}/", b"{}", {}).status_code == 204

    assert f"Host: [::1]:{port}\r\n".encode() in head.result(20)
