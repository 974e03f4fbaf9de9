"""Moments hard to hit, over real sockets and judged by the stamps: the timer's zero, a double click, a grace."""

import asyncio
import time
from typing import Any

import pytest

from tests.integration.gateway_bench import Client, served_by

RANKS = "3456789TJQKA2"
RACE_S = 0.25


@pytest.fixture
async def server(redis_url):
    async with served_by(redis_url) as server:
        yield server


def by_rank(cards: list[str]) -> list[str]:
    return sorted(cards, key=lambda card: RANKS.index(card[0]))


async def seated(server, **settings: Any) -> list[Client]:
    """Three persons at a table, and one who watches."""
    opened, tokens = await places(server, **settings)
    return [(await server.join(opened["table"], token))[0] for token in (*tokens, None)]


async def places(server, **settings: Any) -> tuple[dict[str, Any], list[str]]:
    opened = await server.open(seats=3, variants={"revolution": False}, **settings)
    return opened, [opened["token"], *[(await server.sit(opened["table"]))["token"] for _ in range(2)]]


class Judge:
    """Holds each accepted play and each closing against the deadline that ran."""

    def __init__(self, watching: Client) -> None:
        self.watching = watching
        self.seen: list[dict[str, Any]] = []

    async def until(self, *types: str) -> dict[str, Any]:
        while True:
            self.seen.append(event := await self.watching.until("event"))
            if event["type"] in types:
                return event

    def judge(self) -> None:
        self.watching.judge_order()
        deadline, closed_at = None, None
        for event in self.seen:
            if event["type"] == "played":
                assert event["at"] < deadline or event["by"] == "timer"
            elif event["type"] == "trick_closed":
                assert event["at"] >= deadline
                assert event["why"] == "timer"
                closed_at = event["at"]
            elif event["type"] == "race_lost":
                assert event["late_ms"] == event["at"] - closed_at
            deadline = event.get("deadline") or deadline


@pytest.mark.parametrize("offsets_ms", [range(-10, -3), range(-3, 4), range(4, 11)])
async def test_R9_a_play_swept_over_the_timers_zero_in_steps_of_a_millisecond(server, offsets_ms):
    *players, watching = await seated(server, race_seconds=RACE_S)
    judge = Judge(watching)
    await players[0].say("host", do="start")
    hands = [by_rank((await client.event("dealt"))["hands"][str(seat)]) for seat, client in enumerate(players)][:2]
    for offset_ms in offsets_ms:
        opened = await judge.until("trick_opened")
        # Whoever has the weakest card lays it; the strongest of the other answers it in any case.
        first = min((0, 1), key=lambda seat: RANKS.index(hands[seat][0][0]))
        await players[first].say("play", on=opened["seq"], cards=hands[first][:1])
        on = await judge.until("played")
        if on["seat"] < 2:
            hands[on["seat"]] = [card for card in hands[on["seat"]] if card not in on["cards"]]
        if on["by"] == "timer":
            await judge.until("trick_closed")
            continue  # it was quicker than the opening: no step, and judged all the same
        second = 1 - first
        strongest = hands[second][-1]
        await asyncio.sleep(max(0.0, (on["deadline"] + offset_ms) / 1000 - time.time()))
        reply = await players[second].ask("play", on=on["seq"], cards=[strongest])
        what = await judge.until("played", "trick_closed")
        if reply["ok"]:
            assert (what["type"], what["seat"], what["cards"]) == ("played", second, [strongest])
            assert what["at"] < on["deadline"]
            hands[second].remove(strongest)
            await judge.until("trick_closed")
        else:
            assert reply["why"] == "stale"
            lost = await judge.until("race_lost")
            assert (what["type"], lost["seat"], lost["on"]) == ("trick_closed", second, on["seq"])
            assert lost["late_ms"] == reply["late_ms"]
            assert lost["at"] >= on["deadline"]
    judge.judge()


async def test_a_double_click_plays_once(server):
    *players, watching = await seated(server, race_seconds=60)
    await players[0].say("host", do="start")
    hand = by_rank((await players[0].event("dealt"))["hands"]["0"])
    opened = await players[0].event("trick_opened")
    for cards in (hand[:1], hand[1:2]):
        clicks = [await players[0].say("play", on=opened["seq"], cards=cards) for _ in range(2)]
        replies = [await players[0].until("reply", id=click) for click in clicks]
        if cards == hand[:1]:
            assert [reply["ok"] for reply in replies] == [True, False]
            assert replies[1]["why"] == "not_your_cards"
        else:
            # The state is past: no click of the second card opens or answers anything.
            assert [reply["why"] for reply in replies] == ["stale", "stale"]
    await watching.until("pong", id=await watching.say("ping"))
    assert [event["cards"] for event in watching.events if event["type"] == "played"] == [hand[:1]]
    assert sum(event["type"] == "race_lost" for event in watching.events) == 1


async def test_G6_a_bad_token_does_not_end_the_grace_of_a_seat(server):
    *players, watching = await seated(server, race_seconds=60, standin_grace_seconds=0.5)
    await players[0].say("host", do="start")
    await watching.event("trick_opened")
    await players[1].close()
    lost = await watching.event("connection_lost", seat=1)
    table = watching.seen[0]["table"]
    for token in ("x" * 43, ""):
        stranger = await server.dial(table)
        await stranger.send({"t": "hello", "v": 1, "token": token})
        assert await stranger.end() == (4005, "bad_token")
    started = await watching.event("standin_started", seat=1)
    assert started["at"] >= lost["at"] + 500
    assert not [event for event in watching.events if event["type"] == "connection_back" and event["seq"] > lost["seq"]]


async def test_G6_coming_back_is_the_same_seat_and_moves_nobodys_clock(server):
    opened, tokens = await places(server, race_seconds=60, standin_grace_seconds=0)
    players = [(await server.join(opened["table"], token))[0] for token in tokens]
    await players[0].say("host", do="start")
    hand = (await players[1].event("dealt"))["hands"]["1"]
    trick = await players[0].event("trick_opened")
    await players[0].say("play", on=trick["seq"], cards=hand_dealt_to(players[0])[-1:])
    deadline = (await players[0].event("played"))["deadline"]
    await players[1].close()
    await players[0].event("standin_started", seat=1)
    _, welcome = await server.join(opened["table"], tokens[1])
    view = welcome["view"]
    assert [row["seat"] for row in view["seats"]] == [0, 1, 2]
    assert (welcome["seat"], view["you"]["seat"]) == (1, 1)
    assert set(view["you"]["hand"]) <= set(hand)
    # The stand-in may have played in between, which restarts the timer (R8); nothing else does.
    await players[0].event("standin_ended", seat=1)
    plays = [event for event in players[0].events if event["type"] == "played"]
    _, now = await server.join(opened["table"])
    assert now["view"]["deadline"] == plays[-1]["deadline"] >= deadline
    assert not any(
        "deadline" in event for event in players[0].events if event["type"].startswith(("connection", "stand"))
    )


def hand_dealt_to(client: Client) -> list[str]:
    (dealt,) = [event for event in client.events if event["type"] == "dealt"]
    (hand,) = dealt["hands"].values()
    return by_rank(hand)
