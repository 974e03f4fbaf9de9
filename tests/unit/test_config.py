"""Options from the environment."""

from pathlib import Path

import pytest

from rapid.config import Limits, ServerOptions, StoreOptions, from_environment
from rapid.errors import ConfigError


def test_nothing_set_means_the_defaults():
    assert from_environment(Limits, {}) == Limits()
    assert from_environment(StoreOptions, {"RAPID_REDIS": ""}) == StoreOptions()
    assert ServerOptions().port == 8080


def test_every_field_can_be_set_by_its_name():
    environ = {
        "RAPID_REDIS": "redis://10.0.0.1:6379/0",
        "RAPID_DATA": "/var/lib/rapid",
        "RAPID_FSYNC": "always",
        "RAPID_SHARDS": "16",
    }
    assert from_environment(StoreOptions, environ) == StoreOptions(
        redis="redis://10.0.0.1:6379/0", data=Path("/var/lib/rapid"), fsync="always", shards=16
    )
    assert from_environment(Limits, {"RAPID_INTENTS_PER_SECOND": "2.5"}).intents_per_second == 2.5
    assert from_environment(ServerOptions, {"RAPID_DEV": "true"}).dev is True


def test_a_list_is_written_with_commas():
    environ = {"RAPID_ORIGINS": "https://a.example, https://b.example:8443,"}
    assert from_environment(ServerOptions, environ).origins == ("https://a.example", "https://b.example:8443")


def test_what_is_given_wins():
    assert from_environment(ServerOptions, {"RAPID_PORT": "1"}, {"port": 2}).port == 2


@pytest.mark.parametrize(
    "kind,variable,text",
    [
        (ServerOptions, "RAPID_PORT", "eighty"),
        (ServerOptions, "RAPID_DEV", "perhaps"),
        (StoreOptions, "RAPID_FSYNC", "sometimes"),
        (Limits, "RAPID_MESSAGES_BURST", "4096.5"),
    ],
)
def test_a_bad_value_is_refused_with_the_name_of_its_variable(kind, variable, text):
    with pytest.raises(ConfigError, match=f"{variable}='{text}'"):
        from_environment(kind, {variable: text})
