"""Deals anyone can check (PROTOCOL section 5): from a secret and salts to the order of the deck."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Iterator, Sequence

from rapid.cards.deck import Deck

WORD = 1 << 32


def commitment(secret: bytes) -> str:
    """Return what is logged before the deal: SHA-256 of the raw secret, hex."""
    return hashlib.sha256(secret).hexdigest()


def deal_key(secret: bytes, salts: Iterable[bytes]) -> bytes:
    """Return the key of a deal; `salts` ascending by seat, a missing one empty."""
    return hashlib.sha256(secret + b"".join(salts)).digest()


def words(key: bytes, label: str) -> Iterator[int]:
    """Yield 32-bit big-endian numbers of the stream `label:0`, `label:1`, … without end."""
    block = 0
    while True:
        digest = hmac.digest(key, f"{label}:{block}".encode("ascii"), "sha256")
        for at in range(0, 32, 4):
            yield int.from_bytes(digest[at : at + 4], "big")
        block += 1


def draw_below(numbers: Iterator[int], n: int) -> int:
    """Draw evenly from 0 … n-1: numbers from the uneven rest at the top are thrown away."""
    limit = n * (WORD // n)
    for number in numbers:
        if number < limit:
            return number % n
    raise AssertionError  # the stream has no end


def shuffled(deck: Deck, key: bytes, table: str, deal: int) -> list[int]:
    """Return the deck's cards in the order in which they are dealt."""
    numbers = words(key, f"{table}:{deal}")
    cards = list(deck.start)
    for k in range(len(cards) - 1, 0, -1):
        j = draw_below(numbers, k + 1)
        cards[k], cards[j] = cards[j], cards[k]
    return cards


def deal_hands(cards: Sequence[int], order: Sequence[int]) -> dict[int, int]:
    """Deal one card at a time from the front to the seats in `order`; return seat → hand."""
    hands = dict.fromkeys(order, 0)
    for place, card in enumerate(cards):
        hands[order[place % len(order)]] |= 1 << card
    return hands


def opening_seat(key: bytes, table: str, deal: int, trick: int, seats: Sequence[int]) -> int:
    """Return the seat of an automatic opening (R7), `seats` ascending.

    One HMAC block holds eight numbers; that all are above the limit has a chance below
    2^-240 for six seats, so the label with the block number is never needed again.
    """
    digest = hmac.digest(key, f"{table}:{deal}:open:{trick}".encode("ascii"), "sha256")
    numbers = (int.from_bytes(digest[at : at + 4], "big") for at in range(0, 32, 4))
    return seats[draw_below(numbers, len(seats))]
