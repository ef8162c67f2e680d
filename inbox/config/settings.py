"""All settings of the service: read from the environment once, immutable, complete or refused."""

from __future__ import annotations

import os
import re
from base64 import b64decode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any
from urllib.parse import urlsplit

from inbox.config import secret_files, server_faults
from inbox.config.ca_file import CaFile, parse_ca_file
from inbox.config.mail import MailIn, outgoing
from inbox.domain.deliveries.push import PushHosts
from inbox.domain.people.oidc_provider import OidcProvider, parse_providers
from inbox.domain.values import base_url
from inbox.domain.values.addresses import Deny
from inbox.domain.values.legal_links import LegalLink, parse_legal_links
from inbox.domain.values.outbound_proxy import OutboundProxy


class SettingsInvalid(Exception):
    """The environment is invalid. `faults` lists every fault in one sentence each, never a secret's value."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("; ".join(faults))
        self.faults = faults


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of an operator. `docs/configuration.md` documents each field under its variable's name."""

    database_url: str
    redis_url: str
    secret_keys: str
    signing_key: str
    base_url: str = "http://127.0.0.1:8080"
    problems_url: str = ""
    name: str = "Incident Inbox"
    edition: str = "self_hosted"
    host: str = "127.0.0.1"
    port: int = 8080
    web_workers: int = 2
    database_connections: int = 20
    database_pooler: str = ""
    admin_email: str = ""
    admin_password: str = ""
    allow_private_destinations: bool | None = None
    allow_loopback_destinations: bool | None = None
    allow_apprise: bool | None = None
    destination_deny: Deny = Deny()  # noqa: RUF009 - it is frozen
    outbound_proxy: OutboundProxy | None = None
    ca_file: CaFile = CaFile("")  # noqa: RUF009 - it is a text
    workspace_creation: str = "everybody"
    trusted_proxies: int = 0
    migration_database_url: str = field(default="", repr=False)
    direct_database_url: str = field(default="", repr=False)
    read_database_url: str = field(default="", repr=False)
    database_host: str = ""
    database_hostaddr: str = ""
    metrics_token: str = field(default="", repr=False)
    metrics_dir: str = ""
    metrics_port: int = 0
    log_level: str = "INFO"
    rate_limits: bool = True
    events_per_minute_source: int = 6_000
    events_per_minute_workspace: int = 30_000
    pings_per_minute: int = 12
    management_per_minute_user: int = 600
    management_reads_per_minute_user: int = 3_000
    sign_ins_per_account_5min: int = 10
    sign_ins_per_address_5min: int = 20
    account_links_per_hour_address: int = 20
    password_resets_per_account_day: int = 5
    pairing_attempts: int = 1_000
    pairing_attempts_per_address: int = 20
    test_sends_per_minute: int = 10
    ingest_bytes_in_flight: int = 64 * 1024 * 1024
    connections_per_address: int = 500
    fast_path: bool = True
    delivery_timeout_seconds: int = 15
    delivery_concurrency: int = 100
    destination_concurrency: int = 8
    oidc_providers: tuple[OidcProvider, ...] = ()
    smtp_url: str = ""
    mail_from: str = ""
    mail_in_port: int = 0
    mail_in_host: str = "127.0.0.1"
    mail_in_domain: str = ""
    mail_in_bytes: int = 2 * 1024 * 1024
    mail_in_connections: int = 50
    mail_in_certificate: str = ""
    mail_in_certificate_key: str = ""
    push_hosts: PushHosts = PushHosts()  # noqa: RUF009 - it is frozen
    push_contact: str = ""
    security_contact: str = ""
    legal_links: tuple[LegalLink, ...] = ()

    @property
    def is_https(self) -> bool:
        """Whether the dashboard is served over https, so that cookies are `Secure` and `__Host-` (specification 11.2)."""
        return self.base_url.startswith("https://")

    @property
    def is_hosted(self) -> bool:
        """Whether this is the hosted edition (specification 1.5)."""
        return self.edition == "hosted"

    @property
    def may_call_private(self) -> bool:
        """Whether destinations may have private addresses. By default only where the operator trusts the users."""
        return not self.is_hosted if self.allow_private_destinations is None else self.allow_private_destinations

    @property
    def may_use_apprise(self) -> bool:
        """Whether destinations may be of the kind `apprise`. By default as for private addresses of `self_hosted`."""
        return not self.is_hosted if self.allow_apprise is None else self.allow_apprise

    @property
    def may_call_loopback(self) -> bool:
        """Whether destinations may be on this machine. By default as for private addresses."""
        return self.may_call_private if (allowed := self.allow_loopback_destinations) is None else allowed

    @property
    def can_send_mail(self) -> bool:
        """Whether mail can be sent: the capability `mail` (specification 1.5)."""
        return bool(self.smtp_url)

    @property
    def can_receive_mail(self) -> bool:
        """Whether sources have mail addresses (specification 19.16)."""
        return self.mail_in_port > 0

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None) -> Settings:
        """Read every variable; raises `SettingsInvalid` with all faults at once."""
        return _read(environ if environ is not None else os.environ)


def variable(field: str) -> str:
    """Returns the environment variable of a field: `INBOX_` and its name, unless `_UNPREFIXED` has another name."""
    return _UNPREFIXED.get(field, f"INBOX_{field.upper()}")


_UNPREFIXED: Mapping[str, str] = {
    "database_url": "DATABASE_URL",
    "redis_url": "REDIS_URL",
    "database_host": "PGHOST",  # libpq reads these two by itself
    "database_hostaddr": "PGHOSTADDR",
}


