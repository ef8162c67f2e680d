"""A network namespace in which every address belongs to this machine, and connections are counted.

The namespace is new and has no route to other networks. A name server of the tests answers for all names, and may
change its answer.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import subprocess
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from tempfile import NamedTemporaryFile

PORTS = (80, 443, 8080, 5432, 6379)
"""HTTP, HTTPS, and the ports of the service, its database and its Redis."""

PUBLIC = "93.184.216.34"
SENTINEL = "127.77.77.77"
FORBIDDEN = (
    *("127.0.0.1", "127.3.2.1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1", "169.254.169.254", "0.0.0.0"),
    *("168.63.129.16", "100.100.100.200", "198.18.0.1", "203.0.113.1", "240.0.0.1", "::1", "fd00::1", "fe80::1"),
    *("fd00:ec2::254", "::ffff:10.0.0.1", "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::1", "2001:db8::1", "fec0::1"),
)
"""Addresses that a hosted instance never calls."""

SET_UP = "ip link set lo up && ip route add local 0.0.0.0/0 dev lo && ip -6 route add local ::/0 dev lo"
"""Makes every address one of this machine. It runs before Python: urllib3 asks at its import whether IPv6 works."""

A, AAAA = 1, 28
Place = tuple[str, int]


class NameServer:
    """Answers every question for an address. `questions` counts the questions for each name and type.

    `swap-7.…` is public when it is asked for the first time, and then the seventh forbidden address. `mixed-7.…` is
    both. Every other name is the address of a metadata service.
    """

    def __init__(self) -> None:
        self.questions: Counter[tuple[str, int]] = Counter()
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 53))
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            question, sender = self._socket.recvfrom(4_096)
            self._socket.sendto(self._answer(question), sender)

    def _answer(self, question: bytes) -> bytes:
        labels, at = [], 12
        while length := question[at]:
            labels.append(question[at + 1 : at + 1 + length].decode())
            at += 1 + length
        kind, end = struct.unpack(">H", question[at + 1 : at + 3])[0], at + 5
        name = ".".join(labels)
        self.questions[name, kind] += 1
        version = {A: 4, AAAA: 6}.get(kind)
        found = [each for each in map(ip_address, self._addresses(name, kind)) if each.version == version]
        records = b"".join(
            b"\xc0\x0c" + struct.pack(">HHIH", kind, 1, 0, len(each.packed)) + each.packed for each in found
        )
        return question[:2] + struct.pack(">HHHHH", 0x8180, 1, len(found), 0, 0) + question[12:end] + records

    def _addresses(self, name: str, kind: int) -> Sequence[str]:
        first, _, number = name.partition(".")[0].partition("-")
        if first not in ("swap", "mixed") or not number.isdecimal():
            return ["169.254.169.254"]
        bad = FORBIDDEN[int(number) % len(FORBIDDEN)]
        if first == "mixed":
            return [PUBLIC, bad]
        return [PUBLIC] if self.questions[name, kind] == 1 else [bad]


@dataclass
class World:
    """The listeners of all addresses. `connections` are the places that somebody connected to."""

    names: NameServer
    connections: list[Place] = field(default_factory=list)
    _came: threading.Condition = field(default_factory=threading.Condition)

    @classmethod
    @contextlib.contextmanager
    def inside(cls) -> Iterator[World]:
        """The world of this namespace, which must be new and set up."""
        with NamedTemporaryFile("w", suffix=".conf") as file:
            file.write("nameserver 127.0.0.1\noptions timeout:1 attempts:1\n")
            file.flush()
            subprocess.run(["mount", "--bind", file.name, str(Path("/etc/resolv.conf").resolve())], check=True)
            world = cls(NameServer())
            for port in PORTS:
                world._listen(socket.create_server(("0.0.0.0", port), backlog=512))
                world._listen(socket.create_server(("::", port), family=socket.AF_INET6, backlog=512))
            yield world

    def _listen(self, listener: socket.socket) -> None:
        threading.Thread(target=self._accept, args=(listener,), daemon=True).start()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            connection, _ = listener.accept()
            place = connection.getsockname()[:2]
            connection.close()
            with self._came:
                self.connections.append(place)
                self._came.notify_all()

    def seen(self) -> list[Place]:
        """The connections since the last call. Connections of our own at each port prove that nobody waits in a queue."""
        own = [(address, port) for port in PORTS for address in (SENTINEL, "::77")]
        for place in own:
            socket.create_connection(place).close()
        with self._came:
            assert self._came.wait_for(lambda: set(own) <= set(self.connections), 20), "a listener is deaf"
            found = [place for place in self.connections if place not in own]
            self.connections.clear()
        return found
