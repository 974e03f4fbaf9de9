"""`decide(state, intent, at) → events or refusal`: total, and the only judge of a table."""

from rapid.engine.decide.decider import decide
from rapid.engine.decide.draft import Outcome

__all__ = ["Outcome", "decide"]