_current: Settings | None = None


def use(settings: Settings) -> None:
    """Set the settings of the process; called once by `bootstrap.configure`."""
    global _current
    _current = settings


def current() -> Settings:
    """Returns the settings of the process. Raises `RuntimeError` before `use`."""
    if _current is None:
        raise RuntimeError("settings are used before they are configured")
    return _current


def _read(given: Mapping[str, str]) -> Settings:
    environ, faults = secret_files.read(given)
    values: dict[str, Any] = {}
    for each in fields(Settings):
        raw = environ.get(variable(each.name), "").strip()
        if not raw:
            continue
        try:
            values[each.name] = _READERS[str(each.type)](raw)
        except ValueError as fault:
            faults.append(f"{variable(each.name)} {fault}")
    required = ("database_url", "redis_url", "secret_keys", "signing_key")
    missing = [variable(name) for name in required if name not in values]
    faults += [f"{name} is missing" for name in missing if secret_files.variable_of(name) not in given]
    if not faults:
        settings = _complete(Settings(**values))
        checks = (_own_address, _servers, _secrets, _choices, _mail)
        faults = [fault for check in checks for fault in check(settings)]
        if not faults:
            return settings
    raise SettingsInvalid(faults)


def _complete(settings: Settings) -> Settings:
    address = settings.base_url.rstrip("/")
    domain = settings.mail_in_domain or urlsplit(address).hostname or ""
    problems_url = settings.problems_url or address + "/problems"
    return replace(settings, base_url=address, problems_url=problems_url, mail_in_domain=domain.lower())


def _flag(raw: str) -> bool:
    if (word := raw.lower()) in ("on", "true", "yes", "1"):
        return True
    if word in ("off", "false", "no", "0"):
        return False
    raise ValueError("must be on or off")


def _count(raw: str) -> int:
    if not raw.isascii() or not raw.isdigit() or len(raw) > 12:
        raise ValueError("must be a whole number, 0 or more")
    return int(raw)


_READERS: Mapping[str, Callable[[str], Any]] = {
    "str": str,
    "int": _count,
    "bool": _flag,
    "bool | None": _flag,
    "CaFile": parse_ca_file,
    "Deny": Deny.parse,
    "OutboundProxy | None": OutboundProxy.parse,
    "PushHosts": PushHosts.parse,
    "tuple[LegalLink, ...]": parse_legal_links,
    "tuple[OidcProvider, ...]": parse_providers,
}


def _own_address(settings: Settings) -> list[str]:
    is_valid = {
        f"INBOX_BASE_URL {base_url.fault_of(settings.base_url)}": not base_url.fault_of(settings.base_url),
        "INBOX_PORT must be 1 to 65535": 1 <= settings.port <= 65_535,
        "INBOX_METRICS_PORT must be 0 to 65535": settings.metrics_port <= 65_535,
    }
    return [fault for fault in is_valid if not is_valid[fault]]


_DATABASES = ("database_url", "migration_database_url", "direct_database_url", "read_database_url")


def _servers(settings: Settings) -> list[str]:
    urls = {variable(name): getattr(settings, name) for name in _DATABASES}
    hosts = {"host": settings.database_host, "hostaddr": settings.database_hostaddr}
    return [
        *server_faults.of_database(urls, hosts),
        *server_faults.of_pooler(settings.database_pooler, settings.database_url),
        *server_faults.of_redis(settings.redis_url),
    ]


def _secrets(settings: Settings) -> list[str]:
    faults, keys = [], [item.strip().partition(":") for item in settings.secret_keys.split(",")]
    if not all(_is_key(key_id, encoded) for key_id, _, encoded in keys) or len({key[0] for key in keys}) < len(keys):
        faults.append("INBOX_SECRET_KEYS must be id:base64 of 32 bytes, newest first, separated by commas, no id twice")
    if len(settings.signing_key) < 32:
        faults.append("INBOX_SIGNING_KEY must have at least 32 characters")
    return faults


def _is_key(key_id: str, encoded: str) -> bool:
    try:
        return bool(re.fullmatch(r"[\w.-]{1,64}", key_id, re.ASCII)) and len(b64decode(encoded, validate=True)) == 32
    except ValueError:
        return False


def _choices(settings: Settings) -> list[str]:
    faults = []
    if settings.edition not in ("self_hosted", "hosted"):
        faults.append("INBOX_EDITION must be self_hosted or hosted")
    if settings.workspace_creation not in ("everybody", "administrators"):
        faults.append("INBOX_WORKSPACE_CREATION must be everybody or administrators")
    if settings.log_level not in ("DEBUG", "INFO", "WARNING", "ERROR"):
        faults.append("INBOX_LOG_LEVEL must be DEBUG, INFO, WARNING or ERROR")
    if bool(settings.admin_email) != bool(settings.admin_password):
        faults.append("INBOX_ADMIN_EMAIL and INBOX_ADMIN_PASSWORD go together")
    concurrency = ("web_workers", "database_connections", "delivery_concurrency", "destination_concurrency")
    not_zero = (*concurrency, "delivery_timeout_seconds")
    return faults + [f"{variable(name)} must be at least 1" for name in not_zero if getattr(settings, name) < 1]


def _mail(settings: Settings) -> list[str]:
    names = ("port", "domain", "bytes", "connections", "certificate", "certificate_key")
    incoming = MailIn(*(getattr(settings, f"mail_in_{name}") for name in names))
    contacts = {variable(name): getattr(settings, name) for name in ("push_contact", "security_contact")}
    return [*outgoing(settings.smtp_url, settings.mail_from, contacts), *incoming.faults()]
