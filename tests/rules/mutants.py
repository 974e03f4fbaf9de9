"""For each clause a change of one line that switches it, or a part of it, off.

`old` stands once in the file, or is its first place behind `after`.
"""

from __future__ import annotations

from typing import NamedTuple


class Mutant(NamedTuple):
    """A clause (`part`: of which of its options), the file under `rapid/`, and what stands there instead of what."""

    clause: str
    file: str
    old: str
    new: str
    part: str = ""
    after: str = ""

    def applied(self, text: str) -> str:
        """Return the file's text with the clause switched off; raises `ValueError` where `old` is not found."""
        head, anchor, rest = text.partition(self.after) if self.after else ("", "", text)
        if (self.after and not anchor) or self.old not in rest or (not self.after and rest.count(self.old) > 1):
            raise ValueError(f"{self.clause} {self.part}: {self.old!r} is not to be found in {self.file}")
        return head + anchor + rest.replace(self.old, self.new, 1)


RACE, TRICKS, ROUNDS = "engine/decide/race.py", "engine/decide/tricks.py", "engine/decide/rounds.py"
SEATS, HOST, TIMERS = "engine/decide/seats.py", "engine/decide/host.py", "engine/timers.py"
STATE = "engine/state.py"
EXCHANGE, DECIDER = "engine/decide/exchange.py", "engine/decide/decider.py"
PLAYED, GAMES = "engine/evolve/tricks.py", "engine/evolve/games.py"
LEGAL, TURNS, SCORING = "rules/legal.py", "rules/turns.py", "rules/scoring.py"
TRADES, STANDIN = "rules/exchange.py", "rules/standin.py"
PRESETS, OPTIONS, SETTINGS, EXCLUSIONS = (
    "rules/presets.py", "rules/options.py", "rules/settings.py", "rules/exclusions.py",
)  # fmt: skip
PRESI, HOUSE, ESCORIA = 'name="presi"', 'name="house"', 'name="escoria"'

PRESIDENT_MUTANTS = (
    Mutant("C1", PRESETS, "seats_max=6", "seats_max=7", after='name="president"'),
    Mutant("C2", PRESETS, "strength=tuple(range(13))", "strength=(*range(11), 12, 11)", after='name="president"'),
    Mutant("C3", SCORING, "return tuple(reversed(standings)) if standings else tuple(order)", "return tuple(order)"),
    Mutant("P1", LEGAL, "if by < 0 or (by == 0", "if by < -1 or (by == 0"),
    Mutant("P2", "cards/combination.py", "return None if cards & ~(RANK_MASK << (4 * rank)) else rank", "return rank"),
    Mutant("P3", RACE, "if intent.on == opened:", "if False:"),
    Mutant("P4", PLAYED, "passed=trick.passed if state.rules.passing is Passing.BINDS else 0", "passed=0"),
    Mutant("P5", RACE, "return round_.holding & (round_.holding - 1) == 0", "return round_.holding == 0"),
    Mutant("P6", RACE, "fault = _fault(state, trick, round_, intent.seat, play)", "fault = None"),
    Mutant("P7", TURNS, "if holding >> last_player & 1:", "if False:"),
    Mutant("R1", RACE, "if trick.passed >> seat & 1:", "if trick.passed >> seat & 1 or seat == trick.last_player:"),
    Mutant("R2", RACE, "is_present = trick is not None and intent.on == trick.state", "is_present = trick is not None"),
    Mutant("R3", RACE, "if trick is None or round_ is None or not is_present:", "if trick is None or round_ is None:"),
    Mutant("R4", RACE, "if past.lost >> intent.seat & 1:", "if False:"),
    Mutant("R5", RACE, "if intent.seat == trick.last_player:", "if False:"),
    Mutant("R6", RACE, "round_.holding & ~(1 << trick.last_player) & ~trick.passed", "round_.holding & ~trick.passed"),
    Mutant("R7", RACE, 'if trick.top is not None:\n        close_trick(draft, "timer")', "if False:"),
    Mutant("R8", RACE, "else draft.at + rules.race_ms", "else state.deadline"),
    Mutant("R9", TIMERS, "if first is None or first[0] > at:", "if first is None or first[0] >= at:"),
    Mutant("R10", EXCLUSIONS, 'Side("variants", "skip", values=(True,))', 'Side("variants", "skip", values=())'),
    Mutant("T1", PRESETS, 'lead_card="QH"', 'lead_card="3S"'),
    Mutant("T2", PRESETS, "lead_later=Lead.LAST", "lead_later=Lead.FIRST", after='name="president"'),
    Mutant("T3", TURNS, "if in_trick >> seat & 1:", "if True:"),
    Mutant("T4", TURNS, "if seat == last_player:", "if False:"),
    Mutant("T5", RACE, "if choice is None:", "if trick.top is not None:"),
    Mutant("T6", SEATS, "return UNSET\n    if has_own_timer", "return at + rules.action_ms\n    if has_own_timer"),
    Mutant("V1", LEGAL, "return rules.revolution and (", "return False and ("),
    Mutant("V2", LEGAL, "if rules.four_closes and run >= FOUR:", "if False:"),
    Mutant("V3", LEGAL, "return rules.strongest_closes and", "return False and"),
    Mutant("V4", RACE, "penalised = rules.finish_with_two and", "penalised = False and"),
    Mutant("V5", TRICKS, "if state.rules.skips is Skips.UNABLE and", "if False and"),
    Mutant("V6", LEGAL, "if rules.four_closes and run >= FOUR:", "if run >= FOUR and not rules.strongest_closes:"),
    Mutant("L1", SCORING, "return (*clean, left, *reversed(penalised))", "return (*clean, left, *penalised)"),
    Mutant("L2", PRESETS, '"vice_president": 2, "neutral": 1', '"vice_president": 2, "neutral": 0'),
    Mutant("X1", ROUNDS, "if trades_of(ruleset, state.standings):", "if False:"),
    Mutant("X2", TRADES, "sign = -1 if best else 1", "sign = 1"),
    Mutant("X3", TRADES, "Duty(trade.upper, trade.lower, trade.count, ANY)", "Duty(trade.upper, trade.lower, 1, ANY)"),
    Mutant("X4", GAMES, "order=event.order,", "order=event.order,\n        revolution=event.round > 1,"),
    Mutant("G1", HOST, "if _has_too_few(draft.state):", "if False:"),
    Mutant("G2", HOST, 'NextRound: ("results",)', 'NextRound: ("results", "final")'),
    Mutant("G3", SCORING, "for seat, total in totals.items() if total == best))", "in list(totals.items())[:1]))"),
    Mutant("G4", HOST, '"ended" if draft.state.rules.is_endless else "stopped"', '"ended"'),
    Mutant("G5", HOST, "results.why not in WINNING_ENDS", "not results.why"),
    Mutant("G6", TIMERS, "+ state.rules.grace_ms, STANDIN", "+ 0, STANDIN"),
    Mutant("G7", SEATS, "if draft.state.phase in (IN_GAME if keeps_group else IN_ROUND):", "if False:"),
    Mutant("G8", ROUNDS, "if len(draft.state.seats) < draft.state.rules.ruleset.seats_min:", "if False:"),
    Mutant("G9", SEATS, "longest = min(", "longest = max("),
    Mutant("G10", SEATS, 'JOINABLE = ("lobby", "final")', 'JOINABLE = ("lobby", "final", "results")'),
    Mutant("G11", "wire/fields.py", '_one_of(fields, "emoji", EMOJI)', 'str(fields["emoji"])'),
)

