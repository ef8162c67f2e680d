"""`bin/fuzz`: the readers of `inbox/intake` on arbitrary bytes, with Atheris, for a bounded time.

A reader may raise its documented refusals only. Each input gives events, a problem or a warning; a reader ignores an
input only where its documentation says so. Each event of a tool can be stored.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence

from inbox.runtime.distribution import ROOT
from tests.intake.fuzz_targets import TARGETS

LOCK = ROOT / "tests" / "intake" / "atheris.txt"
PACKAGES = ROOT / "var" / f"atheris-{sys.version_info.major}.{sys.version_info.minor}"
"""Atheris is installed here at the first use."""

NOT_AVAILABLE = (
    "Nothing was fuzzed: Atheris has no wheel for this machine and this Python, or no package index answers."
)

FINDINGS = ROOT / "var" / "fuzz"
LONGEST_INPUT = 4_096
SECONDS_OF_ONE_INPUT = 5
MEGABYTES = 1_024


def main(arguments: Sequence[str]) -> int:
    """Answers 0 without a finding, 1 with one, and 2 when Atheris is not available. A line says which."""
    options = _options(arguments)
    if not (is_installed() or install()):
        print(NOT_AVAILABLE)
        return 2
    names = options.readers or sorted(TARGETS)
    bound = f"-runs={options.runs}" if options.runs else f"-max_total_time={max(1, options.seconds // len(names))}"
    found = [name for name in names if not fuzz(name, bound)]
    print(f"{len(names) - len(found)} of {len(names)} readers without a finding.")
    return 1 if found else 0


def is_installed() -> bool:
    """Whether Atheris can be imported."""
    found = subprocess.run(
        [sys.executable, "-c", "import atheris"], env=_environment(), capture_output=True, check=False
    )
    return found.returncode == 0


def install() -> bool:
    """Install the locked Atheris with pip. Whether it is there."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:"]
    where = ["--require-hashes", "--target", str(PACKAGES), "-r", str(LOCK)]
    subprocess.run([*pip, *where], capture_output=True, check=False)
    return is_installed()


def fuzz(name: str, bound: str) -> bool:
    """Fuzz one reader in its own process, and print a line. Whether nothing was found."""
    FINDINGS.mkdir(parents=True, exist_ok=True)
    flags = [bound, f"-max_len={LONGEST_INPUT}", f"-timeout={SECONDS_OF_ONE_INPUT}", f"-rss_limit_mb={MEGABYTES}",
             f"-artifact_prefix={FINDINGS}/{name}-"]  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="fuzz-") as corpus:
        ended = subprocess.run(
            [sys.executable, "-m", "tests.intake.fuzz_one", name, corpus, *flags],
            cwd=ROOT, env=_environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
        )  # fmt: skip
    output = ended.stdout.decode(errors="replace")
    runs = re.findall(r"Done (\d+) runs", output)
    if ended.returncode == 0 and runs:
        print(f"{name}: {int(runs[-1]):,} runs, no finding", flush=True)
        return True
    print(f"{name}: FOUND, the input is in {FINDINGS}\n{output[-4_000:]}", flush=True)
    return False


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(PACKAGES)))}


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bin/fuzz", description="Read arbitrary bytes as senders' payloads.")
    parser.add_argument("readers", nargs="*", metavar="reader", help=f"of {', '.join(TARGETS)}; all when none is named")
    parser.add_argument("--seconds", type=int, default=600, help="for all readers together (600)")
    parser.add_argument("--runs", type=int, help="the inputs of each reader, instead of a time")
    options = parser.parse_args(arguments)
    if unknown := set(options.readers) - TARGETS.keys():
        parser.error(f"there is no reader {', '.join(sorted(unknown))}")
    return options


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
