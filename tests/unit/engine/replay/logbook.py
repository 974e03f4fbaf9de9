"""Writes good logs for the tests of `verify`, by hand as it were: no code of the engine, none of the replay.

A `LogBook` holds a table's log and offers what may happen at it; each method writes one whole decision.
"""

import hashlib
import hmac
import itertools
import json
import random

RANKS = "3456789TJQKA2"
SUITS = "SHDC"
DECK = [rank + suit for suit in SUITS for rank in RANKS]
ROLES = {
    3: ["president", "neutral", "asshole"],
    4: ["president", "vice_president", "vice_asshole", "asshole"],
    5: ["president", "vice_president", "neutral", "vice_asshole", "asshole"],
    6: ["president", "vice_president", "neutral", "neutral", "vice_asshole", "asshole"],
}
POINTS = {"president": 3, "vice_president": 2, "neutral": 1, "vice_asshole": 0, "asshole": 0}
VARIANTS = ("revolution", "four_closes", "strongest_closes", "finish_with_two")


def settings(on=("revolution",), **changes):
    complete = {
        "ruleset": "president", "mode": "rapid", "rounds": 3, "target": None,
        "variants": {name: name in on for name in (*VARIANTS, "skip")},
        "options": {}, "seats": 6, "race_seconds": 10, "action_seconds": 30, "standin_grace_seconds": 5,
        "disconnect": "standin", "bot_level": "normal", "visibility": "private", "door": "open",
        "spectator_delay_seconds": 0,
    }  # fmt: skip
    return complete | changes


def by_strength(cards, turned=False):
    order = RANKS[::-1] if turned else RANKS
    return sorted(cards, key=lambda card: (order.index(card[0]), SUITS.index(card[1])))


