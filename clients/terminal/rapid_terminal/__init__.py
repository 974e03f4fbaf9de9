"""The terminal client of rapid: play and watch in plain text, through a terminal or a pipe."""

from .app import play, watch
from .options import PlayOptions, WatchOptions, settings_from
from .seats import default_state_dir

__all__ = ["PlayOptions", "WatchOptions", "default_state_dir", "play", "settings_from", "watch"]