PRESI_MUTANTS = (
    Mutant("3.1", PRESETS, '"12", "1", "2")', '"12", "2", "1")'),
    Mutant("3.2", SCORING, "first = (number - 1) % len(order)", "first = 0"),
    Mutant("3.3", PRESETS, 'lead_card="3O"', 'lead_card="3C"'),
    Mutant("3.4", PRESETS, "equal_skips=True", "equal_skips=False", after=PRESI),
    Mutant("3.5", PRESETS, "has_killer=True", "has_killer=False", after=PRESI),
    Mutant("3.6", PRESETS, 'default="binds"', 'default="free"', after=PRESI),
    Mutant("3.7", PRESETS, "finish_closes=True", "finish_closes=False", after=PRESI),
    Mutant("3.8", PRESETS, "shares_win=False", "shares_win=True", after=PRESI),
    Mutant("3.9", TRADES, "if duty.pick == ANY:", "if True:"),
    Mutant("3.10", STATE, "WAIT_MS = 60_000", "WAIT_MS = 30_000"),
    Mutant("3.11", SEATS, "for n in range(state.settings.seats)", "for n in range(3)"),
    Mutant("6", OPTIONS, '"deck": lambda name: DECKS[name]', '"deck": lambda name: {}', "deck"),
    Mutant("6", OPTIONS, 'place == "below_two"', "False", "three"),
    Mutant("6", OPTIONS, "BOTH_JOKERS if jokers is True else int(jokers)", "0", "jokers"),
    Mutant("6", OPTIONS, 'kind == "wild"', "False", "joker"),
    Mutant("6", OPTIONS, "_when_on(wild_twos=True)", "_when_on()", "wild_twos"),
    Mutant("6", OPTIONS, "Turning(which)", "Turning.OFF", "turning"),
    Mutant("6", SETTINGS, "in (Turning.RUN, Turning.ORDER_AND_DIRECTION)", "is Turning.RUN", "direction"),
    Mutant("6", OPTIONS, "_when_on(answer=Answer.HIGHER, equal_skips=False)", "_when_on()", "must_beat"),
    Mutant("6", OPTIONS, '{} if is_on else {"has_killer": False}', "{}", "killer"),
    Mutant("6", OPTIONS, '{"passing": Passing(passing)}', "{}", "passing"),
    Mutant("6", OPTIONS, 'if style == "one_free"', "if False", "exchange"),
    Mutant("6", OPTIONS, 'if place == "president"', "if False", "leader"),
)

