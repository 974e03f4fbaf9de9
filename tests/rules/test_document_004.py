"""RULES 5 and document 004, Escoria: its examples, its ranks and points, its variations."""

import pytest

from rapid.engine import events as ev
from rapid.engine import intents as do
from tests.rules.table import dealt, in_exchange, seated, started


def escoria(*hands, leader=0, mode="turns", **fields):
    return dealt(*hands, ruleset="escoria", mode=mode, leader=leader if mode == "turns" else None, **fields)


def answer(led, cards, *, others="", **options):
    """Why seat 1 may not answer so, None if it may."""
    hands = (f"{led} 4C", f"{cards} {others} 5C", "6C 7C", "8C 9C")
    return escoria(*hands, options=options).play(0, led).play(1, cards).why


# "Se puede superar una sola carta con otra carta simple de mayor valor. Los conjuntos de cartas sólo pueden ser
# vencidos por conjuntos de igual número de rango superior."
@pytest.mark.parametrize(
    "led, cards, why",
    [
        ("7S", "9S", None),
        ("7S", "7H", "too_weak"),
        ("7S", "6H", "too_weak"),
        ("7S", "9S 9H", "wrong_count"),
        ("7S 7H", "9S 9H", None),
        ("7S 7H", "9S", "wrong_count"),
        ("AS", "2S", None),
        ("2S", "AS", "too_weak"),
    ],
)
def test_5_1_strictly_higher_same_count(led, cards, why):
    assert answer(led, cards) == why


# "por ejemplo, un solo 7 puede ser vencido por un par de 9s"
@pytest.mark.parametrize(
    "led, cards, higher, any_",
    [
        ("7S", "9S 9H", None, None),
        ("7S", "5S 5H", "refused", None),
        ("7S", "7H 7D", "refused", None),
        ("7S 7H", "9S", "refused", "refused"),
        ("7S 7H", "9S 9H 9D", None, None),
        ("2S", "3S 3H", "refused", None),
    ],
)
def test_5_5_larger_sets(led, cards, higher, any_):
    assert (answer(led, cards, larger_sets="higher") is None) == (higher is None)
    assert (answer(led, cards, larger_sets="any") is None) == (any_ is None)
    assert answer(led, cards) is not None


def test_5_5_the_larger_set_then_sets_the_count():
    table = escoria("7S 4C", "9S 9H 5C", "TS QS QH", "8C 8D", options={"larger_sets": "higher"})
    table.play(0, "7S").play(1, "9S 9H")
    assert table.play(2, "TS").why is not None
    assert table.play(2, "QS QH").why is None


# "un par de 8s puede ser vencido por otro par de 8s" - "o un par de mayor rango".
@pytest.mark.parametrize("cards", ["8D 8C", "9S 9H"])
def test_5_5_equal(cards):
    assert answer("8S 8H", cards, equal=True) is None


# "después de que se haya jugado un rango igual, se salte al siguiente jugador"
def test_5_5_skip_next():
    table = escoria("8S 4C", "8H 5C", "TS QS", "JS 9D", options={"equal": True, "skip_next": True})
    table.play(0, "8S").play(1, "8H")
    assert table.types == "played skipped turn_began"
    assert (table.the(ev.Skipped).seat, table.turn) == (2, 3)


# "Si sólo hay dos jugadores, el jugador que ha jugado el rango igual vuelve a jugar."
def test_5_5_skip_next_with_two_left_the_same_leads():
    table = escoria("3S 8S 4C", "3H", "3D", "8H 9D 9C", options={"equal": True, "skip_next": True}, leader=1)
    table.play(1, "3H").passes(2, 3, 0)
    assert table.turn == 2
    table.play(2, "3D").passes(3, 0)
    assert table.turn == 3
    table.play(3, "8H").play(0, "8S")
    assert table.types == "played skipped trick_closed trick_opened turn_began"
    assert (table.closing, table.turn) == ("passed", 0)


# "cuando un jugador juega un cuatro del mismo palo se invierten las reglas"
FOURS = ("7S 7H 7D 7C 9S 3C", "5S 5H 5D 5C TS", "6S 6H 6D 6C JS", "8S 8H 8D 8C 2S")


