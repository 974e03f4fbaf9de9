"""Why an intent is refused (PROTOCOL 3.4): codes with a line each, in the order of precedence.

A refusal is an answer, never an exception: it reaches the sender and nothing else changes.
"""

from __future__ import annotations

from msgspec import Struct

from rapid.rules.settings_check import FieldError

MALFORMED = "malformed"  # a field is missing or of the wrong type or range
RATE_LIMITED = "rate_limited"  # too many intents in too short a time
UNAVAILABLE = "unavailable"  # the server cannot take it now; may be tried again by hand
SPECTATOR = "spectator"  # the asker holds no seat
NOT_HOST = "not_host"  # only the host may
WRONG_PHASE = "wrong_phase"  # not at this time of the table

NOT_YOUR_CARDS = "not_your_cards"  # a card not held, or listed twice
NOT_A_COMBINATION = "not_a_combination"  # not one to four cards of one rank (P1)
STALE = "stale"  # aimed at another trick state, round or deal (R3)
NOT_IN_ROUND = "not_in_round"  # holds no cards
ALREADY_PASSED = "already_passed"  # a pass binds (P4)
NOT_YOUR_TURN = "not_your_turn"  # turn mode only
WRONG_COUNT = "wrong_count"  # not as many cards as the top (P1)
MUST_MATCH_RANK = "must_match_rank"  # V5, turn mode only
TOO_WEAK = "too_weak"  # weaker than the top in the present order (P1)

EMPTY_TRICK = "empty_trick"  # an empty trick cannot be passed (P3)
LAST_PLAYER = "last_player"  # the last player cannot pass (R5)

NOTHING_OWED = "nothing_owed"  # this seat owes no cards
ALREADY_GIVEN = "already_given"  # the cards, or the salt, were given before
WRONG_CARDS = "wrong_cards"  # not the cards that are owed

TOO_FEW = "too_few"  # fewer seats than the ruleset's least (G1)
FULL = "full"  # no free chair
NO_SUCH_SEAT = "no_such_seat"  # empty, or oneself
BAD_SETTINGS = "bad_settings"  # with a row for each bad field

DOOR_CLOSED = "door_closed"  # HTTP only: nobody new takes a seat
NO_TABLE = "no_table"  # HTTP only: unknown or closed
NOT_IN_CHARGE = "not_in_charge"  # for bots only: somebody else moves for the seat now


class Refusal(Struct, frozen=True, gc=False, omit_defaults=True):
    """Why; for a lost race how late in milliseconds (R4); for bad settings a row a field."""

    why: str
    late_ms: int | None = None
    errors: tuple[FieldError, ...] = ()
