"""What answers what, by both readings of the rules: every rank and number on every other, whatever is set."""

import itertools
import json

import msgspec
import pytest

from rapid.engine.replay.settings import check_settings
from rapid.engine.replay.trick import Play, TrickState, is_legal
from rapid.rules.legal import answer_fault, closes_as_strongest
from rapid.rules.presets import PRESETS
from rapid.rules.settings import Settings, default_settings, rules_of
from rapid.rules.settings_check import lay_over

MATTER = {
    "deck", "three", "jokers", "joker", "turning", "must_beat", "killer", "larger_sets", "equal", "two_high_low",
    "transparent_threes",
}  # fmt: skip
COUNTS = (1, 2, 3, 4)


def values_of(option):
    if option.type == "boolean":
        return (False, True)
    return option.choices if option.type == "choice" else (option.min or 0, option.max)


def settings_of(ruleset):
    """Every table of it that the server takes, as far as answers hang on its options."""
    options = [option for option in PRESETS[ruleset].options if option.name in MATTER]
    for chosen in itertools.product(*map(values_of, options)):
        for revolution in (False, True):
            fields = {
                "ruleset": ruleset,
                "options": dict(zip([option.name for option in options], chosen, strict=True)),
                "variants": {"revolution": revolution, "strongest_closes": True},
            }
            laid = lay_over(default_settings(PRESETS["president"]), fields)
            if isinstance(laid, Settings):
                yield laid


@pytest.mark.parametrize("ruleset", PRESETS)
def test_the_engine_and_the_verifier_agree_on_every_answer(ruleset):
    tables = answers = 0
    for settings in settings_of(ruleset):
        tables += 1
        rules, book = rules_of(settings), check_settings(json.loads(msgspec.json.encode(settings)))
        has_joker_rank = rules.deck.jokers > 0 and rules.wild is None
        ranks = [*rules.deck.ranks, *(("*",) if has_joker_rank else ())]
        for is_turned in (False, True) if rules.revolution else (False,):
            strongest = [name for n, name in enumerate(ranks) if closes_as_strongest(rules, n, reversed_=is_turned)]
            assert strongest == [book.deck.strongest(is_turned=is_turned)], (settings, is_turned)
            for (top, top_rank), (n, rank) in itertools.product(enumerate(ranks), repeat=2):
                for top_count, count in itertools.product(COUNTS, repeat=2):
                    fault = answer_fault(rules, (top, top_count), n, count, reversed_=is_turned)
                    on = TrickState(Play(0, cards_of(book, top_rank, top_count), top_rank), is_turned, frozenset())
                    cards = cards_of(book, rank, count)
                    if cards != (book.killer,):
                        assert (fault is None) == is_legal(book, on, cards), (settings, on, cards, fault)
                        answers += 1
    assert tables
    assert answers > 2_000 * tables


def cards_of(book, rank, count):
    """So many of a rank; with one card never the one that kills."""
    if rank == "*":
        return tuple(f"*{n + 1}" for n in range(count))
    return tuple(rank + suit for suit in reversed(book.deck.suits))[:count]
