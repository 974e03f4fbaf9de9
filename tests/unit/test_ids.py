"""Names and secrets (PROTOCOL section 1)."""

import re

import pytest

from rapid import ids


def test_table_ids_are_ten_or_more_of_a_to_z_and_digits_and_never_alike():
    made = {ids.new_table_id() for _ in range(1_000)}
    assert len(made) == 1_000
    assert all(re.fullmatch(r"[a-z0-9]{10,}", table) and ids.is_table_id(table) for table in made)


@pytest.mark.parametrize(
    "text", ["", "short", "ABCDEFGHIJKL", "abcdefghij/..", "abcdefghijk\n", "a" * 65, "äbcdefghijkl"]
)
def test_what_is_no_table_id(text):
    assert not ids.is_table_id(text)


def test_tokens_hold_256_bits_in_at_most_64_characters_that_are_safe_in_an_address():
    made = {ids.new_token() for _ in range(1_000)}
    assert len(made) == 1_000
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{43,64}", token) for token in made)


def test_a_token_is_known_by_its_hash_alone():
    token = ids.new_token()
    kept = ids.token_hash(token)
    assert re.fullmatch(r"[0-9a-f]{64}", kept)
    assert token not in kept
    assert ids.is_token(token, kept)
    for other in (ids.new_token(), token[:-1], token + "A", token.swapcase(), "", "\ud800", "🔥"):
        assert not ids.is_token(other, kept)


def test_the_hash_is_plain_sha_256():
    assert ids.token_hash("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_secrets_are_32_bytes():
    assert len({ids.new_secret() for _ in range(100)}) == 100
    assert len(ids.new_secret()) == ids.SECRET_BYTES == 32
