"""Raw messages to `POST /v1/events`: what senders send, and what could be read in two ways.

`%KEY%` stands for a live source key and `%RUN%` for eight digits, so that every run stores its own rows.
"""

from __future__ import annotations

BODY = b'{"title": "run %RUN%", "severity": "ERROR"}'
RUN = b"00000000"
OTHER_BODY = b'{"title": "two %RUN%", "severity": "ERROR"}'
LENGTH = len(BODY) - len(b"%RUN%") + len(RUN)
HOST, KEY, SIZE = "Host: inbox", "Authorization: Bearer %KEY%", f"Content-Length: {LENGTH}"
REQUEST = "POST /v1/events HTTP/1.1"
USUAL = (HOST, KEY, SIZE)
UNKNOWN_KEY = "svc_src_" + "A" * 43
SMUGGLED = b"POST /v1/events HTTP/1.1\r\nHost: inbox\r\nAuthorization: Bearer %KEY%\r\nContent-Length: 43\r\n\r\n"
LARGE = b'{"title": "run %RUN%", "severity": "ERROR", "body": "' + b"x" * 12_000 + b'"}'
BATCH = b'{"events": [' + b", ".join([BODY] * 3) + b"]}"


def message(*lines: str, body: bytes = BODY, request: str = REQUEST, end: str = "\r\n") -> bytes:
    """A request of these lines."""
    return end.join((request, *lines, "", "")).encode("latin-1") + body


def sized(body: bytes, *lines: str) -> bytes:
    """A request with this body and its length."""
    length = len(body) + body.count(b"%RUN%") * (len(RUN) - len(b"%RUN%"))
    return message(HOST, KEY, f"Content-Length: {length}", *lines, body=body)


def chunked(*chunks: bytes, last: bytes = b"0\r\n\r\n", lines: tuple[str, ...] = ()) -> bytes:
    """A chunked request; each chunk as it is written."""
    return message(HOST, KEY, "Transfer-Encoding: chunked", *lines, body=b"".join(chunks) + last)


CHUNK = b"%x\r\n" % LENGTH + BODY + b"\r\n"

PLAIN: dict[str, bytes] = {
    "usual": message(*USUAL),
    "slash at the end": message(*USUAL, request="POST /v1/events/ HTTP/1.1"),
    "any order": message(SIZE, KEY, HOST),
    "lower case names": message("host: inbox", KEY.replace("A", "a", 1), SIZE.lower()),
    "upper case names": message("HOST: inbox", KEY, SIZE.replace("Content-Length", "CONTENT-LENGTH")),
    "lower case scheme": message(HOST, KEY.replace("Bearer", "bearer"), SIZE),
    "as curl": message(HOST, "User-Agent: curl/8.5.0", "Accept: */*", KEY, SIZE, "Content-Type: application/json"),
    "as requests": message(
        HOST,
        "User-Agent: python-requests/2.34.2",
        "Accept-Encoding: gzip, deflate",
        "Accept: */*",
        "Connection: keep-alive",
        SIZE,
        KEY,
    ),
    "behind a proxy": message(
        *USUAL,
        "X-Forwarded-For: 192.0.2.7, 198.51.100.2",
        "X-Forwarded-Proto: https",
        "X-Forwarded-Host: inbox.example.org",
        "X-Real-IP: 192.0.2.7",
    ),
    "host with port": message("Host: [::1]:8080", KEY, SIZE),
    "any content type": message(*USUAL, "Content-Type: text/plain"),
    "idempotency key": message(*USUAL, "Idempotency-Key: key-%RUN%"),
    "idempotency key with a space": message(*USUAL, "Idempotency-Key: a b"),
    "long idempotency key": message(*USUAL, "Idempotency-Key: " + "k" * 256),
    "request id": message(*USUAL, "X-Request-Id: an-id-of-the-caller"),
    "request id that is none": message(*USUAL, "X-Request-Id: a b"),
    "spaces after the colon": message("Host: inbox", "Authorization: Bearer   %KEY%", SIZE),
    "no body": message(HOST, KEY, "Content-Length: 0", body=b""),
    "not JSON": sized(b"title"),
    "not UTF-8": sized(b'{"title": "run %RUN% \xff"}'),
    "invalid event": sized(b'{"severity": "ERROR"}'),
    "no event": sized(b'{"events": []}'),
    "batch": sized(BATCH),
    "large": sized(LARGE),
    "HTTP in the body": sized(SMUGGLED.replace(b"%KEY%", b"") + BODY),
    "unknown key": message(HOST, f"Authorization: Bearer {UNKNOWN_KEY}", SIZE),
    "incomplete key": message(HOST, "Authorization: Bearer svc_src_x", SIZE),
    "other credential": message(HOST, "Authorization: Basic aTppCg==", SIZE),
    "large body of an unknown key": message(
        HOST, f"Authorization: Bearer {UNKNOWN_KEY}", "Content-Length: 20000", body=b" " * 20000
    ),
}
"""Read by the web process itself, when they arrive whole."""

