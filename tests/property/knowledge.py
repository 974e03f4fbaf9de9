"""Who may know which cards, kept from the log by the rules of the game and of nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec
from msgspec import UNSET

from rapid.engine import events as ev

CARD = re.compile(r'"([2-9TJQKA][SHDC]|1?[0-9][OCEB]|\*[1-9])(?:=[^"]*)?"')
"""Any card of any deck; a wild one says behind it what it stands for."""


def held(cards: Iterable[str]) -> set[str]:
    """The cards themselves of a play: a wild one says behind `=` what it stands for, which is nobody's card."""
    return {card.partition("=")[0] for card in cards}


class Knowledge:
    """What a viewer (a seat, or None: a spectator) has a right to know of the running deal."""

    def __init__(self, viewer: int | None) -> None:
        self.viewer = viewer
        self.cards: set[str] = set()
        self.secrets: set[str] = set()

    def learn(self, event: ev.AnyEvent) -> None:
        if isinstance(event, ev.Dealt):
            self.cards = set(event.hands.get(str(self.viewer), ()))
        elif isinstance(event, ev.ExchangeOpened | ev.ExchangeClosed):
            for move in event.moves:
                if self.viewer in {move.from_, move.to}:
                    self.cards |= set(move.cards or ())
        elif isinstance(event, ev.Given):
            if event.from_ == self.viewer:
                self.cards |= set(event.cards or ())
        elif isinstance(event, ev.Played):
            self.cards |= held(event.cards)
        elif isinstance(event, ev.RoundEnded | ev.GameEnded) and event.secret is not UNSET:
            self.secrets.add(event.secret)

    def unknown_cards(self, shown: object) -> set[str]:
        """Cards in what is shown that this viewer may not know."""
        return set(CARD.findall(msgspec.json.encode(shown).decode())) - self.cards

    def leaked(self, shown: object, secrets: set[str]) -> set[str]:
        """Secrets and token hashes in what is shown that this viewer may not know."""
        text = msgspec.json.encode(shown).decode()
        return {secret for secret in secrets - self.secrets if secret in text}


def hidden_words(events: list[ev.AnyEvent]) -> set[str]:
    """All secrets of deals and hashes of tokens in a log."""
    secrets = {event.secret for event in events if isinstance(event, ev.Committed) and event.secret}
    hashes = {event.token_hash for event in events if isinstance(event, ev.SeatTaken) and event.token_hash}
    return {str(word) for word in secrets | hashes}


class Zones:
    """Where the cards of the running deal are: hands, given and not yet arrived, laid."""

    def __init__(self) -> None:
        self.hands: dict[int, set[str]] = {}
        self.given: dict[int, set[str]] = {}
        self.laid: set[str] = set()

    def move(self, event: ev.AnyEvent) -> None:
        if isinstance(event, ev.Dealt):
            self.hands = {int(seat): set(cards) for seat, cards in event.hands.items()}
            self.given, self.laid = {}, set()
        elif isinstance(event, ev.ExchangeOpened):
            for move in event.moves:
                self._take(move.from_, move.cards)
                self.hands[move.to] |= set(move.cards or ())
        elif isinstance(event, ev.Given):
            self._take(event.from_, event.cards)
            self.given[event.to] = set(event.cards or ())
        elif isinstance(event, ev.ExchangeClosed):
            for move in event.moves:
                assert self.given.pop(move.to) == set(move.cards or ())
                self.hands[move.to] |= set(move.cards or ())
        elif isinstance(event, ev.Played):
            self._take(event.seat, held(event.cards))
            self.laid |= held(event.cards)

    def _take(self, seat: int, cards: object) -> None:
        taken = set(cards or ())  # type: ignore[call-overload]
        assert taken <= self.hands[seat], "cards that the seat does not hold"
        self.hands[seat] -= taken

    def all_cards(self) -> list[str]:
        zones = [*self.hands.values(), *self.given.values(), self.laid]
        return sorted(card for zone in zones for card in zone)
