"""Logs and transcripts broken by hand: judges that miss one of these are worth nothing."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from loadtests.judges import Case, Transcript, judge

Events = list[dict[str, Any]]
Messages = list[tuple[int, dict[str, Any]]]


def missed(case: Case) -> list[str]:
    """Return which of the breaks of this clean case the judges do not find."""
    return [name for name, break_ in BREAKS.items() if not judge(break_(case))]


def _log(edit: Callable[[Events], None]) -> Callable[[Case], Case]:
    def break_(case: Case) -> Case:
        log = copy.deepcopy(list(case.log))
        edit(log)  # type: ignore[arg-type]
        return replace(case, log=log)

    return break_


def _transcript(edit: Callable[[Messages], None]) -> Callable[[Case], Case]:
    """Break what the first seat was sent in its longest connection."""

    def break_(case: Case) -> Case:
        chosen = max((one for one in case.transcripts if one.seat == 0), key=lambda one: len(one.received))
        received: Messages = copy.deepcopy(list(chosen.received))  # type: ignore[arg-type]
        edit(received)
        broken: Transcript = replace(chosen, received=received)
        return replace(case, transcripts=[broken if one is chosen else one for one in case.transcripts])

    return break_


def _nth(log: Events, kind: str, **fields: Any) -> int:
    found = [
        place
        for place, event in enumerate(log)
        if event["type"] == kind and all(event.get(name) == value for name, value in fields.items())
    ]
    return found[len(found) // 2]


def _number(log: Events) -> None:
    for seq, event in enumerate(log, 1):
        event["seq"] = seq


def _lose_a_play(log: Events) -> None:
    del log[_nth(log, "played", by="person")]


def _lose_a_play_and_hide_it(log: Events) -> None:
    del log[_nth(log, "played", by="person")]
    _number(log)


def _double_a_play(log: Events) -> None:
    place = _nth(log, "played", by="person")
    log.insert(place + 1, copy.deepcopy(log[place]))
    _number(log)


def _swap_two(log: Events) -> None:
    place = _nth(log, "played", by="person")
    log[place], log[place - 1] = log[place - 1], log[place]
    _number(log)


def _change_a_card(log: Events) -> None:
    event = log[_nth(log, "played", by="person")]
    event["cards"] = ["3S" if event["cards"][0] != "3S" else "4S", *event["cards"][1:]]


def _rearm_on_a_pass(log: Events) -> None:
    """Everything behind a pass counts from it, and so does the timer that fires next."""
    event = log[_nth(log, "played", by="person")]
    event["deadline"] += 1_500


def _cut_the_end(log: Events) -> None:
    del log[-20:]


def _place_of(received: Messages, kind: str) -> int:
    places = [place for place, (_, message) in enumerate(received) if message.get("type") == kind]
    return places[len(places) // 2]


def _leave_out_an_event(received: Messages) -> None:
    del received[_place_of(received, "played")]


def _double_an_event(received: Messages) -> None:
    place = _place_of(received, "played")
    received.insert(place, received[place])


def _change_an_event(received: Messages) -> None:
    received[_place_of(received, "played")][1]["seat"] += 1


def _show_a_hand(received: Messages) -> None:
    _, dealt = received[_place_of(received, "dealt")]
    dealt["hands"]["1"] = ["3S"]


def _swap_a_reply(received: Messages) -> None:
    """An acknowledgement that comes before its event."""
    place = next(
        place
        for place, (_, message) in enumerate(received)
        if message["t"] == "reply" and message["ok"] and received[place - 1][1].get("seq") == message["seq"]
    )
    received[place - 1], received[place] = received[place], received[place - 1]


def _double_a_reply(received: Messages) -> None:
    place = next(place for place, (_, message) in enumerate(received) if message["t"] == "reply")
    received.insert(place, received[place])


BREAKS: dict[str, Callable[[Case], Case]] = {
    "a play is missing": _log(_lose_a_play),
    "a play is missing and the rest was numbered anew": _log(_lose_a_play_and_hide_it),
    "a play stands twice": _log(_double_a_play),
    "two events have changed places": _log(_swap_two),
    "another card was played": _log(_change_a_card),
    "a deadline was put off": _log(_rearm_on_a_pass),
    "the end is missing": _log(_cut_the_end),
    "a viewer was not sent an event": _transcript(_leave_out_an_event),
    "a viewer was sent an event twice": _transcript(_double_an_event),
    "a viewer was told of another seat": _transcript(_change_an_event),
    "a viewer was shown another's card": _transcript(_show_a_hand),
    "a reply came before its event": _transcript(_swap_a_reply),
    "a message has two replies": _transcript(_double_a_reply),
}