def test_5_5_turning_order():
    table = escoria(*FOURS, options={"turning": "order"}).play(0, "7S 7H 7D 7C")
    assert table.the(ev.Played).revolution is True
    assert table.play(1, "5S 5H 5D 5C").the(ev.Played).revolution is False
    assert table.play(2, "6S 6H 6D 6C").the(ev.Played).revolution is True
    assert table.play(3, "8S 8H 8D 8C").why == "too_weak"


# "Tanto el sentido del juego como el rango de las cartas se invierten."
def test_5_5_turning_run_turns_the_direction_too():
    table = escoria(*FOURS, options={"turning": "run", "equal": True}).play(0, "7S 7H 7D 7C")
    order = table.the(ev.Played).order
    start = order.index(0)
    assert [*order[start:], *order[:start]] == [0, 3, 2, 1]
    assert table.turn == 3


# "cada jugador, secuencialmente, juega un solo de la misma carta comienza una revolución"
def test_5_5_turning_run_by_four_singles():
    table = escoria("7S 4C", "7H 5C", "7D 6C", "7C 9C", options={"turning": "run", "equal": True})
    for seat, card in enumerate(("7S", "7H", "7D", "7C")):
        table.play(seat, card)
    assert table.the(ev.Played).revolution is True
    assert table.turn == 2


# "Un as gana a cualquier cosa, pero cualquier cosa también gana a un as." A 2 3 4 … Q K A, strongest first.
@pytest.mark.parametrize(
    "led, cards, is_legal",
    [
        ("2S", "AS", True),
        ("AS", "KS", True),
        ("KS", "AS", True),
        ("3S", "2S", True),
        ("2S", "3S", False),
        ("9S", "8S", True),
        ("8S", "9S", False),
        ("AS AH", "KS", False),
    ],
)
def test_5_5_while_turned_an_ace_beats_all_and_is_beaten_by_all(led, cards, is_legal):
    hands = (f"7S 7H 7D 7C {led} 4C", "5C TH", "6C TD", f"{cards} 5H 5D")
    table = escoria(*hands, options={"turning": "run", "equal": True}).play(0, "7S 7H 7D 7C").passes(3, 2, 1)
    assert (table.play(0, led).play(3, cards).why is None) is is_legal


# "Los comodines pueden jugarse como una carta alta que gana a todas las demás."
@pytest.mark.parametrize(
    "led, cards, why",
    [
        ("2S", "*1", None),
        ("*1", "2S", "too_weak"),
        ("2S 2H", "*1", "wrong_count"),
        ("2S 2H", "*1 *2", None),
        ("*1", "*2", None),
    ],
)
def test_5_5_jokers(led, cards, why):
    table = started(4, ruleset="escoria", options={"jokers": table_jokers()})
    assert {"*1", "*2"} <= set(table.state.rules.deck.names)
    assert answer(led, cards, jokers=table_jokers()) == why


def table_jokers():
    """What switches the two jokers on."""
    offered = {option.name: option for option in seated(2, ruleset="escoria").state.rules.ruleset.options}
    return True if offered["jokers"].type == "boolean" else 2


# "El dos es la carta más alta y la más baja, el dos gana a todo y todo gana a un dos."
@pytest.mark.parametrize(
    "led, cards, why",
    [
        ("2S", "3S", None),
        ("AS", "2S", None),
        ("2S", "2H", None),
        ("2S 2H", "3S 3H", None),
        ("2S 2H", "3S", "wrong_count"),
    ],
)
def test_5_5_two_high_low(led, cards, why):
    assert answer(led, cards, two_high_low=True) == why


# "si se utiliza un par de treses para vencer a un par de reinas, el siguiente jugador debe vencer a un par de reinas"
@pytest.mark.parametrize("cards, why", [("JS JH", "too_weak"), ("QD QC", "too_weak"), ("KS KH", None)])
def test_5_5_transparent_threes(cards, why):
    hands = ("QS QH 4C", "3S 3H 5C", f"{cards} 6C", "8C 9C")
    table = escoria(*hands, options={"transparent_threes": True}).play(0, "QS QH").play(1, "3S 3H")
    assert table.types == "played turn_began"
    assert table.play(2, cards).why == why