HOUSE_MUTANTS = (
    Mutant("4.1", PRESETS, "answer=Answer.HIGHER", "answer=Answer.EQUAL_OR_HIGHER", after=HOUSE),
    Mutant("4.2", SCORING, "order[(first + number - 1) % len(order)]", "order[first]"),
    Mutant("4.3", PRESETS, "passing=Passing.FREE", "passing=Passing.BINDS", after=HOUSE),
    Mutant("4.4", PRESETS, "exchange=ExchangeStyle.STEPS", "exchange=ExchangeStyle.TAKEN", after=HOUSE),
    Mutant("4.5", PRESETS, '"vice_president": 1', '"vice_president": 0', after=HOUSE),
    Mutant("4.6", OPTIONS, "_when_on(passing=Passing.BINDS)", "_when_on()", "sit_out"),
    Mutant("4.6", OPTIONS, "_when_on(swaps=(), lead_later=Lead.DEALERS_LEFT)", "_when_on()", "fresh_hands"),
    Mutant("4.6", OPTIONS, "_when_on(fixed_rounds=3)", "_when_on(fixed_rounds=4)", "three_deals"),
    Mutant("4.7", PRESETS, "keeps_group=True", "keeps_group=False", after=HOUSE),
)

ESCORIA_MUTANTS = (
    Mutant("5.1", PRESETS, "answer=Answer.HIGHER", "answer=Answer.EQUAL_OR_HIGHER", after=ESCORIA),
    Mutant("5.1", OPTIONS, '{"dealer": Dealer(dealer)}', "{}", "dealer"),
    Mutant("5.1", OPTIONS, '{"first_dealer": seat}', "{}", "first_dealer"),
    Mutant("5.2", PRESETS, "order_by_rank=True", "order_by_rank=False", after=ESCORIA),
    Mutant("5.2", OPTIONS, '"reseat": lambda _is_on: {}', '"reseat": _when_on(order_by_rank=False)', "reseat"),
    Mutant("5.3", PRESETS, '"vice_scum": -1', '"vice_scum": 0', after=ESCORIA),
    Mutant("5.3", SETTINGS, 'if settings.target == "none":', "if False:", "50 rounds"),
    Mutant("5.4", PRESETS, "swaps=(Swap(depth=0, count=1),)", "swaps=()", after=ESCORIA),
    Mutant("5.5", LEGAL, "if larger_sets is LargerSets.OFF or more < 0:", "if True:", "larger_sets"),
    Mutant("5.5", LEGAL, "if larger_sets is LargerSets.HIGHER and by <= 0", "if by <= 0", "larger_sets: any"),
    Mutant("5.5", OPTIONS, "_when_on(answer=Answer.EQUAL_OR_HIGHER)", "_when_on()", "equal"),
    Mutant("5.5", OPTIONS, "_when_on(equal_skips=True)", "_when_on()", "skip_next"),
    Mutant("5.5", OPTIONS, "Turning(which)", "Turning.OFF", "turning"),
    Mutant("5.5", LEGAL, "(singles == FOUR and rules.turns_with_run)", "False", "turning: run of singles"),
    Mutant("5.5", SETTINGS, "if ruleset.turning is Turning.RUN:  #", "if False:  #", "turning: the ace"),
    Mutant(
        "5.5", RACE, "if turns and rules.turns_direction", "if False and rules.turns_direction", "turning: direction"
    ),
    Mutant("5.5", OPTIONS, "BOTH_JOKERS if jokers is True else int(jokers)", "0", "jokers"),
    Mutant("5.5", OPTIONS, "_when_on(two_high_low=True)", "_when_on()", "two_high_low"),
    Mutant("5.5", OPTIONS, "_when_on(transparent_threes=True)", "_when_on()", "transparent_threes"),
    Mutant("5.6", LEGAL, "if rules.over_all[reversed_] >> rank & 1 or", "if", "powers"),
    Mutant("5.6", LEGAL, "or rules.under_all[reversed_] >> top_rank & 1:", ":", "what all beat"),
)

OUR_OWN_MUTANTS = (
    Mutant("7", PLAYED, "passed=trick.passed if state.rules.passing is Passing.BINDS else 0", "passed=trick.passed"),
    Mutant("7", RACE, "(not binds or all(past.state != intent.on for past in trick.past))", "False", "stale passes"),
    Mutant("7", EXCLUSIONS, '_option("leader", "president"), _RAPID', '_option("leader"), _RAPID', "refused by name"),
    Mutant("8", STANDIN, "return ranks[0], of_rank(hand, ranks[0])", "return ranks[-1], of_rank(hand, ranks[-1])"),
)

MUTANTS = (*PRESIDENT_MUTANTS, *PRESI_MUTANTS, *HOUSE_MUTANTS, *ESCORIA_MUTANTS, *OUR_OWN_MUTANTS)
