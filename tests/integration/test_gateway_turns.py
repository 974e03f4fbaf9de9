"""Live games in turn mode over real sockets: turns, refusals out of turn, timers, a lost person, a leaver."""

import asyncio

import pytest

from rapid.engine.replay.verify import verify_lines
from tests.integration.gateway_bench import JSON, MSGPACK, Client, served_by

FRENCH = list("3456789TJQKA2")
SPANISH = ["3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "1", "2"]
VARIANTS = ("revolution", "four_closes", "strongest_closes", "finish_with_two", "skip")


class Player:
    """Waits for its turn, plays the weakest legal set, else passes.

    `rude`: who asks once in the midst of this player's turn; the turn waits for what it is told.
    """

    def __init__(self, client: Client, seat: int, rude: "Player | None" = None, order: list[str] = FRENCH) -> None:
        self.client, self.seat, self.rude, self.order = client, seat, rude, order
        self.hand: list[str] = []
        self.state, self.top, self.turned = 0, (0, 0), False
        self.least = 0
        """By how much a rank must be higher."""
        self.out_of_turn = 0
        self.told = asyncio.Event()
        self.own: set[int] = set()
        self.is_over = False

    async def run(self) -> None:
        while not self.is_over:
            message = await self.client.next()
            handler = getattr(self, f"on_{message.get('type', message['t'])}", None)
            if handler is not None:
                await handler(message)

    async def on_reply(self, reply: dict) -> None:
        if reply["id"] == self.out_of_turn:
            # Its hand may lag behind its own last play, and it may have passed.
            assert reply["why"] in {"not_your_turn", "already_passed", "not_your_cards"}, reply
            self.told.set()
        elif reply["id"] in self.own:
            assert reply["ok"], reply

    async def on_dealt(self, event: dict) -> None:
        self.hand, self.turned = event["hands"][str(self.seat)], False

    async def on_exchange_opened(self, event: dict) -> None:
        self.move(event["moves"])
        for owed in event["owes"]:
            if owed["from"] == self.seat:
                ranked = sorted(self.hand, key=lambda card: (self.order.index(card[:-1]), card == "2O"))
                cards = ranked[-owed["count"] :] if owed["pick"] == "best" else ranked[: owed["count"]]
                self.own.add(await self.client.say("give", round=event["round"], cards=cards))

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
        assert event["deadline"] is None
        self.state, self.top = event["seq"], (0, 0)

    async def on_played(self, event: dict) -> None:
        assert event["deadline"] is None
        self.state, self.turned = event["seq"], event["revolution"]
        self.top = self.order.index(event["cards"][0][:-1]), len(event["cards"])
        if event["seat"] == self.seat:
            self.hand = [card for card in self.hand if card not in event["cards"]]

    async def on_turn_began(self, event: dict) -> None:
        if event["seat"] == self.seat:
            if self.rude is not None:
                rude, self.rude = self.rude, None
                rude.out_of_turn = await rude.client.say("play", on=self.state, cards=rude.hand[:1])
                await rude.told.wait()
            await self.act(event["rank"])

    async def act(self, bound: str | None) -> None:
        rank_of_top, count = self.top
        for rank in sorted({card[:-1] for card in self.hand}, key=self.order.index, reverse=self.turned):
            cards = [card for card in self.hand if card[:-1] == rank]
            by = self.order.index(rank) - rank_of_top
            is_answer = len(cards) >= count and (-by if self.turned else by) >= self.least and bound in (None, rank)
            if not count or is_answer:
                self.own.add(await self.client.say("play", on=self.state, cards=cards[: count or len(cards)]))
                return
        self.own.add(await self.client.say("pass", on=self.state))

    async def on_game_ended(self, _event: dict) -> None:
        self.is_over = True


async def judged(server, table: str, watching: Client) -> list[dict]:
    """The whole log passes the second reading of the rules; the watcher saw every event once, in order."""
    await watching.until("pong", id=await watching.say("ping"))
    watching.judge_order()
    async with server.http.get(f"{server.url}/api/tables/{table}/log") as answer:
        lines = (await answer.text()).splitlines()
    (report,) = verify_lines(lines)
    assert report.ok, report
    return watching.events


@pytest.mark.parametrize("variants", [VARIANTS, ()], ids=["all", "none"])
async def test_a_whole_game_of_persons_and_bots(redis_url, variants):
    async with served_by(redis_url) as server:
        on = {name: name in variants for name in VARIANTS}
        opened = await server.open(mode="turns", rounds=2, variants=on, bot_delay_ms=0, seats=4)
        table = opened["table"]
        tokens = [opened["token"], (await server.sit(table))["token"]]
        clients = [(await server.join(table, token, (MSGPACK, JSON)[n]))[0] for n, token in enumerate(tokens)]
        for _ in range(2):
            assert (await clients[0].ask("host", do="add_bot", level="hard"))["ok"]
        watching, _ = await server.join(table)
        rude = Player(clients[1], 1)
        players = [Player(clients[0], 0, rude), rude]
        async with asyncio.TaskGroup() as running:
            for player in players:
                running.create_task(player.run())
            await clients[0].say("host", do="start")
            await watching.event("round_ended")
            await clients[0].say("host", do="next_round")
            ended = await watching.event("game_ended")
        assert ended["why"] == "rounds"
        events = await judged(server, table, watching)
    kinds = {event["type"] for event in events}
    assert {"turn_began", "played", "passed", "exchange_closed"} <= kinds
    assert "race_lost" not in kinds
    assert rude.told.is_set()
    assert not [event for event in events if event["type"] in {"played", "passed"} and event["by"] == "timer"]


async def test_the_timer_acts_a_stand_in_takes_turns_and_a_leaver_is_finished_by_a_bot(redis_url):
    async with served_by(redis_url) as server:
        opened = await server.open(
            bots=2, mode="turns", rounds=1, bot_delay_ms=0, action_seconds=0.3, standin_grace_seconds=0.1, seats=4
        )
        table = opened["table"]
        other = await server.sit(table)
        host, _ = await server.join(table, opened["token"])
        guest, _ = await server.join(table, other["token"])
        watching, _ = await server.join(table)
        await host.say("host", do="start")
        timed = await watching.until("event", by="timer")  # nobody touches a card
        assert timed["seat"] in {0, 3}
        turn = next(event for event in reversed(watching.events) if event["type"] == "turn_began")
        assert timed["at"] >= turn["deadline"] or turn["at"] == timed["at"]
        await guest.close()
        assert (await watching.event("standin_started"))["seat"] == 3
        _, welcome = await server.join(table, other["token"])
        assert welcome["seat"] == 3
        assert welcome["view"]["turn"] is not None or welcome["view"]["phase"] != "playing"
        assert (await watching.event("standin_ended"))["seat"] == 3
        back = await host.say("leave")
        assert (await host.until("reply", id=back))["ok"]
        await watching.event("game_ended", why="rounds")
        events = await judged(server, table, watching)
    assert [event["seat"] for event in events if event["type"] == "seat_freed"] == [0]
    for event in events:
        if event["type"] in {"played", "passed"} and event["by"] == "timer":
            last = [one for one in events if one["type"] == "turn_began" and one["seq"] < event["seq"]][-1]
            assert event["seat"] == last["seat"]
            assert event["at"] >= last["deadline"], event


@pytest.mark.parametrize("ruleset, order, least", [("presi", SPANISH, 0), ("house", FRENCH, 1)])
async def test_a_game_to_a_target_over_sockets_with_the_rulesets_exchange(redis_url, ruleset, order, least):
    async with served_by(redis_url) as server:
        opened = await server.open(ruleset=ruleset, target=3, bot_delay_ms=0)
        table = opened["table"]
        assert (await server.get(f"/api/tables/{table}"))["mode"] == "turns"
        tokens = [opened["token"], (await server.sit(table))["token"]]
        clients = [(await server.join(table, token, (MSGPACK, JSON)[n]))[0] for n, token in enumerate(tokens)]
        for _ in range(2):
            assert (await clients[0].ask("host", do="add_bot", level="hard"))["ok"]
        watching, _ = await server.join(table)
        players = [Player(client, seat, order=order) for seat, client in enumerate(clients)]
        for player in players:
            player.least = least
        async with asyncio.TaskGroup() as running:
            for player in players:
                running.create_task(player.run())
            await clients[0].say("host", do="start")
            while True:
                await watching.event("round_ended")
                if (await clients_next(watching))["type"] == "game_ended":
                    break
                await clients[0].say("host", do="next_round")
        events = await judged(server, table, watching)
    kinds = {event["type"] for event in events}
    assert {"exchange_opened", "given", "exchange_closed", "game_ended"} <= kinds
    assert not [event for event in events if event["type"] == "given" and event["by"] == "timer"]


async def clients_next(watching: Client) -> dict:
    """The event behind `round_ended`, if there is one in the same decision."""
    pong = await watching.say("ping")
    while True:
        message = await watching.next()
        if message["t"] == "event":
            return message
        if message["t"] == "pong" and message["id"] == pong:
            return {"type": None}


async def test_presi_waits_for_a_lost_person_and_goes_on_when_it_is_back(redis_url):
    async with served_by(redis_url) as server:
        opened = await server.open(ruleset="presi", bots=2, bot_delay_ms=0, action_seconds=1)
        table = opened["table"]
        host, _ = await server.join(table, opened["token"])
        watching, _ = await server.join(table)
        await host.say("host", do="start")
        await watching.event("turn_began", seat=0)
        await host.close()
        lost = await watching.event("connection_lost", seat=0)
        assert lost["deadline"] is None
        assert lost["until"] == lost["at"] + 60_000
        host, welcome = await server.join(table, opened["token"])
        back = await watching.event("connection_back", seat=0)
        assert back["deadline"] == back["at"] + 1_000
        assert (welcome["view"]["turn"], welcome["view"]["deadline"]) in {(0, None), (0, back["deadline"])}
        assert (await watching.event("played", seat=0))["by"] == "timer"
        assert not [event for event in watching.events if event["type"] == "standin_started"]
