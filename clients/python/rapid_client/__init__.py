"""Play and watch tables of a rapid server: see README.md.

`Api` opens and joins tables over HTTP, `Table` plays and watches, `events` are the facts, `View` is what is known.
"""

from . import events
from .address import Address, parse_address
from .backoff import Backoff
from .client import Table
from .codec import Encoding
from .errors import (
    BadAddress,
    BadHello,
    BadToken,
    ConnectionLost,
    FieldError,
    Final,
    NoTable,
    NoTrick,
    Problem,
    RapidError,
    Removed,
    TakenOver,
    Unreachable,
)
from .fold import reduce
from .http import Api, Place
from .messages import Bye, Disconnected, Message, Presence, Reaction, Reply, UnknownMessage, Welcome
from .session import Session
from .view import View, empty_view, parse_view

__all__ = [
    "Address",
    "Api",
    "Backoff",
    "BadAddress",
    "BadHello",
    "BadToken",
    "Bye",
    "ConnectionLost",
    "Disconnected",
    "Encoding",
    "FieldError",
    "Final",
    "Message",
    "NoTable",
    "NoTrick",
    "Place",
    "Presence",
    "Problem",
    "RapidError",
    "Reaction",
    "Removed",
    "Reply",
    "Session",
    "Table",
    "TakenOver",
    "UnknownMessage",
    "Unreachable",
    "View",
    "Welcome",
    "empty_view",
    "events",
    "parse_address",
    "parse_view",
    "reduce",
]
