"""Four seats of the client library race over real sockets, none waiting for anything between sends."""

import asyncio
import contextlib
from collections import Counter

import aiohttp

from rapid_client import Encoding
from rapid_client import events as ev
from rapid_client.cards import by_strength, rank_of, strength
from tests.integration.gateway_bench import served_by
from tests.integration.peers import NO_LIMITS, Player, playing, seats, spectator

ROUNDS = 4
SETTINGS = {
    "rounds": ROUNDS,
    "race_seconds": 2,
    "action_seconds": 0.01,
    "variants": {"strongest_closes": True, "four_closes": True},
}


class Racer:
    """An `act`: on each state it sees the strongest it may lay, without waiting for any answer."""

    def __init__(self) -> None:
        self.plays: list[tuple[int, asyncio.Task]] = []
        self.others: list[asyncio.Task] = []

    async def __call__(self, player: Player) -> None:
        message, view = player.seen[-1], player.table.seen
        if not isinstance(message, ev.Played | ev.TrickOpened) or view.trick is None or not view.you.hand:
            return
        cards = strongest(view)
        if cards:
            play = asyncio.create_task(player.table.play(cards, on=message.seq))
            self.plays.append((message.seq, play))
        elif view.trick.top.seat != player.table.seat:
            self.others.append(asyncio.create_task(player.table.pass_(on=message.seq)))

    async def told(self):
        """All plays with their answers."""
        async with asyncio.timeout(20):
            await asyncio.gather(*self.others)
            return [(on, await play) for on, play in self.plays]


def strongest(view):
    top = view.trick.top
    count = len(top.cards) if top else 1
    hand = by_strength(view.you.hand, view.settings, revolution=view.revolution)
    ranks = Counter(map(rank_of, hand))
    for card in reversed(hand):
        is_enough = top is None or rank_strength(view, card) >= rank_strength(view, top.cards[0])
        if is_enough and ranks[rank_of(card)] >= count:
            return [one for one in hand if rank_of(one) == rank_of(card)][:count]
    return None


def rank_strength(view, card):
    return strength(rank_of(card), view.settings, revolution=view.revolution)


@contextlib.asynccontextmanager
async def all_playing(base, places, racers):
    """A player for each place, in both encodings, and a spectator."""
    async with contextlib.AsyncExitStack() as stack:
        players = [
            await stack.enter_async_context(playing(base, place, racer, encoding=list(Encoding)[place.seat % 2]))
            for place, racer in zip(places, racers, strict=True)
        ]
        yield players, await stack.enter_async_context(playing(base, spectator(places[0])))


async def test_four_tables_race_one_winner_each_and_all_losers_told(redis_url):
    async with served_by(redis_url, NO_LIMITS) as server, aiohttp.ClientSession() as http:
        places = await seats(http, server.url, "Ann", "Bob", "Cid", "Dee", **SETTINGS)
        racers = [Racer() for _ in places]
        async with asyncio.TaskGroup() as group, all_playing(server.url, places, racers) as (players, watching):
            assert (await players[0].table.host("start")).ok
            for number in range(1, ROUNDS):
                await watching.until(ev.RoundEnded, round=number)
                group.create_task(players[0].table.host("next_round"))
            await watching.until(ev.GameEnded, why="rounds")
            for player in players:
                await player.until(ev.GameEnded)
            told = [await racer.told() for racer in racers]
            for player in (*players, watching):
                await player.settle()
            judge(players, watching, told)


def judge(players, watching, told):
    for player in (*players, watching):
        player.judge_order()
        assert kinds(player)[-100:] == kinds(watching)[-100:], "all see the same game"
    played = watching.all(ev.Played)
    assert len({event.on for event in played}) == len(played), "one winner each"
    assert len(watching.all(ev.TrickClosed)) >= 20
    for seat, answers in enumerate(told):
        assert len({on for on, _ in answers}) == len(answers), "one attempt a state"
        won = {event.on for event in played if event.seat == seat and event.by == "person"}
        assert won == {on for on, reply in answers if reply.ok}
        late = {on: reply.late_ms for on, reply in answers if reply.late_ms is not None}
        assert late == {event.on: event.late_ms for event in watching.all(ev.RaceLost, seat=seat)}, "all losers told"
        assert all(reply.ok or reply.why in {"stale", "already_passed", "not_in_round"} for _, reply in answers)
    assert len(watching.all(ev.RaceLost)) > 20


def kinds(player):
    return [(message.seq, type(message)) for message in player.seen if isinstance(message, ev.Event)]
