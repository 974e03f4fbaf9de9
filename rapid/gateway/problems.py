"""Errors as `application/problem+json` (RFC 9457, PROTOCOL 2)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from http import HTTPStatus
from math import ceil

from aiohttp import web

from rapid.rules.settings_check import FieldError

CONTENT_TYPE = "application/problem+json"


def problem(
    status: int,
    detail: str,
    *,
    code: str | None = None,
    errors: Iterable[FieldError] = (),
    retry_after_s: float | None = None,
) -> web.Response:
    """Return the answer; `code` says by name what `status` leaves open, `errors` a row for each bad field."""
    body: dict[str, object] = {
        "type": "about:blank" if code is None else f"urn:rapid:problem:{code}",
        "title": HTTPStatus(status).phrase if code is None else code.replace("_", " ").capitalize(),
        "status": status,
        "detail": detail,
    }
    rows = [{"field": row.field, "message": row.message} for row in errors]
    if rows:
        body["errors"] = rows
    headers = {"Retry-After": str(max(1, ceil(retry_after_s)))} if retry_after_s is not None else None
    return web.Response(status=status, body=json.dumps(body).encode(), content_type=CONTENT_TYPE, headers=headers)
