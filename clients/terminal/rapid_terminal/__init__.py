"""The terminal client of rapid: play and watch in plain text, through a terminal or a pipe."""

from .app import play, watch
from .options import Look, PlayOptions, WatchOptions, look_from, settings_from
from .seats import default_state_dir

__all__ = ["Look", "PlayOptions", "WatchOptions", "default_state_dir", "look_from", "play", "settings_from", "watch"]
