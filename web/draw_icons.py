"""Draws `public/icons/` and `public/favicon.ico` from `public/favicon.svg` with a Chromium. Run it when the drawing has changed.

`python web/draw_icons.py [path of chromium]`. Files with a full ground are for systems that cut the corners themselves.
"""

from __future__ import annotations

import struct
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

PUBLIC = Path(__file__).resolve().parent / "public"
GROUND = "#1c4fd8"
BADGE = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="5 3 22 24"><path d="M7 18.5h5.2a3.9 3.9 0 0 0 7.6 0H25V24a1.6 1.6 0 0 '
    '1-1.6 1.6H8.6A1.6 1.6 0 0 1 7 24z" fill="#fff"/><path d="M16 5.5v7.2M16 15.5v.6" stroke="#fff" stroke-width="2.6" '
    'stroke-linecap="round"/></svg>'
)
"""Shown in the status bar of Android, which keeps the outline alone."""

ICONS = {
    "icon-192.png": (192, 1.0, False),
    "icon-512.png": (512, 1.0, False),
    "maskable-512.png": (512, 0.8, True),
    "apple-touch-icon.png": (180, 0.9, True),
    "badge-96.png": (96, 1.0, False),
}
"""Name of the file, its size, the part of it that the drawing takes, and whether its ground is full."""


FAVICON = 32
"""The side of `favicon.ico`, for programs that ask for this name alone."""


def ico_of(png: bytes) -> bytes:
    """An icon file with one picture."""
    header = struct.pack("<HHH", 0, 1, 1)
    entry = struct.pack("<BBBBHHII", FAVICON, FAVICON, 0, 0, 1, 32, len(png), len(header) + 16)
    return header + entry + png


def page_of(name: str) -> str:
    size, part, is_full = ICONS[name]
    drawing = BADGE if name.startswith("badge") else (PUBLIC / "favicon.svg").read_text()
    ground = f"background:{GROUND}" if is_full else ""
    side = round(size * part)
    return (
        f'<body style="margin:0;width:{size}px;height:{size}px;display:grid;place-items:center;{ground}">'
        f'<div style="width:{side}px;height:{side}px">{drawing}</div></body>'
    )


def main() -> None:
    (PUBLIC / "icons").mkdir(exist_ok=True)
    path = sys.argv[1] if len(sys.argv) > 1 else None
    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for name, (size, _, _) in ICONS.items():
            page = browser.new_page(viewport={"width": size, "height": size})
            page.set_content(page_of(name))
            page.screenshot(path=PUBLIC / "icons" / name, omit_background=True)
        page = browser.new_page(viewport={"width": FAVICON, "height": FAVICON})
        page.set_content(f'<body style="margin:0">{(PUBLIC / "favicon.svg").read_text()}</body>')
        (PUBLIC / "favicon.ico").write_bytes(ico_of(page.screenshot(omit_background=True)))
        browser.close()


if __name__ == "__main__":
    main()
