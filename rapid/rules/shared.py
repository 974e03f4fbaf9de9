"""Settings that are alike are one object, and so are their rules: most tables are set up like others."""

from __future__ import annotations

from rapid.rules.ruleset import Rules
from rapid.rules.settings import Settings, rules_of

MOST = 1_000
_known: dict[str, tuple[Settings, Rules]] = {}


def shared(settings: Settings) -> tuple[Settings, Rules]:
    """Return settings that were checked before, or others just like them, and their rules; neither is ever changed."""
    # By their text: 10 and 10.0 are equal, and not written alike.
    alike = repr(settings)
    found = _known.get(alike)
    if found is None:
        if len(_known) >= MOST:
            _known.clear()
        found = _known[alike] = (settings, rules_of(settings))
    return found
