"""`python -m ops.screenshots`: takes the pictures of the documents and of all screens."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from inbox.runtime.distribution import ROOT
from ops import dashboard
from ops.screenshots.pictures import DOCUMENT_PICTURES, SCREENS, SIZES, THEMES

IMAGES = ROOT / "docs" / "images"
ALL = ROOT / "var" / "screenshots"


def main(arguments: Sequence[str]) -> int:
    """Starts an instance with the sample workspace, takes the pictures, and copies the ones for the documents."""
    options = _parser().parse_args(arguments)
    try:
        from ops.screenshots import camera, instance
    except ImportError:
        print("Playwright is not installed: bin/test installs it.", file=sys.stderr)
        return 1
    try:
        camera.chromium()
        if not dashboard.build(print):
            return 1
        with (
            tempfile.TemporaryDirectory() as directory,
            instance.started(Path(directory)) as running,
            camera.browser() as launched,
        ):
            selection = camera.Selection(
                options.screens, options.theme or THEMES, options.size or tuple(SIZES), options.format
            )
            missing = camera.take(launched, running, options.directory, selection, print)
    except (camera.NoBrowser, instance.NotStarted) as fault:
        print(fault, file=sys.stderr)
        return 1
    if options.format == "webp":
        _copy(options.directory, options.images)
    if missing:
        print(f"Not taken: {', '.join(missing)}", file=sys.stderr)
    return 1 if missing else 0


def _copy(taken: Path, images: Path) -> None:
    """Copies the pictures for the documents that were taken."""
    images.mkdir(parents=True, exist_ok=True)
    for picture in DOCUMENT_PICTURES:
        file = taken / f"{picture.screen}-{picture.theme}-{picture.size}.webp"
        if file.exists():
            shutil.copyfile(file, images / f"{picture.file}.webp")


def _parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="bin/screenshots",
        description="Take pictures of every screen, from the workspace of `bin/inbox demo` on an instance of its own."
        " Some of them become docs/images.",
    )
    names = [screen.name for screen in SCREENS]
    made.add_argument("screens", nargs="*", metavar="SCREEN", choices=[*names, []], help="only these screens")
    made.add_argument(
        "--directory", type=Path, default=ALL, help="where all pictures are written (default %(default)s)"
    )
    made.add_argument("--images", type=Path, default=IMAGES, help="those of the documents (default %(default)s)")
    made.add_argument("--theme", action="append", choices=THEMES, help="only this theme")
    made.add_argument("--size", action="append", choices=tuple(SIZES), help="only this size")
    made.add_argument("--format", choices=("webp", "png"), default="webp", help="png: docs/images stays unchanged")
    return made


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