TARGETS: dict[str, bytes] = {
    "absolute form": message(*USUAL, request="POST http://inbox/v1/events HTTP/1.1"),
    "absolute form of another host": message(*USUAL, request="POST http://else/v1/events HTTP/1.1"),
    "query": message(*USUAL, request="POST /v1/events?a=1 HTTP/1.1"),
    "empty query": message(*USUAL, request="POST /v1/events? HTTP/1.1"),
    "fragment": message(*USUAL, request="POST /v1/events#a HTTP/1.1"),
    "two slashes at the end": message(*USUAL, request="POST /v1/events// HTTP/1.1"),
    "two slashes": message(*USUAL, request="POST //v1/events HTTP/1.1"),
    "dots": message(*USUAL, request="POST /v1/./events HTTP/1.1"),
    "encoded": message(*USUAL, request="POST /v1/%65vents HTTP/1.1"),
    "upper case path": message(*USUAL, request="POST /V1/events HTTP/1.1"),
    "other path": message(*USUAL, request="POST /v1/auth/login HTTP/1.1"),
    "asterisk": message(*USUAL, request="POST * HTTP/1.1"),
    "authority": message(*USUAL, request="CONNECT inbox:80 HTTP/1.1"),
    "no target": message(*USUAL, request="POST HTTP/1.1"),
    "two spaces": message(*USUAL, request="POST  /v1/events HTTP/1.1"),
    "tab": message(*USUAL, request="POST\t/v1/events HTTP/1.1"),
    "space at the end": message(*USUAL, request="POST /v1/events HTTP/1.1 "),
    "NUL in the target": message(*USUAL, request="POST /v1/events\0 HTTP/1.1"),
    "GET": message(*USUAL, request="GET /v1/events HTTP/1.1"),
    "PUT": message(*USUAL, request="PUT /v1/events HTTP/1.1"),
    "lower case method": message(*USUAL, request="post /v1/events HTTP/1.1"),
    "unknown method": message(*USUAL, request="POSTS /v1/events HTTP/1.1"),
    "HTTP/1.0": message(*USUAL, request="POST /v1/events HTTP/1.0"),
    "HTTP/1.0 kept": message(*USUAL, "Connection: keep-alive", request="POST /v1/events HTTP/1.0"),
    "HTTP/1.2": message(*USUAL, request="POST /v1/events HTTP/1.2"),
    "HTTP/2.0": message(*USUAL, request="POST /v1/events HTTP/2.0"),
    "HTTP/1.10": message(*USUAL, request="POST /v1/events HTTP/1.10"),
    "http/1.1": message(*USUAL, request="POST /v1/events http/1.1"),
    "no version": message(*USUAL, request="POST /v1/events"),
    "empty line before": b"\r\n" + message(*USUAL),
    "two empty lines before": b"\r\n\r\n" + message(*USUAL),
    "space before": b" " + message(*USUAL),
    "PROXY line": b"PROXY TCP4 192.0.2.1 192.0.2.2 5000 80\r\n" + message(*USUAL),
    "preface of HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "beginning of TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    "no HTTP": b"hello, is anybody there?\r\n\r\n",
}

