"""The abuse bench: its hostile clients are bounded, and its bodies are what they are said to be."""

from __future__ import annotations

import json
import socket

import orjson
import pytest

from bench.hostile import Flood
from bench.hostile_bodies import SIZES, all_bodies


def test_there_are_fifty_bodies_and_none_is_larger_than_the_management_api_takes():
    made = all_bodies()

    assert len(made) == len(set(made)) == 50
    assert max(map(len, made)) <= 1024 * 1024
    assert min(map(len, made)) < SIZES[0]


def test_most_hostile_bodies_are_json_so_that_they_pass_the_parser():
    def parses(body: bytes) -> bool:
        try:
            orjson.loads(body)
        except orjson.JSONDecodeError:
            return False
        return True

    assert sum(map(parses, all_bodies())) >= 40


@pytest.mark.parametrize("kind", ["silent", "half_heads", "slow", "pour"])
def test_a_flood_stops_by_itself_and_counts_what_it_opened(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        order = {"port": port, "kind": kind, "connections": 3, "seconds": 0.2, "heads": ["x"], "sources": ["127.0.0.1"]}
        Flood(order).run()

    ready, result = map(json.loads, capsys.readouterr().out.splitlines())
    assert ready == {"ready": 3}
    assert result == {"opened": 3, "answers": {}, "largest": 0}
