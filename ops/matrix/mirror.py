"""The Debian mirror that apt uses on this machine, and its proxy."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.request import Request, urlopen

APT = Path("/etc/apt")
WEB = ("http://", "https://")
TIMEOUT = 30.0
_ONE_LINE = re.compile(r"deb\s+(?:\[(?P<options>[^]]*)\]\s+)?(?P<uri>\S+)\s+(?P<suite>\S+)\s+main\b")
_KEYRING = re.compile(r"signed-by=(\S+)")


@dataclass(frozen=True)
class Mirror:
    """The source of Debian packages. `keyring` is empty where apt has no keyring for this mirror alone."""

    uri: str
    keyring: str = ""

    def has(self, suite: str) -> bool:
        """Returns whether the mirror answers for a suite."""
        try:
            with urlopen(Request(f"{self.uri}/dists/{suite}/InRelease", method="HEAD"), timeout=TIMEOUT):
                return True
        except (URLError, OSError):
            return False


def find_mirror(codename: str, apt: Path = APT) -> Mirror | None:
    """Returns the first web mirror from which apt reads the release of this machine; None where there is none."""
    for suites, uri, keyring in _sources(apt):
        if codename in suites and uri.startswith(WEB):
            return Mirror(uri.rstrip("/"), keyring if keyring.startswith("/") else "")
    return None


def codename(os_release: Path = Path("/etc/os-release")) -> str:
    """Returns the name of the Debian release that runs here; empty on another system."""
    try:
        lines = os_release.read_text().splitlines()
    except OSError:
        return ""
    values = {name: value.strip('"') for name, _, value in (line.partition("=") for line in lines)}
    return values.get("VERSION_CODENAME", "") if values.get("ID") == "debian" else ""


def proxies() -> Mapping[str, str]:
    """Returns the proxies of apt, as variables that debootstrap passes to its downloads."""
    named = {"http_proxy": "Acquire::http::Proxy", "https_proxy": "Acquire::https::Proxy"}
    command = ["apt-config", "shell", *(word for pair in named.items() for word in pair)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return {}
    found = re.findall(r"^(\w+)='([^']+)'$", done.stdout, re.MULTILINE)
    return {name: value for name, value in found if value != "DIRECT"}


def _sources(apt: Path) -> Iterator[tuple[list[str], str, str]]:
    """Yields suites, address and keyring of each source, in the order of apt."""
    for path in [apt / "sources.list", *sorted((apt / "sources.list.d").glob("*"))]:
        if not path.is_file():
            continue
        if path.suffix == ".sources":
            yield from _stanzas(path.read_text())
        elif path.suffix == ".list":
            for line in path.read_text().splitlines():
                if found := _ONE_LINE.match(line.strip()):
                    keyring = _KEYRING.search(found["options"] or "")
                    yield [found["suite"]], found["uri"], keyring[1] if keyring else ""


def _stanzas(text: str) -> Iterator[tuple[list[str], str, str]]:
    """Yields the sources of a file in the newer format: paragraphs of fields."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    for paragraph in re.split(r"\n\s*\n", "\n".join(lines)):
        fields = dict(re.findall(r"^([\w-]+):[ \t]*(.*)$", paragraph, re.MULTILINE))
        if "deb" not in fields.get("Types", "").split() or fields.get("Enabled", "yes") == "no":
            continue
        if "main" in fields.get("Components", "").split():
            for uri in fields.get("URIs", "").split():
                yield fields.get("Suites", "").split(), uri, fields.get("Signed-By", "")
