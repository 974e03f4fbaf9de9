"""The log by itself: no gap in it, one accepted play a trick state, 52 cards, legal answers (R1-R3, P1, C1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from loadtests.judges.case import Event, Log
from loadtests.judges.table import Table

RANKS = "3456789TJQKA2"
SUITS = "SHDC"
DECK = frozenset(rank + suit for rank in RANKS for suit in SUITS)


def judge_run(log: Log) -> Iterator[str]:
    """`seq` is 1, 2, 3 … and `at` never goes back (PROTOCOL 1)."""
    at = 0
    for wanted, event in enumerate(log, 1):
        if event["seq"] != wanted:
            yield f"log: seq {event['seq']} stands where {wanted} is due"
            return
        if event["at"] < at:
            yield f"log: the time goes back at seq {wanted}"
        at = event["at"]


def judge_states(log: Log) -> Iterator[str]:
    """R2: at most one accepted play a trick state, and it is aimed at the present one."""
    state, answered = 0, set[int]()
    for event in log:
        kind = event["type"]
        if kind == "played":
            if event["on"] in answered:
                yield f"log: seq {event['seq']} is a second accepted play on the trick state {event['on']}"
            elif event["on"] != state:
                yield f"log: seq {event['seq']} is aimed at {event['on']}, the trick state is {state}"
            answered.add(event["on"])
            state = event["seq"]
        elif kind == "trick_opened":
            state = event["seq"]
        elif kind in {"trick_closed", "round_ended", "game_ended"}:
            state = 0


def judge_cards(log: Log) -> Iterator[str]:
    """52 cards at every moment, and nobody lays or gives what they do not hold."""
    table, out, given = Table(), set[str](), dict[int, set[str]]()
    for event in log:
        judge = _CARDS.get(event["type"])
        fault = None if judge is None else judge(table, event, out, given)
        if fault is not None:
            yield f"log: seq {event['seq']}: {fault}"
            return  # behind it every count is wrong
        table.take(event)
        if table.hands is None:
            out.clear()
            given.clear()
        elif event["type"] in _CARDS:
            fault = _not_52(table, out, given)
            if fault is not None:
                yield f"log: seq {event['seq']}: {fault}"
                return


def _not_52(table: Table, out: set[str], given: dict[int, set[str]]) -> str | None:
    places = [*(table.hands or {}).values(), out, *given.values()]
    union = set[str]().union(*places)
    if sum(map(len, places)) != len(DECK) or union != DECK:
        return f"{sum(map(len, places))} cards at the table, {len(union)} different ones"
    return None


def _dealt(_table: Table, event: Event, out: set[str], given: dict[int, set[str]]) -> str | None:
    out.clear()
    given.clear()
    cards = [card for hand in event["hands"].values() for card in hand]
    return None if sorted(cards) == sorted(DECK) else f"{len(cards)} cards dealt, {len(set(cards))} different ones"


def _opened(table: Table, event: Event, _out: set[str], _given: dict[int, set[str]]) -> str | None:
    for move in event["moves"]:
        if not set(move["cards"]) <= (table.hands or {})[move["from"]] or len(set(move["cards"])) != move["count"]:
            return f"seat {move['from']} gives what it does not hold"
    return None


def _gives(table: Table, event: Event, _out: set[str], given: dict[int, set[str]]) -> str | None:
    if not set(event["cards"]) <= (table.hands or {})[event["from"]] or event["from"] in given:
        return f"seat {event['from']} gives what it does not hold, or twice"
    given[event["from"]] = set(event["cards"])
    return None


def _closed(_table: Table, event: Event, _out: set[str], given: dict[int, set[str]]) -> str | None:
    moved = {move["from"]: set(move["cards"]) for move in event["moves"]}
    if moved != given:
        return "other cards arrive than were given"
    given.clear()
    return None


def _played(table: Table, event: Event, out: set[str], _given: dict[int, set[str]]) -> str | None:
    cards, seat = event["cards"], event["seat"]
    if len(set(cards)) != len(cards) or not set(cards) <= (table.hands or {}).get(seat, set()):
        return f"seat {seat} lays cards it does not hold"
    if not 1 <= len(cards) <= 4 or len({card[0] for card in cards}) != 1:
        return f"seat {seat} lays no combination"
    if seat in table.passed:
        return f"seat {seat} plays though it has passed"
    top = table.trick["top"] if table.trick is not None else None
    if top is not None and not _answers(cards, top["cards"], reversed_=table.revolution):
        return f"seat {seat} lays what does not answer the top"
    out |= set(cards)
    return None


def _answers(cards: list[str], top: list[str], *, reversed_: bool) -> bool:
    """P1: as many cards, and a rank at least as strong in the present order."""
    mine, theirs = RANKS.index(cards[0][0]), RANKS.index(top[0][0])
    return len(cards) == len(top) and (mine <= theirs if reversed_ else mine >= theirs)


def _passed(table: Table, event: Event, _out: set[str], _given: dict[int, set[str]]) -> str | None:
    if table.trick is None or table.trick["top"] is None:
        return "a pass on an empty trick"
    if event["seat"] in table.passed or event["seat"] == table.trick["top"]["seat"]:
        return f"seat {event['seat']} may not pass"
    return None


_CARDS: dict[str, Callable[[Table, Event, set[str], dict[int, set[str]]], str | None]] = {
    "dealt": _dealt,
    "exchange_opened": _opened,
    "given": _gives,
    "exchange_closed": _closed,
    "played": _played,
    "passed": _passed,
}
