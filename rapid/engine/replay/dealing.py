"""`dealt committed`: hands that follow from the secret, and the next deal's promise (PROTOCOL section 5)."""

from __future__ import annotations

from typing import Any

from rapid.engine.replay.event import Event
from rapid.engine.replay.exchange import open_round
from rapid.engine.replay.faults import WrongError, demand
from rapid.engine.replay.flow import Steps, game_of, need
from rapid.engine.replay.rulebook import Rulebook
from rapid.engine.replay.shuffle import commitment, deal_key, dealt_round, opening_seat, shuffled
from rapid.engine.replay.table import Commit, Dealt, Game, Opening, Round, Table


def commit_from(event: Event, deal: int) -> Commit:
    """The promise for the next deal; a log read while the deal is open hides its secret."""
    demand(event["deal"] == deal, "deal {} is committed where {} is due", event["deal"], deal)
    secret: str | None = event["secret"] if event.has("secret") else None
    if secret is not None:
        demand(commitment(secret) == event["commit"], "commit is not the SHA-256 of the secret")
    return Commit(deal, event["commit"], secret)


def deal(table: Table, event: Event) -> Steps:
    """`DEAL`, the event being its `dealt`; ends with the exchange or the first trick open."""
    game = game_of(table)
    number = game.rounds + 1
    seats = sorted(table.chairs)
    demand(event["round"] == number, "round {} where {} is due", event["round"], number)
    demand(event["deal"] == table.commit.deal, "deal {}, but {} is committed", event["deal"], table.commit.deal)
    order = list(game.standings) if table.book.deals == "ranked" and number > 1 else seats
    demand(event["order"] == order, "order is not the seats in play order: {}", order)
    dealt_first = dealing_order(table.book, table.settings["options"], number, order, game.standings)
    hands = {int(seat): frozenset(cards) for seat, cards in event["hands"].items()}
    dealt = Dealt(table.commit, event.seq, tuple(dealt_first), hands)
    _check_counts(table, dealt)
    if table.commit.secret is not None:
        check_hands(table, dealt, table.commit.secret)
    game.round = Round(number, dealt, tuple(order), {seat: set(hands[seat]) for seat in seats})
    table.phase = "exchange"
    committed = yield from need(table, "committed")
    table.commit = commit_from(committed, table.commit.deal + 1)
    yield from open_round(table)


def dealing_order(
    book: Rulebook, options: dict[str, Any], number: int, order: list[int], standings: list[int]
) -> list[int]:
    """Who is dealt to, one card at a time, the first first (C3, 3.2, 4.2, 5.1); `order` is the play order."""
    if book.deals == "standings":
        return order if number == 1 else standings[::-1]
    if book.deals == "turning":
        first = (number - 1) % len(order)
    elif book.deals == "ranked" and number > 1:
        # Behind the dealer, who is the President or the last.
        first = (book.dealer_place % len(order) + 1) % len(order)
    else:
        dealer = options.get("first_dealer")
        at = order.index(dealer) if dealer in order else len(order) - 1
        first = (at + number) % len(order)
    return order[first:] + order[:first]


def _check_counts(table: Table, dealt: Dealt) -> None:
    deck = table.book.deck.cards()
    held = [card for hand in dealt.hands.values() for card in hand]
    demand(set(dealt.hands) == set(dealt.seats), "hands are not those of the seats in the game")
    demand(sorted(held) == sorted(deck), "the hands are not the {} cards of the deck", len(deck))
    for place, seat in enumerate(dealt.seats):
        due = len(deck[place :: len(dealt.seats)])
        demand(len(dealt.hands[seat]) == due, "seat {} is dealt {} cards, not {}", seat, len(dealt.hands[seat]), due)


def _key(dealt: Dealt, secret: str) -> bytes:
    return deal_key(secret, [dealt.commit.salts.get(seat, b"") for seat in sorted(dealt.seats)])


def check_hands(table: Table, dealt: Dealt, secret: str) -> None:
    """The shuffle and the deal follow from secret and salts."""
    deck = shuffled(table.book.deck.cards(), _key(dealt, secret), table.name, dealt.commit.deal)
    for seat, cards in dealt_round(deck, dealt.seats).items():
        if dealt.hands[seat] != cards:
            raise WrongError(f"the hand of seat {seat} does not follow from the deal's secret", dealt.seq)


def check_opening(table: Table, dealt: Dealt, opening: Opening, secret: str) -> None:
    """R7: the seat of an automatic opening is drawn from the deal's key."""
    due = opening_seat(_key(dealt, secret), table.name, dealt.commit.deal, opening.trick, opening.seats)
    if due != opening.seat:
        raise WrongError(f"the automatic opening belongs to seat {due}, not {opening.seat}", opening.seq)


def add_opening(table: Table, dealt: Dealt, opening: Opening) -> None:
    """Check an automatic opening now, or when the secret is shown."""
    dealt.openings.append(opening)
    if dealt.commit.secret is not None:
        check_opening(table, dealt, opening, dealt.commit.secret)


def reveal(table: Table, game: Game, secret: str) -> None:
    """The secret shown at the end of a deal is the one committed to, and everything followed from it."""
    if game.round is None:
        raise WrongError("no deal to show a secret of")
    dealt = game.round.dealt
    demand(commitment(secret) == dealt.commit.commit, "the secret shown is not the one committed to")
    check_hands(table, dealt, secret)
    for opening in dealt.openings:
        check_opening(table, dealt, opening, secret)
