# ruff: noqa: E501, INP001 (paths are drawn, not read; a folder of scripts)
"""Draws the suits and court signs into src/styles/suits: `python clients/web/dev/draw_suits.py`, with Playwright.

Pictures of dots, not of curves: a browser draws them from its cache, and a race stays cheap.
"""

import base64
import shutil
from pathlib import Path

from playwright.sync_api import sync_playwright

FOLDER = Path(__file__).parents[1] / "src" / "styles" / "suits"
SIDE = 128
SIGNS = [
    (
        "suit-S",
        "#1d2328",
        "M12 2C9 6.5 4 9.5 4 14a4.2 4.2 0 0 0 7 3.1c-.2 1.8-.9 3.3-2.3 4.9h6.6c-1.4-1.6-2.1-3.1-2.3-4.9A4.2 4.2 0 0 0 20 14c0-4.5-5-7.5-8-12z",
    ),
    ("suit-H", "#b8231b", "M12 21C7 17 3 13.4 3 8.9A4.9 4.9 0 0 1 12 6.2a4.9 4.9 0 0 1 9 2.7c0 4.5-4 8.1-9 12.1z"),
    ("suit-D", "#b8231b", "M12 1.5 19.5 12 12 22.5 4.5 12z"),
    (
        "suit-C",
        "#1d2328",
        "M12 2.5a4.3 4.3 0 0 0-3.4 7 4.4 4.4 0 1 0 2.5 7.6c-.2 1.8-.9 3.3-2.3 4.9h6.4c-1.4-1.6-2.1-3.1-2.3-4.9a4.4 4.4 0 1 0 2.5-7.6 4.3 4.3 0 0 0-3.4-7z",
    ),
    ("suit-D-four", "#1d56b4", "M12 1.5 19.5 12 12 22.5 4.5 12z"),
    (
        "suit-C-four",
        "#1c6f33",
        "M12 2.5a4.3 4.3 0 0 0-3.4 7 4.4 4.4 0 1 0 2.5 7.6c-.2 1.8-.9 3.3-2.3 4.9h6.4c-1.4-1.6-2.1-3.1-2.3-4.9a4.4 4.4 0 1 0 2.5-7.6 4.3 4.3 0 0 0-3.4-7z",
    ),
    (
        "suit-O",
        "#8a5a00",
        "M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20zm0 2.6a7.4 7.4 0 1 1 0 14.8 7.4 7.4 0 0 1 0-14.8zm0 2.9-1.3 3.1-3.4.3 2.6 2.2-.8 3.3L12 14.7l2.9 1.7-.8-3.3 2.6-2.2-3.4-.3z",
    ),
    (
        "suit-cups",
        "#b8231b",
        "M4.5 3h15c0 5.2-2.2 8.6-6 9.4V17c2.2.3 3.8 1.4 3.8 3v1.5H6.7V20c0-1.6 1.6-2.7 3.8-3v-4.6c-3.8-.8-6-4.2-6-9.4z",
    ),
    ("suit-E", "#1d56b4", "M12 1l2 3.2V14h4.2v2.5H14V19a2 2 0 1 1-4 0v-2.5H5.8V14H10V4.2z"),
    (
        "suit-B",
        "#1c6f33",
        "M15 1.8c2.8-.2 4.8 1.7 4.7 4.3-.1 1.8-1.1 3.1-2.4 4.7l2 .4-.8 2.2-2.8-.7-5 6.4c-1.3 1.7-3.2 2.9-4.9 1.5s-1-3.5.3-5.2l3-4-2.4-1 1-2 2.8.8C12.4 6.5 12 2 15 1.8z",
    ),
    ("suit-joker", "#6a2fa0", "M12 2l2.6 6.5 7 .5-5.4 4.5 1.8 6.8-6-3.8-6 3.8 1.8-6.8L2.4 9l7-.5z"),
    ("court-king", "#a8842c", "M3 20h18v-3H3zM3 15 2 5l5 4 5-7 5 7 5-4-1 10z"),
    (
        "court-queen",
        "#a8842c",
        "M4 20h16v-3H4zM4 15 3 8l4 3 2-6 3 5 3-5 2 6 4-3-1 7zM12 3a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3z",
    ),
    ("court-jack", "#a8842c", "M3 18c3 2 15 2 18 0l-2-4H5zM6 12c0-5 4-8 12-9-1 2-1 3 0 4 1 2 0 4-1 5z"),
]
DRAW = """([fill, path, side]) => {
  const canvas = Object.assign(document.createElement('canvas'), { width: side, height: side });
  const pen = canvas.getContext('2d');
  pen.scale(side / 24, side / 24);
  pen.fillStyle = fill;
  pen.fill(new Path2D(path), 'evenodd');
  return canvas.toDataURL('image/png').split(',')[1];
}"""


def main() -> None:
    """Write one PNG a sign."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page()
        for name, fill, path in SIGNS:
            (FOLDER / f"{name}.png").write_bytes(base64.b64decode(page.evaluate(DRAW, [fill, path, SIDE])))
        browser.close()


if __name__ == "__main__":
    main()
