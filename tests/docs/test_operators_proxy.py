"""Each example of a reverse proxy is started in front of a real service: an event, the stream, a large body, `/metrics`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import requests

from tests.destinations.test_tls import Authority
from tests.docs.operators_machine import Machine, machine
from tests.docs.operators_pages import EXAMPLES, Shell, block
from tests.docs.operators_service import Service
from tests.faults.service_processes import until
from tests.runner.ports import free_port

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("up")]

FORGED = "198.51.100.66"


@dataclass(frozen=True)
class Site:
    """The public address of the service, its certificate, and the machine that runs it."""

    folder: Path
    port: int
    plain_port: int
    certificate: Path
    authority: Path
    machine: Machine

    @property
    def address(self) -> str:
        return f"https://localhost:{self.port}"

    def configured(self, name: str, **changes: str) -> Path:
        """The example file for this site, in the folder of the site."""
        text = (EXAMPLES / "proxy" / name).read_text()
        for kind in ("fullchain", "privkey"):
            text = text.replace(f"/etc/letsencrypt/live/inbox.example.org/{kind}.pem", str(self.certificate))
        for old, new in changes.items():
            assert old in text, old
            text = text.replace(old, new)
        file = self.folder / name
        file.write_text(text.replace("127.0.0.1:8080", f"127.0.0.1:{self.machine.port}"))
        return file


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    folder = Path(tempfile.mkdtemp(prefix="proxy-"))
    folder.chmod(0o755)
    port, plain = free_port(), free_port()
    authority = Authority(folder)
    authority.context("localhost")
    [certificate] = folder.glob("localhost*.pem")
    settings = {"INBOX_BASE_URL": f"https://localhost:{port}", "INBOX_TRUSTED_PROXIES": "1"}
    with machine(settings) as made, made.up():
        yield Site(folder, port, plain, certificate, authority.file, made)
    shutil.rmtree(folder, ignore_errors=True)


def nginx(site: Site) -> list[str]:
    """The example as a file of `conf.d`, in a configuration with its own places."""
    conf = site.configured(
        "nginx.conf",
        **{
            "listen 80;": f"listen 127.0.0.1:{site.plain_port};",
            "listen 443 ssl http2;": f"listen 127.0.0.1:{site.port} ssl http2;",
            "inbox.example.org": "localhost",
        },
    )
    user = "user root;" if os.geteuid() == 0 else ""
    main = site.folder / "main.conf"
    main.write_text(
        f"{user} daemon off; pid {site.folder}/pid; error_log stderr; events {{}} http {{ access_log off;"
        f" client_body_temp_path {site.folder}/body; proxy_temp_path {site.folder}/proxy; include {conf}; }}"
    )
    return ["nginx", "-e", "stderr", "-p", str(site.folder), "-c", str(main)]


def caddy(site: Site) -> list[str]:
    """The example with the certificate of the test instead of one that Caddy obtains."""
    conf = site.configured(
        "Caddyfile",
        **{
            "inbox.example.org {": f"{site.address} {{\n\ttls {site.certificate} {site.certificate}",
            "\tservers {": "\tadmin off\n\tauto_https disable_redirects\n\tservers {",
        },
    )
    return ["caddy", "run", "--config", str(conf), "--adapter", "caddyfile"]


def traefik(site: Site) -> list[str]:
    """Both examples; the static one names the dynamic one."""
    dynamic = site.configured("traefik.yaml", **{"inbox.example.org": "localhost"})
    static = site.configured(
        "traefik-static.yaml",
        **{
            '":80"': f'"127.0.0.1:{site.plain_port}"',
            '":443"': f'"127.0.0.1:{site.port}"',
            "/etc/traefik/incident-inbox.yaml": str(dynamic),
        },
    )
    return ["traefik", f"--configfile={static}"]


PROXIES: Mapping[str, Callable[[Site], list[str]]] = {"nginx": nginx, "caddy": caddy, "traefik": traefik}


@contextmanager
def run(name: str, site: Site) -> Iterator[Service]:
    """The proxy runs in front of the service; answers a client of the public address."""
    program = shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/sbin")
    if program is None:
        pytest.skip(f"{name} is not installed")
    log = site.folder / f"{name}.log"
    environment = {**os.environ, "XDG_DATA_HOME": str(site.folder), "XDG_CONFIG_HOME": str(site.folder)}
    with log.open("wb") as out:
        process = subprocess.Popen(
            [program, *PROXIES[name](site)[1:]], env=environment, stdout=out, stderr=out, cwd=site.folder
        )
    try:
        service = Service(site.address, log, verify=str(site.authority))
        until(lambda: process.poll() is not None or service.is_ready(), f"{name} answers: {log.read_text()}", 60)
        assert process.poll() is None, log.read_text()[-3000:]
        yield service
    finally:
        process.terminate()
        process.wait(30)


@pytest.fixture(params=sorted(PROXIES))
def proxied(request: pytest.FixtureRequest, site: Site) -> Iterator[Service]:
    with run(request.param, site) as service:
        yield service


def operator(site: Site, **environment: str) -> Shell:
    """A shell that trusts the certificate of the site."""
    trusts = {"CURL_CA_BUNDLE": str(site.authority), "SSL_CERT_FILE": str(site.authority), "INBOX": site.address}
    return Shell({}, {**trusts, "INBOX_BASE_URL": site.address, **environment})


def session_token(service: Service) -> str:
    [token] = [cookie.value for cookie in service.session.cookies if "session" in cookie.name]
    return str(token)


def test_an_event_sent_through_the_proxy_arrives_on_a_stream_through_the_proxy(proxied: Service, site: Site) -> None:
    key = proxied.source_key(proxied.sign_in())
    log = site.folder / f"tail-{key[-6:]}"

    with operator(site, INBOX_TOKEN=session_token(proxied)).started(
        block("reverse-proxy.md", "Check the proxy", 2), log
    ):
        until(lambda: '"resync"' in log.read_text(), f"the stream begins: {log.read_text()}", 30)
        printed = operator(site, INBOX_SOURCE_KEY=key).run(block("reverse-proxy.md", "Check the proxy", 1))
        until(lambda: '"type": "event"' in log.read_text(), f"the change arrives: {log.read_text()}", 30)

    assert "accepted" in printed


def test_a_body_that_is_too_large_gets_the_answer_of_the_service(proxied: Service) -> None:
    key = proxied.source_key(proxied.sign_in())
    body = json.dumps({"title": "Large", "body": "x" * (2 * 1024 * 1024 + 1000)})

    answer = requests.post(
        f"{proxied.address}/v1/events", data=body, headers={"Authorization": f"Bearer {key}"}, timeout=60,
        verify=proxied.verify,
    )  # fmt: skip

    assert (answer.status_code, answer.json()["code"]) == (413, "payload_too_large")


def test_the_proxy_hides_the_metrics(proxied: Service) -> None:
    assert requests.get(f"{proxied.address}/metrics", timeout=30, verify=proxied.verify).status_code == 404


def test_a_client_cannot_choose_its_address(proxied: Service) -> None:
    proxied.session.headers["X-Forwarded-For"] = FORGED
    proxied.sign_in()

    entries = proxied.call("GET", "/v1/me/audit-log")["items"]

    assert entries[0]["action"] and FORGED not in json.dumps(entries)
