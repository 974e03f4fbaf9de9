"""`rapid play` and `rapid watch`: hand over to the terminal client."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import rapid_terminal as terminal
from rapid.bots.simulate_options import SimulateError, parse_options, parse_variants
from rapid.rules.settings_check import VARIANT_NAMES

USAGE = 2


def play(
    url: str,
    environ: Mapping[str, str],
    *,
    settings: str | None,
    variants: str | None,
    rules: str | None,
    **options: Any,
) -> int:
    """Play until the person leaves; the exit code. `rules`: the options of the ruleset."""
    try:
        fields = parse_options(settings or "", "--settings")
        if variants is not None:
            on = parse_variants(variants)
            fields["variants"] = {name: name in on for name in VARIANT_NAMES}
        if rules is not None:
            fields["options"] = parse_options(rules)
    except SimulateError as error:
        print(f"rapid play: {error}", file=sys.stderr)
        return USAGE
    state_dir = terminal.default_state_dir(dict(environ), Path.home())
    look = terminal.look_from(environ)
    given = terminal.PlayOptions(settings=fields, state_dir=state_dir, look=look, **options)
    return asyncio.run(terminal.play(url, given, sys.stdin, sys.stdout, sys.stderr))


def watch(url: str, environ: Mapping[str, str], *, until_final: bool, use_json: bool) -> int:
    """Watch until the table closes; the exit code."""
    look = terminal.look_from(environ)
    given = terminal.WatchOptions(until_final=until_final, use_json=use_json, look=look)
    return asyncio.run(terminal.watch(url, given, sys.stdout, sys.stderr))