def test_5_5_a_three_led_is_a_three():
    table = escoria("3S 4C", "4S 5C", "6C 7C", "8C 9C", options={"transparent_threes": True}).play(0, "3S")
    assert table.play(1, "4S").why is None


def test_5_5_transparent_threes_never_count_as_equal():
    options = {"transparent_threes": True, "equal": True, "skip_next": True}
    table = escoria("QS 4C", "3S 5C", "6C KC", "8C 9C", options=options).play(0, "QS").play(1, "3S")
    assert table.types == "played turn_began"


# Rounds, ranks, points


ROLES = {
    4: ["president", "vice_president", "vice_scum", "scum"],
    5: ["president", "vice_president", "neutral", "vice_scum", "scum"],
    6: ["president", "vice_president", "upper_neutral", "lower_neutral", "vice_scum", "scum"],
    7: ["president", "vice_president", "upper_neutral", "neutral", "lower_neutral", "vice_scum", "super_scum"],
}


def round_over(seats=4, **fields):
    """Seats finish in order: 0 is President."""
    hands = [f"{rank}S" for rank in "345678"[: seats - 1]] + ["KS KH"]
    table = escoria(*hands, **fields)
    for seat in range(seats - 1):
        table.play(seat, hands[seat])
    return table


@pytest.mark.parametrize("seats", [4, 5, 6, 7])
def test_5_3_roles_and_points(seats):
    ended = round_over(seats).the(ev.RoundEnded)
    assert [ended.roles[str(seat)] for seat in range(seats)] == ROLES[seats]
    assert [ended.points[str(seat)] for seat in range(seats)] == [2, 1, *[0] * (seats - 4), -1, -2]


def test_5_3_target():
    assert round_over(target=2).the(ev.GameEnded).why == "target"
    assert round_over(target="none").types == "played finished trick_closed round_ended"


def test_5_3_without_target_the_host_ends_it_and_the_leaders_win():
    table = round_over(target="none").send(do.EndGame(seat=0))
    assert (table.the(ev.GameEnded).why, table.the(ev.GameEnded).winners) == ("ended", (0,))


# "el Presidente a la cabeza y el VP a la izquierda … o simplemente jugar en el orden de rango desde los asientos
# originales"; "El jugador a la izquierda del repartidor comienza."
STANDINGS = (2, 0, 3, 1)


@pytest.mark.parametrize("dealer, leader", [("president", 0), ("scum", 2)])
def test_5_2_rank_order_and_who_leads_5_1(dealer, leader):
    table = in_exchange(STANDINGS, ruleset="escoria", options={"dealer": dealer})
    assert table.the(ev.Dealt).order == STANDINGS
    assert table.view(None).order == STANDINGS
    table.ran_out().ran_out()
    assert table.turn == leader
    table.ran_out()
    assert table.turn == STANDINGS[(STANDINGS.index(leader) + 1) % 4]


# "La escoria da su carta más alta al Presidente y éste le da a cambio cualquier carta que no quiera."
def test_5_4_exchange():
    hands = {0: "3S 4S", 1: "5S 6S", 2: "7S 8S", 3: "AS AH 9S"}
    table = in_exchange((0, 1, 2, 3), hands, ruleset="escoria").give(3, "9S")
    assert table.why == "wrong_cards"
    assert table.give(3, "AH").types == "given exchange_closed exchange_opened"
    assert table.give(0, "3S").types == "given exchange_closed trick_opened turn_began"
    assert (table.hand(0), table.hand(3)) == ({"4S", "AH"}, {"3S", "AS", "9S"})


def test_7_reseat_and_skip_next_are_refused_in_a_race():
    table = seated(4, ruleset="escoria")
    for options in ({"reseat": True}, {"equal": True, "skip_next": True}):
        table.send(do.ChangeSettings(seat=0, fields={"mode": "rapid", "options": options}))
        assert table.why == "bad_settings"
