import ssl

import pytest

from rapid.errors import ConfigError
from rapid.store.address import Address, parse_address


@pytest.mark.parametrize(
    "url, address",
    [
        ("redis://", Address()),
        ("redis://h", Address(host="h")),
        ("redis://u:p%40@h:1/2", Address(host="h", port=1, database=2, username="u", password="p@")),
        ("redis://:p@h", Address(host="h", password="p")),
        ("unix:///a/b.sock", Address(path="/a/b.sock")),
        ("unix://u:p@/a/b%20c.sock?db=3", Address(path="/a/b c.sock", database=3, username="u", password="p")),
    ],
)
def test_addresses_are_read(url: str, address: Address):
    assert parse_address(url) == address


@pytest.mark.parametrize("url", ["", "localhost:6379", "http://h", "redis://h:port"])
def test_other_addresses_are_told_to_the_person(url: str):
    with pytest.raises(ConfigError):
        parse_address(url)


def test_tls_is_checked_unless_told_otherwise():
    checked, unchecked = parse_address("rediss://h").tls, parse_address("rediss://h?ssl_cert_reqs=none").tls
    assert checked is not None
    assert checked.verify_mode is ssl.CERT_REQUIRED
    assert checked.check_hostname
    assert unchecked is not None
    assert unchecked.verify_mode is ssl.CERT_NONE
    assert parse_address("redis://h").tls is None
