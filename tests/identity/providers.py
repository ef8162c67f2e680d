"""Identity providers on loopback: a scripted one for valid and invalid answers, and a real one."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import secrets
import socket
import subprocess
import sys
import threading
import time
from base64 import b64decode, urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, unquote, urlsplit

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

from inbox.domain.people.oidc_provider import OidcProvider
from tests.cast import NOW
from tests.runner.ports import free_port

CLIENT_ID, CLIENT_SECRET = "in box", "s3cret:/+é"

Sign = Callable[[bytes], bytes]
Claims = dict[str, Any]


def b64(data: bytes) -> str:
    return urlsafe_b64encode(data).decode().rstrip("=")


def compact(header: Mapping[str, Any], claims: Any, sign: Sign) -> str:
    """A signed token, made without the library that reads it."""
    signed = f"{b64(json.dumps(header).encode())}.{b64(json.dumps(claims).encode())}"
    return f"{signed}.{b64(sign(signed.encode()))}"


@cache
def rsa_key(name: str, bits: int = 2048) -> rsa.RSAPrivateKey:
    """A key that is made once for all tests; another name is another key."""
    return rsa.generate_private_key(public_exponent=65537, key_size=bits)


@cache
def ec_key(name: str) -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def rs256(key: rsa.RSAPrivateKey) -> Sign:
    return lambda data: key.sign(data, padding.PKCS1v15(), hashes.SHA256())


def rs512(key: rsa.RSAPrivateKey) -> Sign:
    return lambda data: key.sign(data, padding.PKCS1v15(), hashes.SHA512())


def es256(key: ec.EllipticCurvePrivateKey) -> Sign:
    def sign(data: bytes) -> bytes:
        r, s = decode_dss_signature(key.sign(data, ec.ECDSA(hashes.SHA256())))
        return r.to_bytes(32, "big") + s.to_bytes(32, "big")

    return sign


def hs256(secret: bytes) -> Sign:
    return lambda data: hmac.new(secret, data, hashlib.sha256).digest()


def rsa_jwk(key: rsa.RSAPrivateKey, kid: str, **more: Any) -> dict[str, Any]:
    numbers = key.public_key().public_numbers()
    size = (numbers.n.bit_length() + 7) // 8
    return {"kty": "RSA", "kid": kid, "n": b64(numbers.n.to_bytes(size, "big")), "e": "AQAB", **more}


def ec_jwk(key: ec.EllipticCurvePrivateKey, kid: str, **more: Any) -> dict[str, Any]:
    numbers = key.public_key().public_numbers()
    x, y = (b64(number.to_bytes(32, "big")) for number in (numbers.x, numbers.y))
    return {"kty": "EC", "crv": "P-256", "kid": kid, "x": x, "y": y, **more}


@dataclass
class Call:
    """A request that the provider got."""

    method: str
    path: str
    headers: dict[str, str]
    form: dict[str, str]


@dataclass
class OwnProvider:
    """Does everything right, PKCE and single use of codes included, until a test changes something.

    `claims` are added to the token's, `token` makes it in another way, `metadata` is added to the discovery document,
    `answers` replaces what a path answers: (status, body). `refuses_basic` takes the client's secret in the form alone.
    """

    claims: Claims = field(default_factory=dict)
    token: Callable[[Claims], Any] | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    keys: list[dict[str, Any]] = field(default_factory=lambda: [rsa_jwk(rsa_key("own"), "k1", use="sig", alg="RS256")])
    userinfo: dict[str, Any] = field(default_factory=dict)
    answers: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    refuses_basic: bool = False
    now: int = int(NOW.timestamp())

    def __enter__(self) -> Self:
        provider = self

        class Door(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = 65_536  # head and body in one piece

            def do_GET(self) -> None:
                provider._answer(self)

            do_POST = do_GET

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        self.issuer = f"http://127.0.0.1:{self._server.server_port}"
        self._codes: dict[str, dict[str, str]] = {}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def chosen(self, **more: Any) -> OidcProvider:
        """As the settings have it."""
        values = {"id": "own", "name": "Own", "client_id": CLIENT_ID, "client_secret": CLIENT_SECRET, **more}
        return OidcProvider(**{"issuer": self.issuer, **values})

    def authorize(self, url: str) -> dict[str, str]:
        """What a person's browser brings back who signs in there at once."""
        requested = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
        assert url.startswith(self.issuer + "/authorize?")
        code = secrets.token_urlsafe(8)
        self._codes[code] = requested
        return {"code": code, "state": requested["state"]}

    def asked_for(self, path: str) -> int:
        """How often."""
        return len([call for call in self.calls if call.path == path])

    def _answer(self, door: BaseHTTPRequestHandler) -> None:
        body = door.rfile.read(int(door.headers.get("Content-Length", 0))).decode()
        form = {name: values[0] for name, values in parse_qs(body).items()}
        call = Call(door.command, door.path, dict(door.headers), form)
        self.calls.append(call)
        status, content = self.answers.get(door.path) or self._stated(call)
        door.send_response(status)
        if 300 <= status < 400:
            door.send_header("Location", content.decode())
        door.send_header("Content-Length", str(len(content)))
        door.send_header("Content-Type", "application/json")
        door.end_headers()
        door.wfile.write(content)

    def _stated(self, call: Call) -> tuple[int, bytes]:
        match call.path:
            case "/.well-known/openid-configuration":
                return 200, json.dumps({**self._discovery(), **self.metadata}).encode()
            case "/keys":
                return 200, json.dumps({"keys": self.keys}).encode()
            case "/token":
                return self._token(call)
            case "/userinfo":
                return 200, json.dumps(self.userinfo).encode()
        return 404, b""

    def _discovery(self) -> dict[str, Any]:
        return {
            "issuer": self.issuer,
            "authorization_endpoint": self.issuer + "/authorize",
            "token_endpoint": self.issuer + "/token",
            "jwks_uri": self.issuer + "/keys",
        }

    def _token(self, call: Call) -> tuple[int, bytes]:
        if self.refuses_basic and "Authorization" in call.headers:
            return 401, b'{"error": "invalid_client"}'
        requested = self._codes.pop(call.form.get("code", ""), None)
        verifier = call.form.get("code_verifier", "").encode()
        if (
            requested is None
            or requested["code_challenge"] != b64(hashlib.sha256(verifier).digest())
            or requested["code_challenge_method"] != "S256"
            or requested["redirect_uri"] != call.form.get("redirect_uri")
        ):
            return 400, b'{"error": "invalid_grant", "error_description": "<b>canary of the provider</b>"}'
        if _client(call) not in ((CLIENT_ID, CLIENT_SECRET), (CLIENT_ID, "")):
            return 401, b'{"error": "invalid_client"}'
        claims = {
            "iss": self.issuer,
            "sub": "248289761001",
            "aud": CLIENT_ID,
            "exp": self.now + 300,
            "iat": self.now,
            "nonce": requested["nonce"],
            "email": "mia@example.org",
            "email_verified": True,
            "name": "Mia",
        }
        claims |= self.claims
        claims = {name: value for name, value in claims.items() if value is not ...}
        token = (
            self.token(claims) if self.token else compact({"alg": "RS256", "kid": "k1"}, claims, rs256(rsa_key("own")))
        )
        return 200, json.dumps({"access_token": "at-1", "token_type": "Bearer", "id_token": token}).encode()


def _client(call: Call) -> tuple[str, str]:
    kind, _, pair = call.headers.get("Authorization", "").partition(" ")
    if kind == "Basic":
        name, _, secret = b64decode(pair).decode().partition(":")
        return unquote(name), unquote(secret)
    return call.form.get("client_id", ""), call.form.get("client_secret", "")


def read(token_part: str) -> Any:
    """A part of a token as JSON."""
    return json.loads(urlsafe_b64decode(token_part + "=" * (-len(token_part) % 4)))


@contextlib.contextmanager
def real_provider(*users: Mapping[str, Any]) -> Iterator[str]:
    """The issuer of a provider that others wrote, in its own process."""
    port = free_port()
    arguments = [item for user in users for item in ("--user-claims", json.dumps(user))]
    command = [sys.executable, "-m", "oidc_provider_mock", "--port", str(port), "--require-nonce", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        give_up = time.monotonic() + 60
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            assert process.poll() is None and time.monotonic() < give_up, "the provider did not start"
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(60)
