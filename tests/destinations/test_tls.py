"""The outgoing client and TLS: accepted authorities and names."""

from __future__ import annotations

import datetime
import ipaddress
import socket
import ssl
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from inbox.destinations.http import Client
from inbox.domain.deliveries.delivery import FailureReason
from inbox.domain.values.addresses import OutboundPolicy
from tests.destinations.receivers import Receiver, Request, answer, drip, names

ANY = OutboundPolicy(allow_private=True, allow_loopback=True)


class Authority:
    """A certificate authority of a test, and the server certificates it signs."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Test authority")])
        self.certificate = self._sign(self._name, self._key, None, days=1)
        self.file = folder / "authority.pem"
        self.file.write_bytes(self.certificate.public_bytes(serialization.Encoding.PEM))

    def context(self, name: str, *, days: int = 1) -> ssl.SSLContext:
        """A server's context for `name`, a DNS name or an address; negative `days` have expired."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        certificate = self._sign(subject, key, name, days=days)
        file = self._folder / f"{name.replace(':', '_')}{days}.pem"
        file.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
            + certificate.public_bytes(serialization.Encoding.PEM)
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        return context

    def _sign(
        self, subject: x509.Name, key: ec.EllipticCurvePrivateKey, name: str | None, *, days: int
    ) -> x509.Certificate:
        now = datetime.datetime.now(datetime.UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=9))
            .not_valid_after(now + datetime.timedelta(days=days))
            .add_extension(x509.BasicConstraints(ca=name is None, path_length=None), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), critical=False)
            .add_extension(usage(signs=name is None), critical=True)
        )
        if name is not None:
            try:
                general: x509.GeneralName = x509.IPAddress(ipaddress.ip_address(name))
            except ValueError:
                general = x509.DNSName(name)
            builder = builder.add_extension(x509.SubjectAlternativeName([general]), critical=False)
        return builder.sign(self._key, hashes.SHA256())


def usage(*, signs: bool) -> x509.KeyUsage:
    """What a key is for; from Python 3.13 on an authority whose certificate does not say so is not trusted."""
    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs,
        crl_sign=signs,
        encipher_only=False,
        decipher_only=False,
    )


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


def test_a_trusted_certificate_of_the_name_is_taken_and_the_name_is_reported(authority: Authority) -> None:
    reported: list[str | None] = []
    context = authority.context("hooks.internal")
    context.sni_callback = lambda sock, name, ctx: reported.append(name)
    with Receiver(answer(200, b"ok"), tls=context) as receiver:
        client = Client(ANY, resolver=names(hooks_internal=["127.0.0.1"]), ca_file=str(authority.file))
        receipts = [client.post(f"https://hooks.internal:{receiver.port}/", b"{}", {}) for _ in range(3)]

    assert [receipt.status_code for receipt in receipts] == [200, 200, 200]
    assert reported == ["hooks.internal"]
    assert receiver.connections == 1


def test_a_certificate_of_an_address_is_taken_for_that_address(authority: Authority) -> None:
    with Receiver(answer(), tls=authority.context("127.0.0.1")) as receiver:
        assert Client(ANY, ca_file=str(authority.file)).post(receiver.url, b"{}", {}).status_code == 200


def test_a_certificate_of_another_name_is_refused(authority: Authority) -> None:
    with Receiver(answer(), tls=authority.context("other.internal")) as receiver:
        client = Client(ANY, resolver=names(hooks_internal=["127.0.0.1"]), ca_file=str(authority.file))
        receipt = client.post(f"https://hooks.internal:{receiver.port}/", b"{}", {})

    assert (receipt.failure, receiver.hits) == (FailureReason.TLS_FAILED, [])


def test_an_untrusted_certificate_is_refused(authority: Authority) -> None:
    with Receiver(answer(), tls=authority.context("127.0.0.1")) as receiver:
        receipt = Client(ANY).post(receiver.url, b"{}", {})

    assert (receipt.failure, receiver.hits) == (FailureReason.TLS_FAILED, [])


def test_a_certificate_that_has_expired_is_refused(authority: Authority) -> None:
    with Receiver(answer(), tls=authority.context("127.0.0.1", days=-1)) as receiver:
        receipt = Client(ANY, ca_file=str(authority.file)).post(receiver.url, b"{}", {})

    assert (receipt.failure, receiver.hits) == (FailureReason.TLS_FAILED, [])


def test_an_environment_that_names_other_authorities_is_ignored(
    authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(authority.file))
    monkeypatch.setenv("CURL_CA_BUNDLE", str(authority.file))
    with Receiver(answer(), tls=authority.context("127.0.0.1")) as receiver:
        assert Client(ANY).post(receiver.url, b"{}", {}).failure is FailureReason.TLS_FAILED


def test_old_tls_is_refused(authority: Authority) -> None:
    context = authority.context("127.0.0.1")
    with pytest.warns(DeprecationWarning):
        context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
    with Receiver(answer(), tls=context) as receiver:
        assert (
            Client(ANY, ca_file=str(authority.file)).post(receiver.url, b"{}", {}).failure is FailureReason.TLS_FAILED
        )


def test_a_body_dripped_over_tls_ends_with_the_call(authority: Authority) -> None:
    def script(connection: socket.socket, request: Request) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\n")
        drip(connection, b"X-Drip: on and on\r\n")

    with Receiver(script, tls=authority.context("127.0.0.1")) as receiver:
        receipt = Client(ANY, ca_file=str(authority.file), deadline=0.5).post(receiver.url, b"{}", {})

    assert receipt.failure is FailureReason.TIMEOUT
