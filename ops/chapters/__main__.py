"""Writes the chapters, or prints them."""

from __future__ import annotations

import sys

from ops.chapters import endpoints, limits


def main(arguments: list[str]) -> None:
    for page, text in ((endpoints.PAGE, endpoints.text()), (limits.PAGE, limits.text())):
        if "--write" in arguments:
            page.write_text(text, encoding="utf-8")
        else:
            print(text)


if __name__ == "__main__":
    main(sys.argv[1:])
