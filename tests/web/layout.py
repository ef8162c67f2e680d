"""Layout faults that axe does not check: a page wider than its window, and overlapping texts."""

from __future__ import annotations

from typing import Any

OVERLAPS = """() => {
  const cut = (box, by) => ({
    left: Math.max(box.left, by.left), right: Math.min(box.right, by.right),
    top: Math.max(box.top, by.top), bottom: Math.min(box.bottom, by.bottom),
  });
  const isLarge = (box) => box.right - box.left > 4 && box.bottom - box.top > 6;
  // The part of the page in which an element is visible. What floats above the page, such as its bars, has none.
  const visiblePart = (element) => {
    let part = { left: 0, right: innerWidth, top: -Infinity, bottom: Infinity };
    for (let up = element; up; up = up.parentElement) {
      const style = getComputedStyle(up);
      if (style.position === 'fixed' || style.position === 'sticky') return null;
      if (style.overflowX !== 'visible' || style.overflowY !== 'visible') part = cut(part, up.getBoundingClientRect());
    }
    return part;
  };
  const boxes = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode()); ) {
    const of = node.parentElement, text = node.data.trim();
    if (!text || !of.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const part = of.closest('.only-for-readers') ? null : visiblePart(of);
    if (!part) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const line of range.getClientRects()) {
      const box = cut(part, line);
      if (isLarge(box)) boxes.push({ box, of, text: text.slice(0, 40) });
    }
  }
  return boxes.flatMap((one, at) => boxes.slice(at + 1)
    .filter((other) => other.of !== one.of && isLarge(cut(one.box, other.box)))
    .map((other) => `${one.text} | ${other.text}`));
}"""
"""Pairs of texts of different elements that share more than a few pixels of the page."""


def layout_faults(page: Any, *, overlaps: bool) -> list[tuple[str, list[str]]]:
    """What is wrong with the layout of the open page, in the form of violations of axe. Dialogs lie above other texts."""
    wider = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    found = [("wider than its window", [f"{wider} px"])] if wider > 0 else []
    pairs = page.evaluate(OVERLAPS) if overlaps else []
    return [*found, ("texts upon each other", pairs[:3])] if pairs else found
