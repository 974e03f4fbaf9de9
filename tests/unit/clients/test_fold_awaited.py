"""RULES 3.10 in an exchange: each owing seat has a time of its own; the client shows what the engine views show."""

import msgspec
import pytest

from rapid.engine import intents as do
from rapid.engine.project import project_event
from rapid_client import parse_view, reduce
from rapid_client.events import parse_event
from tests.rules.table import in_exchange

HANDS = {0: "3O 3C 1O", 1: "7O 8O 9O", 2: "9C 10O 1C", 3: "2O 2C 2E"}
BEST = {3: "2O 2C", 2: "1C", 1: "7O", 0: "3O 3C"}


class Watched:
    """An exchange of `presi` and what each viewer's client makes of it."""

    def __init__(self):
        self.table = in_exchange((0, 1, 2, 3), HANDS, ruleset="presi")
        self.views = {viewer: self.engine_view(viewer) for viewer in (None, 0, 1, 2, 3)}

    def engine_view(self, viewer):
        return parse_view(msgspec.to_builtins(self.table.view(viewer)))

    def send(self, step):
        what, seat = step.split()
        seat, at = int(seat), self.table.now + 1_000
        before = self.table.state.seq
        if what == "gives":
            self.table.give(seat, BEST[seat], at=at)
        else:
            self.table.send(do.Disconnect(seat) if what == "lost" else do.Connect(seat), at)
        assert self.table.last
        for seq, event in enumerate(self.table.last, before + 1):
            for viewer, view in self.views.items():
                told = {"seq": seq, "at": self.table.state.at} | msgspec.to_builtins(project_event(event, viewer))
                self.views[viewer] = reduce(view, parse_event(told), viewer)


@pytest.mark.parametrize(
    "steps",
    [
        "lost 1; gives 0; gives 2; gives 3; back 1; gives 1",
        "lost 1; lost 2; lost 3; lost 0; back 2; back 0",
        "lost 3; back 3; lost 2; gives 1; gives 3; gives 0; back 2",
        "gives 3; lost 0; gives 1; gives 2; back 0; lost 0; back 0; gives 0",
    ],
)
def test_3_10_the_deadline_shown_is_the_engines_after_every_step(steps):
    watched = Watched()
    for step in steps.split("; "):
        watched.send(step)
        for viewer, view in watched.views.items():
            assert view.deadline == watched.engine_view(viewer).deadline, (step, viewer)
            assert view == watched.engine_view(viewer), (step, viewer)


def test_3_10_no_time_runs_while_all_who_owe_are_awaited():
    watched = Watched()
    owing = {owed.giver for owed in watched.table.state.exchange.owed}
    for seat in sorted(owing):
        watched.send(f"lost {seat}")
    assert {view.deadline for view in watched.views.values()} == {None}
