"""QR codes for phones."""

from __future__ import annotations

import io

import segno


def svg(text: str) -> str:
    """Render a QR code as an SVG document, dark on white, without scripts or external references."""
    target = io.BytesIO()
    segno.make(text, error="m", micro=False).save(
        target, kind="svg", scale=4, border=4, light="#fff", xmldecl=False, svgclass=None, lineclass=None
    )
    return target.getvalue().decode()
