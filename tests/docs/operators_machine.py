"""A machine that runs `bin/up` as the pages for operators start it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.docs.operators_pages import Block, Shell, block
from tests.docs.operators_service import ADMINISTRATOR, Service
from tests.faults.service_processes import until
from tests.runner.ports import free_port


@dataclass(frozen=True)
class Machine:
    """The paths of the pages lead into one directory here, and their ports to free ones."""

    directory: Path
    port: int
    other_port: int
    shell: Shell

    @property
    def data(self) -> Path:
        return self.directory / "data"

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @contextmanager
    def up(self, *, recovery: bool = False) -> Iterator[Service]:
        """The service runs, as the pages start it; answers when it is ready."""
        log = self.directory / "up.log"
        chosen = _recovery() if recovery else block("install.md", "Start everything")
        with self.shell.started(chosen, log):
            service = Service(f"http://127.0.0.1:{self.other_port if recovery else self.port}", log)
            service.wait()
            yield service

    def is_well(self, chosen: Block) -> None:
        """The block succeeds, once workers and scheduler have registered. The service is asked first, which costs less."""
        service = Service(self.address, self.directory / "up.log")
        service.sign_in()
        until(service.is_complete, "all parts of the service are well", 90)

        def succeeds() -> bool:
            try:
                return bool(self.shell.run(chosen))
            except AssertionError:
                return False

        until(succeeds, f"{chosen.key} succeeds", 90)


def _recovery() -> Block:
    return block("backup-and-restore.md", "Restore the dump", 2)


@contextmanager
def machine(environment: Mapping[str, str] | None = None) -> Iterator[Machine]:
    """A separate machine. `environment` has further settings."""
    directory = Path(tempfile.mkdtemp(prefix="operators-"))
    port, other = free_port(), free_port()
    place = {
        "/var/lib/incident-inbox": str(directory / "data"),
        "/var/backups/incident-inbox": str(directory / "backups"),
        "$(date +%Y-%m-%d)": "2026-11-22",
        "8080": str(port),
        "8099": str(other),
    }
    settings = {"INBOX_DATA_DIR": str(directory / "data"), "INBOX_WEB_WORKERS": "1", "INBOX_PORT": str(port)}
    try:
        yield Machine(directory, port, other, Shell(place, {**ADMINISTRATOR, **settings, **(environment or {})}))
    finally:
        shutil.rmtree(directory, ignore_errors=True)
