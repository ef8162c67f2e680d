"""QR codes, for what a phone is to read from a screen."""

from __future__ import annotations

import io

import segno


def svg(text: str) -> str:
    """A QR code as an SVG document without scripts or outside references, dark on white."""
    target = io.BytesIO()
    segno.make(text, error="m", micro=False).save(
        target, kind="svg", scale=4, border=4, light="#fff", xmldecl=False, svgclass=None, lineclass=None
    )
    return target.getvalue().decode()
