"""Defects of resources for clients without a credential: bodies, connections, streams and unread answers."""

from __future__ import annotations

from bench.defects.defect import defect

CLIENT = "ops/client_connection.py"
LIMITS = "ops/connection_limits.py"
CONNECTIONS = "tests/ops/test_connection_limits.py"
SLOW_BODIES = "tests/api/events/test_slow_bodies.py"
HOSTILE_BODIES = "tests/api/http/test_hostile_bodies.py"
UNREAD = "tests/ops/test_unread_bodies.py"
HUB = "tests/live/test_hub.py"
PLAIN = "ops/plain_requests.py"
BOTH_READERS = "tests/api/events/test_both_readers.py"

DEFECTS = (
    defect(
        "a field may come twice in a plain head",
        PLAIN,
        "if not key or key in environ or values",
        "if not key or values",
        f"{BOTH_READERS}::test_each_field_may_come_once",
    ),
    defect(
        "a plain request may have another one behind it",
        PLAIN,
        "if len(begun) <= length:",
        "if length >= 0:",
        f"{BOTH_READERS}::test_an_unusual_event_request_is_passed_to_gunicorn_byte_for_byte",
    ),
    defect(
        "the kernel holds megabytes of an answer that nobody reads",
        CLIENT,
        "            sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)",
        "            pass",
        f"{CONNECTIONS}::test_the_kernel_holds_little_of_an_answer_that_nobody_reads",
    ),
    defect(
        "an answer waits for its reader for ten minutes",
        CLIENT,
        "            self._sock.settimeout(SEND_SECONDS)",
        "            self._sock.settimeout(60 * SEND_SECONDS)",
        f"{CONNECTIONS}::test_a_client_that_does_not_read_its_answers_is_cut_off",
    ),
    defect(
        "a body without a credential may have a mebibyte",
        "inbox/api/http/body_limits.py",
        "ANONYMOUS_CAP = 16 * 1024",
        "ANONYMOUS_CAP = 1024 * 1024",
        f"{SLOW_BODIES}::test_a_body_of_an_anonymous_client_may_have_16_kib",
    ),
    defect(
        "bodies without a credential take the room of all others",
        "inbox/api/http/body_limits.py",
        "held.finish(anonymous_room, ANONYMOUS_ROOM)",
        "held.finish(room, settings.current().ingest_bytes_in_flight)",
        f"{HOSTILE_BODIES}::test_bodies_of_anonymous_clients_have_separate_room",
    ),
    defect(
        "a body may hold two million values",
        "inbox/domain/values/jsonbody.py",
        "MAX_NODES = 20_000",
        "MAX_NODES = 2_000_000",
        f"{HOSTILE_BODIES}::test_a_body_holds_at_most_20_000_values",
    ),
    defect(
        "a large body is read before its key is looked up",
        "inbox/api/senders/ingest.py",
        "    if not body.begin() and not key_lookups().is_live(key_digest):",
        "    if not body.begin() and not key_digest:",
        f"{SLOW_BODIES}::test_a_key_that_is_not_live_is_refused_before_its_body_has_come",
    ),
    defect(
        "a slow body has as much time as any other",
        "inbox/api/http/bodies.py",
        "max(GRACE_SECONDS, come / LEAST_BYTES_PER_SECOND)",
        "self._seconds",
        SLOW_BODIES,
    ),
    defect(
        "a body takes its room before it has come",
        "inbox/api/http/bodies.py",
        "                self._room.reserve(len(part), most, held=self._received)\n                self._received += len(part)\n",
        "                whole = self._length or self._received + len(part)\n"
        "                self._room.reserve(whole - self._received, most, held=self._received)\n"
        "                self._received = whole\n",
        SLOW_BODIES,
    ),
    defect(
        "whoever goes on sending to a refused request is never cut off",
        CLIENT,
        "LINGER_BYTES = 16 * 1024 * 1024",
        "LINGER_BYTES = 1600 * 1024 * 1024",
        f"{UNREAD}::test_at_most_16_mib_are_read_after_a_refusal",
    ),
    defect(
        "an address may hold every connection of a process",
        LIMITS,
        "        if self._per_client and client.held >= self._per_client and",
        "        if self._per_client and client.held >= 100 * self._per_client and",
        CONNECTIONS,
    ),
    defect(
        "streams count as connections of their address",
        "inbox/live/client_socket.py",
        "            become_stream()\n",
        "            pass\n",
        f"{CONNECTIONS}::test_streams_are_counted_apart",
    ),
    defect(
        "a workspace may take all streams of a process",
        "inbox/live/hub.py",
        'self.audiences.count(ids.encode("wsp", id)) >= self._per_workspace for',
        'self.audiences.count(ids.encode("wsp", id)) > 2 * self._per_workspace for',
        f"{HUB}::test_a_workspace_cannot_take_all_streams_of_a_process",
    ),
    defect(
        "a request without a host is served",
        "ops/web.py",
        '        if req.version >= (1, 1) and not any(name == "HOST" for name, _ in req.headers):\n',
        "        if req.version < (1, 1) and not req.headers:\n",
        f"{UNREAD}::test_a_request_of_http_1_1_names_its_host",
    ),
)
