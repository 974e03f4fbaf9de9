"""When Python looks for garbage that refers to itself: seldom, and never through what is there from the start.

What a play makes goes by itself. Python looks for cycles whenever 700 objects more have been made than have gone, which
one batch of plays does, and now and then through everything there is: a fifth of a busy server's time, and pauses of
tens of milliseconds.
"""

from __future__ import annotations

import gc
from typing import Final

YOUNG: Final = 25_000
"""Objects more than have gone, before the newest are looked through: about two milliseconds' work."""
MIDDLE: Final = 20
OLD: Final = 20
"""So many collections of the generation before, until one of the next."""


def settle_collector() -> None:
    """All that lives as long as the process is there: collect once, and look through it no more."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG, MIDDLE, OLD)
