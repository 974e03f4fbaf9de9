"""What can be asked of a table: one frozen class an intent, imperative.

Everything that can change a table is one of these and enters through its inbox. `seat` is
the seat that asks, which the gateway knows from the seat's token. `by` says who moves for
the seat and is checked against who may: a bot's planned move dies when the person is back.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from rapid.rules.settings import Settings


class Intent(Struct, frozen=True, gc=False, tag_field="i", omit_defaults=True):
    """Base of all intents."""


class Newcomer(Struct, frozen=True, gc=False):
    """A person who sits down; the server keeps only the hash of the seat's token."""

    name: str
    token_hash: str


class OpenTable(Intent, frozen=True, tag="open"):
    """Open a table: `person` takes seat 0 as host (None: a simulation), bots the next seats."""

    table: str
    settings: Settings
    person: Newcomer | None
    bots: int = 0


class TakeSeat(Intent, frozen=True, tag="take_seat"):
    """Take the lowest free seat (G10)."""

    person: Newcomer


class Connect(Intent, frozen=True, tag="connect"):
    """The seat has a connection now."""

    seat: int


class Disconnect(Intent, frozen=True, tag="disconnect"):
    """The seat's present connection is gone."""

    seat: int


class Play(Intent, frozen=True, tag="play"):
    """Lay cards on the trick state `on` (R2)."""

    seat: int
    on: int
    cards: tuple[str, ...]
    by: str = "person"


class Pass(Intent, frozen=True, tag="pass"):
    """Pass on the trick state `on` (R5)."""

    seat: int
    on: int
    by: str = "person"


class Give(Intent, frozen=True, tag="give"):
    """Return cards in the exchange of a round (X3)."""

    seat: int
    round: int
    cards: tuple[str, ...]
    by: str = "person"


class AddSalt(Intent, frozen=True, tag="salt"):
    """Add the seat's salt, 32 hex digits, to the deal that is committed (PROTOCOL 5)."""

    seat: int
    deal: int
    salt: str


class Start(Intent, frozen=True, tag="start"):
    """Host: begin a game from the lobby."""

    seat: int


class NextRound(Intent, frozen=True, tag="next_round"):
    """Host: go on from the results (G2)."""

    seat: int


class EndGame(Intent, frozen=True, tag="end_game"):
    """Host: end the game at the results (G4)."""

    seat: int


class PlayAgain(Intent, frozen=True, tag="play_again"):
    """Host: a new game with the same settings (G5)."""

    seat: int


class ToLobby(Intent, frozen=True, tag="to_lobby"):
    """Host: return the table to the lobby after a game (G4)."""

    seat: int


class AddBot(Intent, frozen=True, tag="add_bot"):
    """Host: seat a bot; without a level that of the settings."""

    seat: int
    level: str | None = None


class Remove(Intent, frozen=True, tag="remove"):
    """Host: remove another seat (G7)."""

    seat: int
    target: int


class ChangeSettings(Intent, frozen=True, tag="settings"):
    """Host: lay these fields over the settings; `dev`: the server was started with `--dev`."""

    seat: int
    fields: dict[str, Any]
    dev: bool = False


class Leave(Intent, frozen=True, tag="leave"):
    """Leave the table for good (G7)."""

    seat: int


class Tick(Intent, frozen=True, tag="tick"):
    """Some time has passed: whatever is due fires before it, it does nothing itself."""


class Resume(Intent, frozen=True, tag="resume"):
    """A new authority is in charge (R9); `keeps_deadline` after a planned hand-over."""

    epoch: int
    keeps_deadline: bool = False


class CloseTable(Intent, frozen=True, tag="close"):
    """The operator closes the table."""


AnyIntent = (
    OpenTable
    | TakeSeat
    | Connect
    | Disconnect
    | Play
    | Pass
    | Give
    | AddSalt
    | Start
    | NextRound
    | EndGame
    | PlayAgain
    | ToLobby
    | AddBot
    | Remove
    | ChangeSettings
    | Leave
    | Tick
    | Resume
    | CloseTable
)

DEALS = (Start, NextRound, PlayAgain, OpenTable)
"""Intents that commit to a deal and so need a fresh secret from the shell (PROTOCOL 5)."""
