"""Deals anyone can check: from a secret and salts to hands (PROTOCOL section 5)."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator, Sequence

_WORD = 2**32


def commitment(secret_hex: str) -> str:
    """What is logged before the deal: SHA-256 of the raw secret, hex."""
    return hashlib.sha256(bytes.fromhex(secret_hex)).hexdigest()


def deal_key(secret_hex: str, salts: Sequence[bytes]) -> bytes:
    """SHA-256 of the raw secret and the salts, in the order given."""
    return hashlib.sha256(bytes.fromhex(secret_hex) + b"".join(salts)).digest()


def _block(key: bytes, label: str) -> tuple[int, ...]:
    digest = hmac.new(key, label.encode("ascii"), hashlib.sha256).digest()
    return tuple(int.from_bytes(digest[at : at + 4], "big") for at in range(0, len(digest), 4))


def _stream(key: bytes, label: str) -> Iterator[int]:
    block = 0
    while True:
        yield from _block(key, f"{label}:{block}")
        block += 1


def _draw(numbers: Iterator[int], below: int) -> int:
    limit = below * (_WORD // below)
    return next(number for number in numbers if number < limit) % below


def shuffled(deck: Sequence[str], key: bytes, table: str, deal: int) -> list[str]:
    """The deck after the shuffle of this deal."""
    cards = list(deck)
    numbers = _stream(key, f"{table}:{deal}")
    for last in range(len(cards) - 1, 0, -1):
        other = _draw(numbers, last + 1)
        cards[last], cards[other] = cards[other], cards[last]
    return cards


def dealt_round(cards: Sequence[str], seats: Sequence[int]) -> dict[int, set[str]]:
    """Hands, the cards dealt one at a time from the front, the first to `seats[0]`."""
    return {seat: set(cards[first :: len(seats)]) for first, seat in enumerate(seats)}


def opening_seat(key: bytes, table: str, deal: int, trick: int, seats: Sequence[int]) -> int:
    """Who is made to open (R7); `seats` are those in the round, ascending."""
    limit = len(seats) * (_WORD // len(seats))
    words = _block(key, f"{table}:{deal}:open:{trick}")
    return seats[next((word for word in words if word < limit), 0) % len(seats)]
