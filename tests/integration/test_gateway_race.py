"""Four clients race over real sockets with no waits between sends: the whole path.

Everyone plays the strongest they have on each state they see, at once, so that tricks are
short and many; what counts is one reply for each attempt and one accepted play for each state.
"""

import asyncio
from collections import Counter

from tests.integration.gateway_bench import JSON, MSGPACK, Client, served_by

RANKS = "3456789TJQKA2"
ROUNDS = 37
VARIANTS = {"strongest_closes": True, "four_closes": True}


class Racer:
    """Plays the strongest it may on every state it sees, and passes if it has nothing."""

    def __init__(self, client: Client, seat: int) -> None:
        self.client = client
        self.seat = seat
        self.hand: list[str] = []
        self.top: tuple[int, int] | None = None
        self.turned = False
        self.last_player: int | None = None
        self.asked: dict[int, dict] = {}
        self.replies: dict[int, dict] = {}
        self.is_over = False

    async def run(self) -> None:
        while not self.is_over:
            message = await self.client.next()
            if message["t"] == "reply":
                assert message["id"] not in self.replies, "two replies"
                self.replies[message["id"]] = message
            elif message["t"] == "event":
                await self.react_to(message)

    async def until_all_replied(self) -> None:
        while self.asked.keys() - self.replies.keys():
            message = await self.client.next()
            if message["t"] == "reply":
                assert message["id"] not in self.replies, "two replies"
                self.replies[message["id"]] = message

    async def react_to(self, event: dict) -> None:
        handler = getattr(self, f"on_{event['type']}", None)
        if handler is not None:
            await handler(event)

    async def on_dealt(self, event: dict) -> None:
        self.hand = event["hands"][str(self.seat)]
        self.turned = False

    async def on_exchange_opened(self, event: dict) -> None:
        self.move(event["moves"])
        for owed in event["owes"]:
            if owed["from"] == self.seat:
                await self.say("give", round=event["round"], cards=self.hand[: owed["count"]])

    async def on_given(self, event: dict) -> None:
        if event["from"] == self.seat:
            self.hand = [card for card in self.hand if card not in event["cards"]]

    async def on_exchange_closed(self, event: dict) -> None:
        self.move([move for move in event["moves"] if move["to"] == self.seat])

    def move(self, moves: list[dict]) -> None:
        for move in moves:
            if move["from"] == self.seat:
                self.hand = [card for card in self.hand if card not in move["cards"]]
            if move["to"] == self.seat:
                self.hand = [*self.hand, *move["cards"]]

    async def on_trick_opened(self, event: dict) -> None:
        self.top, self.last_player = None, None
        await self.attempt(event["seq"])

    async def on_played(self, event: dict) -> None:
        if event["seat"] == self.seat:
            self.hand = [card for card in self.hand if card not in event["cards"]]
        self.turned = event["revolution"]
        self.top = RANKS.index(event["cards"][0][0]), len(event["cards"])
        self.last_player = event["seat"]
        await self.attempt(event["seq"])

    async def on_game_ended(self, _event: dict) -> None:
        self.is_over = True

    async def attempt(self, state: int) -> None:
        ranks = Counter(card[0] for card in self.hand)
        for rank in sorted(ranks, key=RANKS.index, reverse=not self.turned):
            count = 1 if self.top is None else self.top[1]
            if self.top is not None:
                by = RANKS.index(rank) - self.top[0]
                if (-by if self.turned else by) < 0 or ranks[rank] < count:
                    continue
            cards = [card for card in self.hand if card[0] == rank][:count]
            await self.say("play", on=state, cards=cards)
            return
        if self.hand and self.top is not None and self.last_player != self.seat:
            await self.say("pass", on=state)

    async def say(self, t: str, **fields: object) -> None:
        self.asked[await self.client.say(t, **fields)] = {"t": t, **fields}


async def test_four_clients_race_through_500_tricks(redis_url):
    limits = {
        "messages_per_second": 10**6,
        "messages_burst": 10**6,
        "intents_per_second": 10**6,
        "intents_burst": 10**6,
    }
    async with served_by(redis_url, limits) as server:
        opened = await server.open(rounds=ROUNDS, race_seconds=2, action_seconds=5, variants=VARIANTS)
        tokens = [opened["token"], *[(await server.sit(opened["table"]))["token"] for _ in range(3)]]
        joined = [
            await server.join(opened["table"], token, (MSGPACK, JSON)[seat % 2]) for seat, token in enumerate(tokens)
        ]
        racers = [Racer(client, seat) for seat, (client, _) in enumerate(joined)]
        host = racers[0]
        tasks = [asyncio.create_task(racer.run()) for racer in racers]
        watching, _ = await server.join(opened["table"])
        await host.say("host", do="start")
        for _ in range(ROUNDS - 1):
            await watching.event("round_ended")
            await host.say("host", do="next_round")
        await watching.event("game_ended")
        await asyncio.gather(*tasks)
        await asyncio.gather(*(racer.until_all_replied() for racer in racers))
        await watching.until("pong", id=await watching.say("ping"))
        judge(racers, watching)


def judge(racers: list[Racer], watching: Client) -> None:
    for client in (watching, *(racer.client for racer in racers)):
        client.judge_order()
    played = [event for event in watching.events if event["type"] == "played"]
    lost = [event for event in watching.events if event["type"] == "race_lost"]
    assert len({event["on"] for event in played}) == len(played), "two accepted plays of one trick state"
    tricks = sum(event["type"] == "trick_closed" for event in watching.events)
    assert tricks >= 500
    accepted = 0
    told_late = Counter()
    for racer in racers:
        assert racer.asked.keys() == racer.replies.keys(), "one reply each"
        for id_, asked in racer.asked.items():
            reply = racer.replies[id_]
            if asked["t"] != "play":
                continue
            accepted += reply["ok"]
            if not reply["ok"] and "late_ms" in reply:
                assert reply["why"] == "stale"
                told_late[racer.seat, asked["on"]] += 1
    assert accepted == sum(event["by"] == "person" for event in played)
    assert told_late == Counter((event["seat"], event["on"]) for event in lost), "all losers told"
    assert len(lost) > 100
