"""One reader under Atheris, in its own process, because libFuzzer ends the process that it runs in.

`python -m tests.intake.fuzz_one TARGET CORPUS [FLAG OF LIBFUZZER ...]`. Only modules of `inbox` are instrumented.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["inbox"]):
    from tests.intake.fuzz_targets import TARGETS


def main(name: str, corpus: Path, flags: Sequence[str]) -> None:
    """Fuzz until a bound of the flags is reached. Does not return."""
    target = TARGETS[name]
    for number, seed in enumerate(target.seeds):
        (corpus / f"seed-{number}").write_bytes(seed)
    atheris.Setup([sys.argv[0], str(corpus), *flags], target.run)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3:])
