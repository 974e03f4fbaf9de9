"""RULES G11: reactions, which the wire knows and the game does not."""

import json
from typing import get_args

import pytest

from rapid.engine import events as ev
from rapid.engine import intents as do
from rapid.wire.codec import JSON
from rapid.wire.messages import Malformed, React

FIXED_SET = ("👍", "👏", "😂", "😮", "😢", "😡", "🔥", "🎉")


def received(emoji):
    return JSON.receive(json.dumps({"t": "react", "id": 1, "emoji": emoji}))


@pytest.mark.parametrize("emoji", FIXED_SET)
def test_G11_the_fixed_set(emoji):
    assert received(emoji) == React(1, emoji)


@pytest.mark.parametrize("emoji", ["🐟", "👍👍", "x", ""])
def test_G11_no_other(emoji):
    assert received(emoji) == Malformed(1)


def test_G11_no_effect_on_the_game_which_knows_none():
    names = {kind.__name__ for kind in (*get_args(do.AnyIntent), *get_args(ev.AnyEvent))}
    assert {"Play", "Played"} <= names
    assert not any("react" in name.lower() for name in names)