LINES: dict[str, bytes] = {
    "bare LF": message(*USUAL, end="\n"),
    "bare CR": message(*USUAL, end="\r"),
    "LF at the end of the head": message(*USUAL).replace(b"\r\n\r\n", b"\r\n\n"),
    "LF after a field": message(*USUAL).replace(b"inbox\r\n", b"inbox\n"),
    "CR CR LF": message(*USUAL).replace(b"inbox\r\n", b"inbox\r\r\n"),
    "folded field": message(HOST, KEY, SIZE, "User-Agent: a\r\n b"),
    "folded length": message(HOST, KEY, f"Content-Length:\r\n {LENGTH}"),
    "folded with a tab": message(HOST, KEY, SIZE, "X-Real-IP: a\r\n\tTransfer-Encoding: chunked"),
    "first field begins with a space": message(" " + HOST, KEY, SIZE),
    "space before the colon": message("Host : inbox", KEY, SIZE),
    "tab before the colon": message(HOST, KEY, f"Content-Length\t: {LENGTH}"),
    "no space after the colon": message("Host:inbox", KEY, SIZE),
    "tab after the colon": message("Host:\tinbox", KEY, SIZE),
    "space at the end of a value": message("Host: inbox ", KEY, SIZE),
    "no colon": message(*USUAL, "Hello"),
    "no name": message(*USUAL, ": hello"),
    "empty value": message(*USUAL, "User-Agent: "),
    "NUL in a value": message(*USUAL, "User-Agent: a\0b"),
    "CR in a value": message(*USUAL, "User-Agent: a\rTransfer-Encoding: chunked"),
    "tab in a value": message(*USUAL, "User-Agent: a\tb"),
    "DEL in a value": message(*USUAL, "User-Agent: a\x7fb"),
    "Latin-1 in a value": message(*USUAL, "User-Agent: caf\xe9"),
    "Latin-1 in a name": message(*USUAL, "Us\xe9r: a"),
    "space in a name": message(*USUAL, "User Agent: a"),
    "underscore in a name": message(HOST, KEY, f"Content_Length: {LENGTH}"),
    "underscore beside the length": message(*USUAL, "Content_Length: 3"),
    "script name": message(*USUAL, "SCRIPT_NAME: /v1"),
    "unknown field": message(*USUAL, "X-Unknown: 1"),
    "cookie": message(*USUAL, "Cookie: a=b"),
    "long value": message(*USUAL, "User-Agent: " + "a" * 1200),
    "very long value": message(*USUAL, "User-Agent: " + "a" * 9000),
    "many fields": message(*USUAL, *(f"X-Field-{number}: a" for number in range(90))),
    "too many fields": message(*USUAL, *(f"X-Field-{number}: a" for number in range(120))),
    "long head": message(*USUAL, *(f"X-Field-{number}: {'a' * 1000}" for number in range(12))),
    "no host": message(KEY, SIZE),
    "empty host": message("Host: ", KEY, SIZE),
    "odd host": message("Host: a b/c@d", KEY, SIZE),
    "two hosts": message(HOST, "Host: else", KEY, SIZE),
    "the same host twice": message(HOST, HOST, KEY, SIZE),
    "two credentials": message(*USUAL, f"Authorization: Bearer {UNKNOWN_KEY}"),
    "the same credential twice": message(*USUAL, KEY),
    "two idempotency keys": message(*USUAL, "Idempotency-Key: a-%RUN%", "Idempotency-Key: b"),
    "two content types": message(*USUAL, "Content-Type: a/b", "Content-Type: c/d"),
    "two forwarded addresses": message(*USUAL, "X-Forwarded-For: 192.0.2.1", "x-forwarded-for: 192.0.2.2"),
    "no credential": message(HOST, SIZE),
}