class LogBook:
    def __init__(self, seats=4, on=("revolution",), seed=1, kinds=None, table="abcdefghij", most=6, **changes):
        self.rng, self.table, self.lines, self.at = random.Random(seed), table, [], 1000
        self.settings = settings(on, **changes, seats=most)
        kinds = kinds or ["bot"] * seats
        self.kinds, self.host, self.game, self.deal = {}, 0, 0, 0
        self.leaving, self.standins, self.salts = {}, set(), {}
        self.open = None
        self.emit("table_opened", settings=self.settings)
        self.commit()
        for seat, kind in enumerate(kinds):
            self.take(seat, kind)

    # --- the log -----------------------------------------------------------------------------------------------

    def emit(self, kind, /, **fields):
        fields = {name.rstrip("_"): value for name, value in fields.items()}
        # A copy: what a test changes in one line must not change another.
        self.lines.append(json.loads(json.dumps({"seq": len(self.lines) + 1, "at": self.at, "type": kind, **fields})))
        return self.lines[-1]

    def text(self, lines=None):
        header = {"log": "rapid", "v": 1, "table": self.table}
        return [json.dumps(line) for line in (header, *(self.lines if lines is None else lines))]

    def last(self, kind, **fields):
        """The latest event of that type with those fields."""
        return next(line for line in reversed(self.lines) if line["type"] == kind and fields.items() <= line.items())

    def wait(self, ms):
        self.at += ms
        return self

    # --- the table ---------------------------------------------------------------------------------------------

    def take(self, seat, kind):
        self.kinds[seat] = kind
        level = {"level": "normal"} if kind == "bot" else {}
        self.emit("seat_taken", seat=seat, name=f"Name {seat}", kind=kind, **level)

    def commit(self):
        self.deal += 1
        self.secret = self.rng.randbytes(32)
        self.salts = {}
        self.emit("committed", deal=self.deal, commit=hashlib.sha256(self.secret).hexdigest(), secret=self.secret.hex())

    def salt(self, seat):
        self.salts[seat] = self.rng.randbytes(16)
        self.emit("salted", seat=seat, deal=self.deal, salt=self.salts[seat].hex())

    def start(self):
        self.game += 1
        self.round, self.standings, self.totals = 0, [], dict.fromkeys(sorted(self.kinds), 0)
        self.emit("game_started", game=self.game, seats=sorted(self.kinds), settings=self.settings)
        self.next_round()

    def words(self, label):
        digest = hmac.new(self.key, f"{self.table}:{label}".encode(), hashlib.sha256).digest()
        return [int.from_bytes(digest[i : i + 4], "big") for i in range(0, 32, 4)]

    def next_round(self):
        self.round += 1
        seats = sorted(self.kinds)
        self.key = hashlib.sha256(self.secret + b"".join(self.salts.get(seat, b"") for seat in seats)).digest()
        self.dealt, self.dealt_secret = self.deal, self.secret
        stream = itertools.chain.from_iterable(self.words(f"{self.deal}:{i}") for i in itertools.count())
        deck = list(DECK)
        for k in range(51, 0, -1):
            j = next(word for word in stream if word < 2**32 - 2**32 % (k + 1)) % (k + 1)
            deck[k], deck[j] = deck[j], deck[k]
        order = self.standings[::-1] or seats
        self.hands = {seat: deck[order.index(seat) :: len(seats)] for seat in seats}
        self.turned, self.trick, self.clean, self.penalised, self.owes = False, 0, [], [], {}
        hands = {str(seat): list(hand) for seat, hand in self.hands.items()}
        self.emit("dealt", round=self.round, deal=self.deal, order=seats, hands=hands)
        self.commit()
        if self.standings:
            self.open_exchange()
        else:
            self.open_trick()

    # --- people ------------------------------------------------------------------------------------------------

    def connect(self, seat):
        self.emit("connection_back", seat=seat)
        if seat in self.standins:
            self.standins.remove(seat)
            self.emit("standin_ended", seat=seat)

    def disconnect(self, seat):
        self.emit("connection_lost", seat=seat)

    def stand_in(self, seat):
        self.standins.add(seat)
        self.emit("standin_started", seat=seat)

    def leave(self, seat, why="left", heir=None):
        """In a round."""
        self.leaving[seat] = why
        self.standins.discard(seat)
        self.emit("leaving", seat=seat, why=why)
        if heir is not None:
            self.emit("host_changed", seat=heir)

    def resume(self, epoch, lost_ms, deadline):
        self.at += lost_ms
        self.deadline = deadline
        self.emit("resumed", epoch=epoch, lost_ms=lost_ms, deadline=deadline)

    # --- the exchange ------------------------------------------------------------------------------------------

    def open_exchange(self):
        best = self.standings
        pairs = [(best[-1], best[0], 2)] + ([(best[-2], best[1], 1)] if len(best) > 3 else [])
        moves = []
        for low, high, count in pairs:
            ranked = sorted(self.hands[low], key=lambda card: (-RANKS.index(card[0]), SUITS.index(card[1])))
            moves.append({"from": low, "to": high, "count": count, "cards": ranked[:count]})
        for move in moves:
            self.move(move)
        self.owes = {high: (low, count) for low, high, count in pairs}
        owes = [{"from": high, "to": low, "count": count, "pick": "any"} for low, high, count in pairs]
        self.returns, self.deadline = [], self.at + self.settings["action_seconds"] * 1000
        self.emit("exchange_opened", round=self.round, moves=moves, owes=owes, deadline=self.deadline)

    def move(self, move):
        self.hands[move["from"]] = [card for card in self.hands[move["from"]] if card not in move["cards"]]
        self.hands[move["to"]] = self.hands[move["to"]] + move["cards"]

    def give(self, seat, cards=None, by=None):
        to, count = self.owes.pop(seat)
        cards = cards or by_strength(self.hands[seat])[:count]
        by = by or self.actor(seat)
        self.hands[seat] = [card for card in self.hands[seat] if card not in cards]
        self.returns.append({"from": seat, "to": to, "count": count, "cards": cards})
        self.emit("given", from_=seat, to=to, count=count, cards=cards, by=by)
        if not self.owes:
            for move in self.returns:
                self.hands[move["to"]] = self.hands[move["to"]] + move["cards"]
            self.emit("exchange_closed", round=self.round, moves=self.returns)
            self.open_trick()

    # --- the race ----------------------------------------------------------------------------------------------

    def actor(self, seat):
        if self.kinds[seat] == "bot" or seat in self.leaving:
            return "bot"
        return "standin" if seat in self.standins else "person"

    def open_trick(self):
        self.trick += 1
        self.deadline = self.at + self.settings["race_seconds"] * 1000
        self.state = self.emit("trick_opened", trick=self.trick, leader=None, deadline=self.deadline)["seq"]
        self.plays, self.passed, self.open, self.past = [], set(), True, getattr(self, "past", {})

    def in_round(self):
        return [seat for seat, hand in self.hands.items() if hand]

    def options(self, seat):
        """All ranks and counts the seat may play now, each with its first cards."""
        order = RANKS[::-1] if self.turned else RANKS
        found = []
        for rank in RANKS:
            same = [card for card in by_strength(self.hands[seat]) if card[0] == rank]
            for count in range(1, len(same) + 1):
                top = self.plays[-1][1] if self.plays else None
                if top is None or (count == len(top) and order.index(rank) >= order.index(top[0][0])):
                    found.append(same[:count])
        return [] if seat in self.passed else found

    def play(self, seat, cards, by=None):
        variants, strongest = self.settings["variants"], "3" if self.turned else "2"
        self.hands[seat] = [card for card in self.hands[seat] if card not in cards]
        if len(cards) == 4 and variants["revolution"]:
            self.turned = not self.turned
        self.deadline = self.at + self.settings["race_seconds"] * 1000
        self.past[self.state] = self.at
        self.plays.append((seat, cards))
        self.state = self.emit(
            "played", seat=seat, cards=cards, on=self.state, trick=self.trick, by=by or self.actor(seat),
            revolution=self.turned, deadline=self.deadline,
        )["seq"]  # fmt: skip
        if not self.hands[seat]:
            is_penalised = variants["finish_with_two"] and cards[0][0] == "2"
            (self.penalised if is_penalised else self.clean).append(seat)
            self.emit("finished", seat=seat, penalised=is_penalised)
        run = list(itertools.takewhile(lambda play: play[1][0][0] == cards[0][0], reversed(self.plays)))
        if len(self.in_round()) == 1:
            self.close("round_over")
        elif variants["four_closes"] and sum(len(play[1]) for play in run) == 4:
            self.close("four")
        elif variants["strongest_closes"] and cards[0][0] == strongest:
            self.close("strongest")
        else:
            self.close_if_passed()

    def close_if_passed(self):
        if all(seat in self.passed or seat == self.plays[-1][0] for seat in self.in_round()):
            self.close("passed")

    def pass_(self, seat):
        self.passed.add(seat)
        self.emit("passed", seat=seat, trick=self.trick, by=self.actor(seat))
        self.close_if_passed()

    def lose(self, seat, on):
        self.emit("race_lost", seat=seat, on=on, late_ms=self.at - self.past[on])

    def fire(self):
        """The running timer at its deadline or later."""
        self.at = max(self.at, self.deadline)
        if self.owes:
            for seat in list(self.owes):
                self.give(seat, by="timer")
        elif self.plays:
            self.close("timer")
        else:
            seats = sorted(self.in_round())
            seat = seats[self.words(f"{self.dealt}:open:{self.trick}")[0] % len(seats)]
            weakest = by_strength(self.hands[seat], self.turned)[0][0]
            self.play(seat, [card for card in by_strength(self.hands[seat]) if card[0] == weakest], by="timer")

    def close(self, why):
        self.open = False
        self.past[self.state] = self.at
        self.emit("trick_closed", trick=self.trick, why=why)
        if why == "round_over":
            self.end_round()
        else:
            self.open_trick()

    # --- ends --------------------------------------------------------------------------------------------------

    def end_round(self):
        placed = self.clean + self.in_round() + self.penalised[::-1]
        roles = dict(zip(placed, ROLES[len(placed)], strict=True))
        points = {seat: POINTS[role] for seat, role in roles.items()}
        for seat in placed:
            self.totals[seat] += points[seat]
        self.emit(
            "round_ended", round=self.round, deal=self.dealt, standings=placed, roles=text_keys(roles),
            points=text_keys(points), totals=text_keys(self.totals), secret=self.dealt_secret.hex(),
        )  # fmt: skip
        self.standings = placed
        for seat in sorted(self.leaving):
            self.free(seat, self.leaving[seat])
        self.leaving = {}
        if self.round == self.settings["rounds"]:
            self.end_game("rounds")
        elif len(self.kinds) < 3:
            self.end_game("interrupted")
            self.emit("lobby_opened")

    def free(self, seat, why="left"):
        self.emit("seat_freed", seat=seat, why=why)
        del self.kinds[seat], self.totals[seat]
        self.salts.pop(seat, None)
        self.standings = [other for other in self.standings if other != seat]

    def end_game(self, why):
        best = max(self.totals.values())
        winners = [seat for seat, total in self.totals.items() if total == best and why in {"rounds", "ended"}]
        secret = {"secret": self.dealt_secret.hex()} if self.open else {}
        self.emit("game_ended", game=self.game, why=why, winners=winners, totals=text_keys(self.totals), **secret)
        self.open = False

    # --- play by chance ----------------------------------------------------------------------------------------

    def step(self):
        """One decision by chance: a return, a play, a pass, a lost race or a timer."""
        rng = self.rng
        self.wait(rng.choice((0, 1, 40, 700)))
        if self.at >= self.deadline or rng.random() < 0.03:
            self.fire()
        elif self.owes:
            seat = rng.choice(list(self.owes))
            self.give(seat, rng.sample(self.hands[seat], self.owes[seat][1]))
        else:
            seat = rng.choice(self.in_round())
            options = self.options(seat)
            may_pass = self.plays and self.plays[-1][0] != seat and seat not in self.passed
            if options and (rng.random() < 0.7 or not may_pass):
                # Large sets and weak ranks first, so that rounds see fours and long tricks.
                self.play(seat, rng.choice(options[:4] + options[-1:]))
            elif may_pass:
                self.pass_(seat)

    def play_round(self):
        ended = self.round
        while not any(line["type"] == "round_ended" and line["round"] == ended for line in self.lines[-4:]):
            self.step()


def text_keys(values):
    return {str(seat): value for seat, value in values.items()}


def whole_game(**how):
    """A game from the opening of the table to its last round."""
    book = LogBook(**how)
    book.wait(500).start()
    while True:
        book.play_round()
        if book.lines[-1]["type"] == "game_ended":
            return book
        book.wait(2000).next_round()
