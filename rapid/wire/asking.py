"""From a seat's message to the intent it is (PROTOCOL 3.1)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from rapid.engine import intents
from rapid.engine.intents import AnyIntent
from rapid.wire.messages import Give, Host, Leave, Pass, Play, Salt

Asked = Play | Pass | Give | Salt | Host | Leave
"""Messages that are decided by the table's authority."""

_PLAIN: Final[dict[str, Callable[[int], AnyIntent]]] = {
    "start": intents.Start,
    "next_round": intents.NextRound,
    "end_game": intents.EndGame,
    "play_again": intents.PlayAgain,
    "to_lobby": intents.ToLobby,
}


def _host_intent(message: Host, seat: int, *, dev: bool) -> AnyIntent:
    plain = _PLAIN.get(message.do)
    if plain is not None:
        return plain(seat)
    if message.do == "add_bot":
        return intents.AddBot(seat, message.level)
    if message.seat is not None:
        return intents.Remove(seat, message.seat)
    return intents.ChangeSettings(seat, message.settings or {}, dev=dev)


def intent_of(message: Asked, seat: int, *, dev: bool) -> AnyIntent:
    """Return the intent of this seat; `dev`: the server was started with `--dev`."""
    match message:
        case Play():
            return intents.Play(seat, message.on, message.cards)
        case Pass():
            return intents.Pass(seat, message.on)
        case Give():
            return intents.Give(seat, message.round, message.cards)
        case Salt():
            return intents.AddSalt(seat, message.deal, message.salt)
        case Leave():
            return intents.Leave(seat)
        case Host():
            return _host_intent(message, seat, dev=dev)
