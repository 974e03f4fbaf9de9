"""The built web client: one page, and files whose names change with their content."""

from __future__ import annotations

import mimetypes
import re
from importlib import resources
from pathlib import Path
from typing import Final

from aiohttp import web

from rapid.gateway.problems import problem
from rapid.ids import is_table_id

PAGE_CACHE: Final = "no-cache"
ASSET_CACHE: Final = "public, max-age=31536000, immutable"
CHECKOUT: Final = Path(__file__).resolve().parents[2]
_HOST: Final = re.compile(r"[A-Za-z0-9.\-]{1,253}(?::\d{1,5})?|\[[0-9A-Fa-f:.]{2,45}\](?::\d{1,5})?")
_TABLE_PATH: Final = re.compile(r"/t/(?P<table>[a-z0-9]+)/?", re.IGNORECASE | re.ASCII)
_PROGRAMS: Final = ("/api", "/ws")
"""Where no person is led to; what lies below them does not come here."""
# What the standard table of types may not know on a small machine.
_TYPES: Final = {
    ".js": "text/javascript",
    ".css": "text/css",
    ".html": "text/html",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
    ".json": "application/json",
    ".woff2": "font/woff2",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".txt": "text/plain",
}
_NOT_BUILT: Final = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>rapid</title>
<h1>The server runs; its web client is not built</h1>
<p>Build it with <code>npm ci</code> and <code>npm run build</code> in <code>clients/web</code>, then load this page
again. Meanwhile <code>rapid play</code> with this address plays in a terminal.</p>
</html>
"""


def built_client() -> Path | None:
    """Return the folder of the built client: inside the package, else in the checkout; None if there is none."""
    packaged = Path(str(resources.files("rapid.gateway"))) / "static"
    for folder in (packaged, CHECKOUT / "clients" / "web" / "dist"):
        if (folder / "index.html").is_file():
            return folder
    return None


def security_headers(host: str) -> dict[str, str]:
    """Return what every page carries: it loads nothing from elsewhere, and nobody frames it.

    Some browsers do not count a WebSocket to the own host as 'self', so it is named.
    """
    sockets = f" ws://{host} wss://{host}" if _HOST.fullmatch(host) else ""
    policy = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        f"connect-src 'self'{sockets}; font-src 'self'; manifest-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return {
        "Content-Security-Policy": policy,
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
    }


class Client:
    """Serves the files of one folder, which may be built while the server runs."""

    def __init__(self, folder: Path | None = None) -> None:
        self._given = folder
        self._found: Path | None = None

    def routes(self) -> list[web.RouteDef]:
        """Return the routes; to be added behind all others."""
        return [
            web.get("/", self.page),
            web.get("/t/{table}", self.table_page),
            # Whatever the server itself answers must not be caught here, so that a wrong method there is a 405.
            web.get("/{path:(?!api/|ws/).+}", self.file),
        ]

    async def page(self, _request: web.Request) -> web.StreamResponse:
        """Serve the one page."""
        folder = self._folder()
        if folder is None:
            return web.Response(text=_NOT_BUILT, content_type="text/html", headers={"Cache-Control": "no-store"})
        return self._file(folder / "index.html", PAGE_CACHE)

    async def table_page(self, request: web.Request) -> web.StreamResponse:
        """Serve the page for a table; whether there is one the page finds out."""
        if not is_table_id(request.match_info["table"]):
            return self._nothing(request)
        return await self.page(request)

    async def file(self, request: web.Request) -> web.StreamResponse:
        """Serve a file of the client, or 404."""
        path, folder = request.match_info["path"], self._folder()
        wanted = _inside(folder, path) if folder is not None else None
        if wanted is None:
            return self._nothing(request)
        return self._file(wanted, ASSET_CACHE if path.startswith("assets/") else PAGE_CACHE)

    def _nothing(self, request: web.Request) -> web.Response:
        """Answer an address that leads nowhere: people are shown the page, which says so, programs a problem."""
        if table := _table_meant(request.path):
            # Browsers keep what stands behind `#`, a seat's token perhaps.
            raise web.HTTPFound(f"/t/{table}")
        if request.path in _PROGRAMS or "text/html" not in request.headers.get("Accept", "").lower():
            return problem(404, "There is nothing here")
        folder = self._folder()
        # Not as a file: one that has not changed since would be answered 304, and a range of it 206.
        text = _NOT_BUILT if folder is None else (folder / "index.html").read_text("utf-8")
        return web.Response(status=404, text=text, content_type="text/html", headers={"Cache-Control": "no-store"})

    def _folder(self) -> Path | None:
        """Return the built client; it is looked for until it is there, and again should it vanish."""
        if self._given is not None:
            return self._given if (self._given / "index.html").is_file() else None
        if self._found is None or not (self._found / "index.html").is_file():
            self._found = built_client()
        return self._found

    def _file(self, path: Path, cache: str) -> web.FileResponse:
        kind = _TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        charset = "; charset=utf-8" if kind.startswith("text/") else ""
        return web.FileResponse(path, headers={"Content-Type": kind + charset, "Cache-Control": cache})


def _table_meant(path: str) -> str | None:
    """Return the table of an address that somebody wrote in capitals or ended with a slash; ids have neither."""
    found = _TABLE_PATH.fullmatch(path)
    table = found["table"].lower() if found else ""
    return table if is_table_id(table) else None


def _inside(folder: Path, path: str) -> Path | None:
    """Return the file if it really lies in the folder, links followed."""
    try:
        wanted = (folder / path).resolve(strict=True)
    except (OSError, ValueError):
        return None
    return wanted if wanted.is_file() and wanted.is_relative_to(folder.resolve()) else None
