"""One or more of every message and event that crosses the wire, for the tests of this folder."""

from __future__ import annotations

from rapid.engine import events
from rapid.engine.state import blank
from rapid.engine.view import view_of
from rapid.rules.presets import PRESETS
from rapid.rules.settings import default_settings
from rapid.rules.settings_check import FieldError
from rapid.wire.messages import Bye, Pong, Presence, Reaction, Reply, Welcome

TABLE = "abcdefghij23"
SEQ, AT = 1234, 1_764_000_000_123
SETTINGS = default_settings(PRESETS["president"])
MOVE = events.Move(from_=3, to=0, count=2, cards=("2S", "AH"))
HIDDEN = events.Move(from_=3, to=0, count=2)
OWED = events.Owed(from_=0, to=3, count=2, pick="any")

MESSAGES = {
    "welcome seat": Welcome(table=TABLE, seat=0, seq=7, now=AT, view=view_of(blank(TABLE), None)),
    "welcome spectator, resumed": Welcome(table=TABLE, seat=None, seq=7, now=AT, view=None),
    "reply ok": Reply(5, ok=True, seq=SEQ),
    "reply refused": Reply(5, ok=False, why="too_weak"),
    "reply lost race": Reply(2**53 - 1, ok=False, why="stale", late_ms=3),
    "reply bad settings": Reply(
        -1, ok=False, why="bad_settings", errors=(FieldError("rounds", "must be an integer from 1 to 50"),)
    ),
    "reaction": Reaction(2, "🔥", AT),
    "presence": Presence(70_000),
    "pong": Pong(0, AT),
    "bye": Bye("taken_over"),
}

EVENTS = {
    "table_opened": events.TableOpened(SETTINGS),
    "seat_taken person": events.SeatTaken(0, "Zoë", "person"),
    "seat_taken bot": events.SeatTaken(1, "Bot", "bot", "hard"),
    "leaving": events.Leaving(2, "left"),
    "seat_freed": events.SeatFreed(2, "removed"),
    "host_changed": events.HostChanged(1),
    "settings_changed": events.SettingsChanged(SETTINGS),
    "connection_lost": events.ConnectionLost(1),
    "connection_lost waiting": events.ConnectionLost(1, until=AT, deadline=None),
    "connection_back": events.ConnectionBack(1),
    "standin_started": events.StandinStarted(1),
    "standin_ended": events.StandinEnded(1),
    "committed": events.Committed(1, "c" * 64),
    "salted": events.Salted(0, 1, "0" * 32),
    "game_started": events.GameStarted(1, (0, 1, 2), SETTINGS),
    "dealt": events.Dealt(1, 1, (0, 1, 2), {"0": ("3S", "TD")}, {"0": 2, "1": 1, "2": 1}),
    "exchange_opened": events.ExchangeOpened(2, (MOVE, HIDDEN), (OWED,), AT),
    "given seen": events.Given(0, 3, 2, "person", ("3S", "3H")),
    "given hidden": events.Given(0, 3, 2, "timer"),
    "exchange_closed": events.ExchangeClosed(2, (HIDDEN,)),
    "trick_opened": events.TrickOpened(1, None, AT),
    "turn_began": events.TurnBegan(1, None, AT),
    "turn_began, bound": events.TurnBegan(1, "7", AT),
    "skipped": events.Skipped(1, 1),
    "played": events.Played(1, ("QH", "QS"), 17, 1, "person", revolution=False, deadline=AT),
    "played, order turned": events.Played(1, ("QH",), 17, 1, "bot", revolution=True, deadline=None, order=(2, 1, 0)),
    "passed": events.Passed(1, 1, "standin"),
    "race_lost": events.RaceLost(1, 17, 4),
    "finished": events.Finished(1, penalised=True),
    "trick_closed": events.TrickClosed(1, "passed"),
    "round_ended": events.RoundEnded(
        1, 1, (1, 0, 2), {"1": "president"}, {"1": 3, "0": 1, "2": 0}, {"1": 3, "0": 1, "2": 0}, "5" * 64
    ),
    "game_ended": events.GameEnded(1, "rounds", (1,), {"1": 3}),
    "game_ended, deal cut short": events.GameEnded(1, "interrupted", (), {"1": 3}, "5" * 64),
    "lobby_opened": events.LobbyOpened(),
    "resumed": events.Resumed(3, 250, None),
    "table_closed": events.TableClosed("idle"),
}
