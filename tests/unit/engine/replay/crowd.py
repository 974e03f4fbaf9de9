"""A crowd at a table of the engine: people who come, race, drop out and leave, and a host at whim.

It asks the engine for whatever comes to mind and keeps the log; `verify` judges it.
"""

import random

from msgspec.structs import replace

from rapid.bots.policy import choose
from rapid.engine import intents as want
from rapid.engine.decide import decide
from rapid.engine.notation import Decided, log_lines
from rapid.engine.state import blank
from rapid.engine.timers import fire_due, next_due
from rapid.engine.view import view_of
from rapid.rules.presets import PRESETS
from rapid.rules.settings import Settings, default_settings
from rapid.rules.settings_check import lay_over

TABLE = "abcdefghij"
VARIANTS = ("revolution", "four_closes", "strongest_closes", "finish_with_two")

ANYTIME = {"connect": 3, "drop": 1, "salt": 1, "leave": 1, "remove": 1}
WISHES = {
    "lobby": {"take": 2, "bot": 1, "start": 2, "change": 1, "late": 2, **ANYTIME, "remove": 0},
    "results": {"next": 8, "end": 1, "late": 2, **ANYTIME},
    "final": {"again": 3, "lobby": 1, "take": 1, "bot": 1, "late": 2, **ANYTIME},
    "closed": {"nothing": 1},
    "exchange": {"move": 40, "junk": 1, **ANYTIME},
    "playing": {"move": 120, "late": 24, "junk": 2, **ANYTIME},
}
"""What comes to mind in each phase, and how often."""


class Crowd:
    def __init__(self, seed, mode="rapid", **asked):
        self.rng = random.Random(seed)
        self.state, self.log, self.at, self.epoch, self.moves = blank(TABLE), [], 1000, 1, []
        fields = {
            "mode": mode,
            "variants": {name: self.rng.random() < 0.5 for name in VARIANTS}
            | {"skip": mode == "turns" and self.rng.random() < 0.7},
            "rounds": self.rng.choice((1, 2, 3, "unlimited")),
            "seats": self.rng.randint(4 if asked else 3, 6),
            "race_seconds": self.rng.choice((1, 3, 0.25)),
            "action_seconds": self.rng.choice((5, 1.5)),
            "standin_grace_seconds": self.rng.choice((0, 1, 5, 0.333)),
        }
        if asked:
            # Another ruleset plays to points, without V5.
            fields = {**fields, "target": self.rng.randint(1, 6), **asked}
            del fields["rounds"]
            fields["variants"].pop("skip", None)
        laid = lay_over(default_settings(PRESETS["president"]), fields, dev=True)
        assert isinstance(laid, Settings), laid
        bots = self.rng.randint(0, fields["seats"] - 1)
        self.ask(want.OpenTable(TABLE, laid, want.Newcomer("Ada", "hash"), bots))

    def lines(self, *, hides_open_deals=False):
        return list(log_lines(TABLE, self.log, hides_open_deals=hides_open_deals))

    def take(self, outcome):
        if outcome.events:
            self.log.append(Decided(self.state.seq + 1, self.at, outcome.events))
            self.state = outcome.state

    def fire(self):
        """R9: whatever is due comes first."""
        while (due := next_due(self.state)) is not None and due <= self.at:
            self.take(fire_due(self.state, self.at))

    def ask(self, intent):
        self.fire()
        self.take(decide(self.state, intent, self.at, self.rng.randbytes(32).hex()))

    def wait(self):
        rng, due = self.rng, next_due(self.state)
        is_long = rng.random() < 0.015
        steps = (300, 1000, 3000, 6000, 31_000, 61_000, 601_000) if is_long else (0, 0, 1, 5, 20, 50, 150)
        weights = (9, 9, 9, 6, 1, 1, 1) if is_long else (1,) * 7
        self.at += rng.choices(steps, weights)[0]
        if due is not None and due - self.state.at < 4000 and rng.random() < 0.04:
            # Around a deadline, to the millisecond.
            self.at = max(self.at, due + rng.choice((-1, 0, 1)))

    def step(self):
        self.wait()
        if self.state.phase != "closed" and self.rng.random() < 0.005:
            self.epoch += self.rng.randint(1, 3)
            self.take(decide(self.state, want.Resume(self.epoch, self.rng.random() < 0.5), self.at))
            return
        wishes = WISHES[self.state.phase]
        wish = self.rng.choices(list(wishes), list(wishes.values()))[0]
        if self.state.seats and (wish not in {"leave", "remove", "end"} or self.rng.random() < 0.3):
            self.wish(wish, self.rng.choice(self.state.seats).seat)

    def wish(self, wish, seat):
        if wish == "move":
            self.move(seat)
        elif wish == "late":
            # A move somebody made a while ago arrives now, or once more.
            if self.moves:
                self.ask(self.rng.choice(self.moves[-12:]))
        else:
            intent = self.intent(wish, seat)
            if intent is not None:
                self.ask(intent)

    def move(self, seat):
        self.fire()
        chair = self.state.seat_at(seat)
        move = choose(view_of(self.state, seat), self.rng) if chair else None
        if move is not None:
            self.moves.append(replace(move, by=chair.controller))
            if self.rng.random() < 0.8:
                self.ask(self.moves[-1])

    def intent(self, wish, seat):
        rng, host = self.rng, self.state.host
        settings = {"seats": rng.randint(3, 6), "rounds": rng.randint(1, 3)}
        if self.state.settings.rounds is None:
            settings = {"seats": rng.randint(4, 6), "target": rng.randint(1, 6)}
        if rng.random() < 0.3:
            settings = {"ruleset": rng.choice(list(PRESETS)), "mode": self.state.settings.mode}
        return {
            "take": want.TakeSeat(want.Newcomer("Bob", "hash")),
            "bot": want.AddBot(host),
            "start": want.Start(host),
            "next": want.NextRound(host),
            "again": want.PlayAgain(host),
            "lobby": want.ToLobby(host),
            "end": want.EndGame(host),
            "change": want.ChangeSettings(host, settings),
            "remove": want.Remove(host, seat),
            "connect": want.Connect(seat),
            "drop": want.Disconnect(seat),
            "leave": want.Leave(seat),
            "salt": want.AddSalt(seat, self.state.deal, rng.randbytes(16).hex()),
            "junk": want.Play(seat, rng.randint(1, self.state.seq), ("3S",), by=rng.choice(("person", "bot"))),
        }.get(wish)


def crowd_at_play(seed, steps, mode="rapid", **asked):
    crowd = Crowd(seed, mode, **asked)
    for _ in range(steps):
        crowd.step()
    if seed % 3 == 0:
        crowd.ask(want.CloseTable())
    return crowd
