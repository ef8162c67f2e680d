"""`bin/release`: makes every file of a release in a directory, and the tag unless it is a dry run."""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from inbox.runtime.distribution import ROOT
from ops.release import checks, dump, materials, packages

PARTS = ("tests", "installation", "image", "dump")
"""The steps that a dry run may leave out."""


def main(arguments: Sequence[str]) -> int:
    """Returns 0 when every step succeeded. The steps:

    1. Check versions, tree and tag.
    2. Run the whole suite.
    3. Build the wheel and the source package, and write the bills of materials.
    4. Install the wheel in an empty environment and start it there.
    5. Package the chart, and build the image where this machine has a builder.
    6. Write the dump of the tables, and the checksums.
    7. Make the tag, and put the dump beside those of earlier versions.
    """
    options = options_from(arguments)
    if found := checks.faults(options.version):
        return _failed(options.version, *found)
    directory: Path = options.directory or ROOT / "dist" / options.version
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    try:
        if "tests" not in options.without:
            subprocess.run([str(ROOT / "bin" / "test")], check=True)
        _make(options, directory)
    except packages.NotMade as fault:
        return _failed(options.version, str(fault))
    except subprocess.CalledProcessError as fault:
        return _failed(
            options.version, f"a step ended with exit code {fault.returncode}: {' '.join(map(str, fault.cmd))}"
        )
    if options.dry_run:
        say(f"dry run: no tag is made; the files are in {directory}")
        return 0
    checks.tag(options.version)
    shutil.copy(_dump(options, directory), dump.DUMPS / _dump(options, directory).name)
    say(f"commit {dump.DUMPS.relative_to(ROOT)}, which the tests of later versions migrate")
    say(f"tagged {checks.tag_of(options.version)}; push the tag, and publish the files in {directory}")
    return 0


def _make(options: argparse.Namespace, directory: Path) -> None:
    wheel = packages.build_wheel(directory, say)
    locked, *_ = materials.write(options.version, directory)
    if "installation" not in options.without:
        with tempfile.TemporaryDirectory(prefix="inbox-release-") as place:
            packages.try_wheel(wheel, locked, Path(place))
    packages.package_chart(options.version, directory)
    if "image" not in options.without:
        packages.build_image(options.version, directory, options.python_image, say)
    if "dump" not in options.without:
        dump.write(_dump(options, directory))
    say(packages.write_sums(directory).read_text().rstrip())


def _dump(options: argparse.Namespace, directory: Path) -> Path:
    return directory / f"incident-inbox-{options.version}.dump"


def options_from(arguments: Sequence[str]) -> argparse.Namespace:
    """Returns the options. Only a dry run may leave steps out."""
    parser = argparse.ArgumentParser(prog="bin/release", description="Makes a release from the last commit.")
    parser.add_argument("version", help="the version in inbox/__init__.py")
    parser.add_argument("--dry-run", action="store_true", help="make all files, but no tag")
    parser.add_argument("--without", nargs="+", choices=PARTS, default=[], help="with --dry-run: leave these steps out")
    parser.add_argument(
        "--directory", type=Path, help="where the files are made (default: dist/VERSION); it is emptied"
    )
    parser.add_argument(
        "--python-image", default="", help="the base of the image, instead of the one in the Containerfile"
    )
    options = parser.parse_args(arguments)
    if options.without and not options.dry_run:
        parser.error("only a dry run may leave steps out")
    return options


def say(text: str) -> None:
    """Prints a text at once, also where the output is a file."""
    print(text, flush=True)


def _failed(version: str, *reasons: str) -> int:
    say("\n".join([f"No release of {version}:", *(f"- {reason}" for reason in reasons)]))
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
