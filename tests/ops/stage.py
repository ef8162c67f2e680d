"""A supervisor over two start groups of small processes, run as a separate process: python -m tests.ops.stage DIRECTORY [STUBBORN]."""

from __future__ import annotations

import sys
from pathlib import Path

from ops.children import Child
from ops.supervisor import Supervisor, process

STUBBORN = (
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(600)"
)
WILLING = "import time; print('up', flush=True); time.sleep(600)"
FAILING = "print('cannot work like this', flush=True); raise SystemExit(3)"


def impossible() -> None:
    raise LookupError("nobody expected this")


def main(directory: Path, *kinds: str) -> int:
    supervisor = Supervisor(lambda text: print(text, flush=True))
    (directory / "locks").mkdir(exist_ok=True)
    code = {"willing": WILLING, "stubborn": STUBBORN, "failing": FAILING}
    for group, kind in enumerate(kinds):
        name = f"{kind}-{group}"
        program = code[kind.removeprefix("impossible-")]
        child = Child(name=name, argv=[sys.executable, "-c", program], log=directory / f"{name}.log")
        service = process(child, locks=directory / "locks", grace=60)
        supervisor.add([service])
        if kind.startswith("impossible-"):
            service.start = impossible
    supervisor.run()
    print("asked to stop", flush=True)
    return 0 if supervisor.stop() else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), *sys.argv[2:]))