FRAMING: dict[str, bytes] = {
    "no length": message(HOST, KEY),
    "no length and no body": message(HOST, KEY, body=b""),
    "two equal lengths": message(HOST, KEY, SIZE, SIZE),
    "two lengths": message(HOST, KEY, SIZE, "Content-Length: 3"),
    "list of lengths": message(HOST, KEY, f"{SIZE}, {LENGTH}"),
    "length with plus": message(HOST, KEY, f"Content-Length: +{LENGTH}"),
    "length with minus": message(HOST, KEY, f"Content-Length: -{LENGTH}"),
    "length with zeros": message(HOST, KEY, f"Content-Length: 00{LENGTH}"),
    "hexadecimal length": message(HOST, KEY, f"Content-Length: 0x{LENGTH:x}"),
    "length with a point": message(HOST, KEY, f"Content-Length: {LENGTH}.0"),
    "length with an underscore": message(HOST, KEY, "Content-Length: 4_3"),
    "length of other digits": message(HOST, KEY, "Content-Length: \xb2"),
    "length that is no number": message(HOST, KEY, "Content-Length: many"),
    "empty length": message(HOST, KEY, "Content-Length: "),
    "length above the limit": message(HOST, KEY, "Content-Length: 2097153", body=b""),
    "length of eight digits": message(HOST, KEY, "Content-Length: 10000000", body=b""),
    "length beyond all numbers": message(HOST, KEY, f"Content-Length: {'9' * 30}", body=b""),
    "smuggled behind no body": message(HOST, KEY, "Content-Length: 0", body=SMUGGLED + OTHER_BODY),
    "smuggled behind the body": message(*USUAL, body=BODY + SMUGGLED + OTHER_BODY),
    "body longer than its length": message(*USUAL, body=BODY + b"GARBAGE\r\n\r\n"),
    "two requests": message(*USUAL) + SMUGGLED + OTHER_BODY,
    "three requests": (SMUGGLED + BODY) + (SMUGGLED + OTHER_BODY) + (SMUGGLED + BODY),
    "a read behind the event": message(*USUAL) + b"GET /healthz HTTP/1.1\r\nHost: inbox\r\n\r\n",
    "an event behind a read": b"GET /healthz HTTP/1.1\r\nHost: inbox\r\n\r\n" + message(*USUAL),
    "chunked": chunked(CHUNK),
    "two chunks": chunked(b"5\r\n" + BODY[:5] + b"\r\n", b"%x\r\n" % (LENGTH - 5) + BODY[5:] + b"\r\n"),
    "chunked and an event behind": chunked(CHUNK) + message(*USUAL, body=OTHER_BODY),
    "chunk with an extension": chunked(CHUNK.replace(b"\r\n", b";a=b\r\n", 1)),
    "chunk with a bare LF": chunked(CHUNK.replace(b"\r\n", b"\n", 1)),
    "trailer": chunked(CHUNK, last=b"0\r\nX-Trailer: a\r\n\r\n"),
    "forbidden trailer": chunked(CHUNK, last=b"0\r\nContent-Length: 3\r\n\r\n"),
    "bad chunk": chunked(b"zz\r\n" + BODY + b"\r\n"),
    "chunk longer than it says": chunked(b"5\r\n" + BODY + b"\r\n"),
    "chunked and a length": chunked(CHUNK, lines=(SIZE,)),
    "length and chunked": message(HOST, KEY, SIZE, "Transfer-Encoding: chunked", body=CHUNK + b"0\r\n\r\n"),
    "chunked twice": chunked(CHUNK, lines=("Transfer-Encoding: chunked",)),
    "chunked in upper case": message(HOST, KEY, "Transfer-Encoding: CHUNKED", body=CHUNK + b"0\r\n\r\n"),
    "identity coding": message(*USUAL, "Transfer-Encoding: identity"),
    "gzip coding": message(HOST, KEY, "Transfer-Encoding: gzip, chunked", body=CHUNK + b"0\r\n\r\n"),
    "unknown coding": message(*USUAL, "Transfer-Encoding: xchunked"),
    "hidden coding": message(*USUAL, "Transfer-Encoding : chunked"),
    "coding behind a tab": message(*USUAL, "Transfer-Encoding:\tchunked"),
    "coding with a vertical tab": message(*USUAL, "Transfer-Encoding: \x0bchunked"),
    "coding in the request id": message(*USUAL, "X-Request-Id: a\nTransfer-Encoding: chunked"),
    "expectation": message(*USUAL, "Expect: 100-continue"),
    "unknown expectation": message(*USUAL, "Expect: the-unexpected"),
    "closing": message(*USUAL, "Connection: close"),
    "closing among others": message(*USUAL, "Connection: keep-alive, close"),
    "closing named twice": message(*USUAL, "Connection: keep-alive", "Connection: close"),
    "upgrade to HTTP/2": message(*USUAL, "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAM"),
    "upgrade to a websocket": message(*USUAL, "Connection: Upgrade", "Upgrade: websocket"),
    "fields of the connection": message(*USUAL, "Connection: Authorization"),
    "trailers announced": message(*USUAL, "TE: trailers", "Trailer: Content-Length"),
    "compressed": message(*USUAL, "Content-Encoding: gzip"),
    "not compressed": message(*USUAL, "Content-Encoding: identity"),
}

UNUSUAL: dict[str, bytes] = {**TARGETS, **LINES, **FRAMING}
"""Left to gunicorn, byte for byte."""

CUT_OFF: dict[str, bytes] = {
    "head without its end": message(*USUAL)[:60],
    "head without a body": message(*USUAL, body=b""),
    "body without its end": message(*USUAL, body=BODY[:20]),
    "large body without its end": message(HOST, KEY, "Content-Length: 100000", body=b" " * 50_000),
    "chunk without its end": chunked(CHUNK[:20], last=b""),
}
"""Their sender ends the connection in the middle."""
