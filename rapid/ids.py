"""Names and secrets that nobody can guess (PROTOCOL section 1), all from the system's secure source."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import string
from typing import Final

TABLE_ID_ALPHABET: Final = string.ascii_lowercase + string.digits
TABLE_ID_CHARACTERS: Final = 12  # 62 bits; PROTOCOL asks for 10 or more characters
TOKEN_BYTES: Final = 32  # 256 bits
TOKEN_MAX_CHARACTERS: Final = 64
SECRET_BYTES: Final = 32  # PROTOCOL section 5


def new_table_id() -> str:
    """Return a fresh table id: 12 of `a-z0-9`."""
    return "".join(secrets.choice(TABLE_ID_ALPHABET) for _ in range(TABLE_ID_CHARACTERS))


def is_table_id(text: str) -> bool:
    """Whether `text` could be a table id; ids of other lengths are left room for."""
    return 10 <= len(text) <= TOKEN_MAX_CHARACTERS and all(character in TABLE_ID_ALPHABET for character in text)


def new_token() -> str:
    """Return a fresh seat token: 43 characters that are safe in an address, shown once and never kept.

    It has digits, small and capital letters, as all but one in 1,500 have: so log lines know it by its looks.
    """
    while True:
        token = secrets.token_urlsafe(TOKEN_BYTES)
        if any(map(str.isdigit, token)) and any(map(str.islower, token)) and any(map(str.isupper, token)):
            return token


def token_hash(token: str) -> str:
    """Return what the server keeps of a token: its SHA-256, hex.

    A token holds 256 random bits, so neither a salt nor a slow hash would add anything. Text from outside may
    hold lone surrogates; it has a hash like any other, which no token of ours has.
    """
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def is_token(token: str, kept_hash: str) -> bool:
    """Whether `token` is the one whose hash was kept; takes the same time wherever the two differ."""
    return hmac.compare_digest(token_hash(token).encode("ascii"), kept_hash.encode("ascii"))


def new_secret() -> bytes:
    """Return the secret of a deal: 32 random bytes, fixed and committed to before the deal."""
    return secrets.token_bytes(SECRET_BYTES)
