"""Seats called by name or number, so that nobody is removed by mistake."""

import pytest

from rapid_client import parse_view
from rapid_terminal.commands import Explain, Host, Mistake, parse
from rapid_terminal.status import status
from tests.unit.clients.peer import lobby, seat
from tests.unit.clients.tables import RULESETS, settings


def table(*names, **changes):
    """A lobby with these in its seats, in order; the first is the player. None: nobody."""
    taken = [seat(number, name) for number, name in enumerate(names) if name]
    return parse_view(lobby(seats=taken, order=[one["seat"] for one in taken], **changes))


BOTS = table("Ana", "Bot 2", "Bot 3", "Bo")
MOVED = table("Ana", "Cy", "Bot 2", "Bo", "bo")


def removed(number):
    return Host("remove", (("seat", number),))


@pytest.mark.parametrize(
    "view, said, number",
    [
        (BOTS, "2", 1),
        (BOTS, "#2", 1),
        (BOTS, "bot 2", 1),
        (BOTS, "BOT 3", 2),
        (BOTS, "bo", 3),  # a whole name before the beginning of others
        (MOVED, "c", 1),
        (MOVED, "Bot", 2),
        (MOVED, "#2", 1),
        (MOVED, "#3", 2),
        (MOVED, "3", 2),
        (MOVED, "4", 3),
    ],
)
def test_the_one_who_is_meant_is_removed(view, said, number):
    assert parse(f"kick {said}", view) == removed(number)


@pytest.mark.parametrize(
    "view, said, answer",
    [
        (MOVED, "2", "'2' might mean more than one: type #2 for Cy or #3 for Bot 2"),
        (MOVED, "bo", "'bo' might mean more than one: type #4 for Bo or #5 for bo"),
        (BOTS, "bot", "'bot' might mean more than one: type #2 for Bot 2 or #3 for Bot 3"),
        (BOTS, "9", "nobody here is called '9': 1. Ana, 2. Bot 2, 3. Bot 3, 4. Bo"),
        (BOTS, "#", "nobody here is called '#': 1. Ana, 2. Bot 2, 3. Bot 3, 4. Bo"),
        (BOTS, "zoe", "nobody here is called 'zoe': 1. Ana, 2. Bot 2, 3. Bot 3, 4. Bo"),
        (BOTS, "", "whom? A name, or the number before it: 1. Ana, 2. Bot 2, 3. Bot 3, 4. Bo"),
        (BOTS, "ana", "that is your own seat: leave gives it up"),
    ],
)
def test_who_might_be_meant_by_mistake_is_asked_for(view, said, answer):
    assert parse(f"kick {said}", view) == Mistake(answer)


@pytest.mark.parametrize("view", [BOTS, MOVED])
def test_every_number_that_the_lobby_shows_names_the_seat_beside_it_or_asks(view):
    for entry in status(view, None)[0].removeprefix("Lobby: ").split(" · ")[1:]:
        number, _, name = entry.partition(". ")
        command = parse(f"kick {number}", view)
        assert command == removed(int(number) - 1) or (isinstance(command, Mistake) and name in command.text)
        assert parse(f"kick #{number}", view) == removed(int(number) - 1)


HOUSE = table("Ana", "Bo", None, "Bot 4", settings=settings("house"))


@pytest.mark.parametrize(
    "said, dealer", [("bo", 1), ("2", 1), ("bot 4", 3), ("ana", 0), ("none", None), ("3", 2), ("7", 6)]
)
def test_a_setting_that_names_a_seat_takes_the_name_too(said, dealer):
    """By number also a chair that nobody has taken yet."""
    expected = Host("settings", (("settings", {"options": {"first_dealer": dealer}}),))
    assert parse(f"set first_dealer {said}", HOUSE, RULESETS) == expected


@pytest.mark.parametrize("said", ["8", "0", "zoe", "b"])
def test_no_such_seat_for_a_setting(said):
    command = parse(f"set first_dealer {said}", HOUSE, RULESETS)
    assert isinstance(command, Mistake)
    assert command.about == "first_dealer"
    assert parse("set first_dealer", HOUSE, RULESETS) == Explain("first_dealer")


@pytest.mark.parametrize("number, said", [(None, "none"), (0, "1"), (2, "3")])
def test_a_seat_in_the_settings_is_told_by_the_number_that_names_it(number, said):
    given = settings("house", options={"first_dealer": number})
    assert RULESETS.explain(given, "first_dealer")[0].startswith(f"first_dealer is {said} now")
