"""`bin/up`: runs the whole service under one supervisor, on its own servers unless others are configured."""

from __future__ import annotations

import argparse
import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from inbox.config import secret_files
from inbox.runtime.distribution import ROOT, typed
from ops import dashboard, forked, ownership, ports
from ops.binaries import Unreachable
from ops.children import Child, die_with_parent, exclusive_lock
from ops.datadir import KEYS, DataDir, module_search
from ops.embedded import Interrupted, NotStarted, Patience, Servers
from ops.listening import ANYWHERE, reached_at
from ops.locks import Busy, FileLock
from ops.machine_size import Machine, Sizes
from ops.run import KEYS_DO_NOT_FIT, MIGRATIONS, PARTS, of_services
from ops.sockets import metrics_directory
from ops.supervisor import Service, Supervisor, process
from ops.terminal import Terminal, show

MAIL_IN = "INBOX_MAIL_IN_PORT"
READY_SECONDS = 60.0
SETTINGS_REFUSED = 2
"""The exit code of `ops.first_run` where the settings cannot be used. Each line of its text is one fault."""


class Refused(Exception):
    """The start failed. The text gives the reason and the remedy."""


class Up:
    """One run on one data directory."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options, self.machine, self.sizes = options, options.machine, Sizes.of(options.machine)
        self.data = DataDir(options.data_dir)
        self.locks = self.data.path / "locks"
        self.servers: Servers | None = None
        self.programs: dict[str, forked.Main] = {}
        self.say = Terminal(self.data.logs / "up.log").say
        self.supervisor = Supervisor(self.say)

    def run(self) -> int:
        """Runs until a signal. Returns 0 when everything stopped by itself. Raises Refused when it cannot start."""
        lock = self._alone()
        clean = True
        try:
            self._settle_orphans()
            ports.check(self.options.host, self.options.port)
            if self.options.build:
                dashboard.build(self.say)
            keys = self._keys()
            environment = self._environment(keys, self._start_servers())
            link = self._prepare(environment)
            self._start_services(environment)
            self._greet(environment["INBOX_BASE_URL"], link)
            self.supervisor.run(every_minute=self.data.cut_logs)
            self.say("stopping")
        except Interrupted:
            self.say("stopping")
        finally:
            clean = self.supervisor.stop()
            self.data.withdraw()
            if self.servers:
                self.servers.stop()
            lock.release()
        return 0 if clean else 1

    def _alone(self) -> FileLock:
        try:
            self.data.create()
            self.locks.mkdir(exist_ok=True, mode=0o700)
            lock = FileLock.take(self.locks / "up.lock")
        except Busy as busy:
            raise Refused(
                f"{typed('up')} runs already on {self.data.path} (process {busy.pid}); choose another --data-dir"
            ) from None
        except OSError as fault:
            raise Refused(f"the data directory {self.data.path} cannot be used: {fault.strerror}") from None
        lock.write_pid(os.getpid())
        return lock

    def _keys(self) -> dict[str, str]:
        """Returns the keys of the data directory, made now when nothing is sealed with other keys yet."""
        if all(os.environ.get(name) for name in KEYS):
            return {}
        if self.data.lost_keys and not os.environ.get("DATABASE_URL") and not self.options.new_keys:
            raise Refused(
                f"the file {self.data.path / 'keys'} is missing, and beside it is a database whose secrets only those"
                " keys open. Restore the file from the backup, or set INBOX_SECRET_KEYS and INBOX_SIGNING_KEY."
                f" To begin with new keys and lose these secrets: {typed('up --new-keys')}"
            )
        return self.data.keys()

    def _settle_orphans(self) -> None:
        """Ends processes of a killed earlier run, which may still hold the port."""
        for path in [
            *self.locks.glob("web.lock"),
            *self.locks.glob("worker-*.lock"),
            *self.locks.glob("scheduler.lock"),
            *self.locks.glob("mail-in.lock"),
        ]:
            exclusive_lock(path, sys.executable).release()

    def _start_servers(self) -> dict[str, str]:
        given = {name: os.environ[name] for name in ("DATABASE_URL", "REDIS_URL") if os.environ.get(name)}
        if len(given) == 2:
            return given
        sizes = self.sizes.postgres(self.options.web + self.options.workers)
        patience = Patience(self.say, lambda: bool(self.supervisor.requested_signals))
        self.servers = servers = Servers(self.data.path, durable=True, sizes=sizes, patience=patience)
        group, addresses = [], {"REDIS_URL": servers.redis_url}
        if "DATABASE_URL" not in given:
            servers.start_postgres()
            for note in servers.notes:
                self.say(note)
            addresses |= {"DATABASE_URL": servers.service_url, MIGRATIONS: servers.database_url}
            group.append(
                Service(child=servers.postgres, start=partial(servers.start_postgres, patient=False), grace=30)
            )
        if "REDIS_URL" not in given:
            servers.start_redis()
            group.append(Service(child=servers.redis, start=partial(servers.start_redis, patient=False), grace=15))
        self.supervisor.add(group)
        return addresses | given

    def _environment(self, keys: Mapping[str, str], addresses: Mapping[str, str]) -> dict[str, str]:
        """Returns the environment of our processes. Existing values override generated ones, options override both.

        A process that joins gets the settings: a worker writes links with our address, and must never call us.
        """
        options = self.options
        host = reached_at(options.host)
        address = f"http://[{host}]:{options.port}" if ":" in host else f"http://{host}:{options.port}"
        given = {name: value for name, value in os.environ.items() if value}
        ours = {
            **addresses,
            "INBOX_BASE_URL": given.get("INBOX_BASE_URL", address),
            "INBOX_HOST": options.host,
            "INBOX_PORT": str(options.port),
            "INBOX_METRICS_DIR": given.get("INBOX_METRICS_DIR") or str(metrics_directory(self.data.path)),
        }
        self.data.announce(given | ours)
        return {
            **keys,
            **given,
            **ours,
            "INBOX_WEB_WORKERS": str(options.web),
            "INBOX_DATA_DIR": str(self.data.path),
            **module_search(),
        }

    def _prepare(self, environment: Mapping[str, str]) -> str:
        """Migrates and creates the first account where that is wanted.

        Returns the set-up link, empty when there are users.
        """
        done = subprocess.run(
            [sys.executable, "-m", "ops.first_run", "--json", *(["--new-keys"] if self.options.new_keys else [])],
            env=dict(environment),
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
            start_new_session=True,
            preexec_fn=die_with_parent(signal.SIGTERM) if sys.platform == "linux" else None,
        )
        if self.supervisor.requested_signals:
            raise Interrupted
        if done.returncode != 0:
            if done.returncode == KEYS_DO_NOT_FIT:
                self.data.forget_made_keys()
                raise Refused(done.stderr.strip())
            log = self.data.logs / "first_run.log"
            log.write_text(done.stderr)
            lines = done.stderr.strip().splitlines()
            raise Refused("\n".join(lines if done.returncode == SETTINGS_REFUSED else lines[-4:]) + f"\n(see {log})")
        answer = json.loads(done.stdout)
        for sentence in answer["unknown"]:
            self.say(sentence)
        if answer["applied"]:
            self.say(answer["applied"])
        return str(answer["link"])

    def _start_services(self, environment: Mapping[str, str]) -> None:
        env, self.programs = of_services(environment), forked.import_programs()
        count = self.options.workers
        own_postgres = self.servers is not None and self.servers.postgres.running
        self.say(self.machine.described(self.options.web, count, self.sizes if own_postgres else None))
        workers = [self._service(f"worker-{n}", "worker", env, queues(n, count)) for n in range(1, count + 1)]
        self.supervisor.add([self._service("scheduler", "scheduler", env), *workers])
        doors = [self._service("web", "web", env)]
        if env.get(MAIL_IN, "0").strip() not in ("", "0"):
            doors.append(self._service("mail-in", "mail-in", env))
        self.supervisor.add(doors)

    def _service(self, name: str, part: str, env: Mapping[str, str], more: Sequence[str] = ()) -> Service:
        child = Child(
            name=name,
            argv=[sys.executable, *PARTS[part], *more],
            main=self.programs.get(part),
            env=env,
            cwd=ROOT,
            log=self.data.logs / f"{name}.log",
            # When we are killed the database ends as well: no work could be finished, and the port must become free.
            death_signal={"web": signal.SIGQUIT, "worker": signal.SIGKILL}.get(part, signal.SIGTERM),
        )
        return process(child, locks=self.locks, grace={"web": 25.0, "worker": 40.0, "mail-in": 15.0}.get(part, 10.0))

    def _greet(self, base_url: str, link: str) -> None:
        until = time.monotonic() + READY_SECONDS
        answers = partial(web_answers, self.options.host, self.options.port)
        self.supervisor.run(until=lambda: time.monotonic() > until or answers())
        if self.supervisor.requested_signals:
            raise Interrupted
        if not answers():
            self.say(f"the web processes do not answer yet; see {self.data.logs / 'web.log'}")
        self.say(f"Incident Inbox is at {base_url} (data and logs in {self.data.path}; Ctrl-C stops it)")
        if self.options.host in ANYWHERE and not os.environ.get("INBOX_BASE_URL"):
            self.say(
                "Other machines reach it at this address. To use a name or https, set INBOX_BASE_URL to that address:"
                " links, cookies and the cross-site check use it."
            )
        if link:
            show(f"\nNo account exists yet. Create the first one here (the link works once):\n\n    {link}\n\n")


def queues(number: int, count: int) -> tuple[str, ...]:
    """Returns the queues of worker `number` (from 1) of this many. With none named it serves all of them in turn.

    The first of several sends no deliveries, so that routing has its own process and processor. The second of three or
    more does nothing else.
    """
    if count > 1 and number == 1:
        return ("routing", "timers", "sweep")
    return ("delivery",) if count > 2 and number == 2 else ()


def web_answers(host: str, port: int) -> bool:
    """Returns whether `/healthz` says that a web process lives."""
    connection = http.client.HTTPConnection(ANYWHERE.get(host, host), port, timeout=2)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def options_from(arguments: Sequence[str]) -> argparse.Namespace:
    """Returns the options. Each has an environment variable as well."""
    env, machine = os.environ, Machine.here()
    sizes = Sizes.of(machine)
    parser = argparse.ArgumentParser(prog=typed("up"), description="Runs Incident Inbox until Ctrl-C.")
    add = parser.add_argument
    add("--host", default=env.get("INBOX_HOST") or "127.0.0.1", help="address to listen on (default %(default)s)")
    add("--port", type=int, default=env.get("INBOX_PORT") or "8080", help="port to listen on (default %(default)s)")
    add("--data-dir", type=Path, default=DataDir.of(env).path, help="data directory (default %(default)s)")
    workers, web = env.get("INBOX_WORKERS") or sizes.workers, env.get("INBOX_WEB_WORKERS") or sizes.web
    add(
        "--workers", type=int, default=str(workers), help="worker processes (default: by the machine, %(default)s here)"
    )
    add("--web", type=int, default=str(web), help="web processes (default: by the machine, %(default)s here)")
    add("--no-build", dest="build", action="store_false", help="serve the dashboard as it was built last")
    add("--new-keys", action="store_true", help="start with new keys if those of the database are lost")
    options = parser.parse_args(arguments, argparse.Namespace(machine=machine))
    if options.workers < 0 or options.web < 1 or not 1 <= options.port <= 65_535:
        parser.error("--web is 1 or more, --workers 0 or more, --port 1 to 65535")
    return options


def main(arguments: Sequence[str]) -> int:
    try:
        if faults := secret_files.adopt(os.environ):
            raise Refused("; ".join(faults))
        return Up(options_from(arguments)).run()
    except (Refused, ports.PortRefused, NotStarted, Unreachable, Busy) as refused:
        print(f"Incident Inbox does not start: {refused}", file=sys.stderr)
    except OSError as fault:
        where = f": {fault.filename}{ownership.described(fault.filename)}" if fault.filename else ""
        print(f"Incident Inbox does not start: {fault.strerror}{where}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
