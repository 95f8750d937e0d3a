"""Builds a request from the keyword arguments of an operation."""

from __future__ import annotations

import enum
import json
import random
import re
import secrets
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from typing import IO, Any, NamedTuple, TypeAlias
from urllib.parse import quote, urlencode
from uuid import UUID

from pydantic import BaseModel

File: TypeAlias = str | bytes | IO[bytes]
"""What is sent as a file: a text, bytes, or a file that was opened for reading bytes."""

_IDEMPOTENCY_KEY = "idempotency-key"
_CHUNK_BYTES = 65_536
_BACKOFF_S = 0.25
_BACKOFF_MAX_S = 8.0


class Unset(enum.Enum):
    """The type of an argument that is left out where None says something of its own."""

    UNSET = "unset"


UNSET = Unset.UNSET


class _Null(enum.Enum):
    NULL = "null"


def nullable(value: object) -> object:
    """Mark that None is null, and not a member that is left out."""
    return _Null.NULL if value is None else value


class Route(NamedTuple):
    """How to ask for an operation."""

    method: str
    path: str
    """From the root of the service, with `{name}` for members of the path."""
    body: str | None
    """`flat`: the members that have no other place; `json`: the member `body`; otherwise the media type of `file`."""
    query: tuple[str, ...]
    """The members of the query, if there is a body; without one, all members outside the path."""
    headers: tuple[str, ...]
    """The headers that it takes."""


class Request(NamedTuple):
    """A request that can be sent several times."""

    name: str
    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | IO[bytes] | None
    start: int
    """Where the body begins in its file."""

    def read(self) -> Iterator[bytes]:
        """Yield the body of a file from its beginning."""
        if self.body is None or isinstance(self.body, bytes):
            raise TypeError
        self.body.seek(self.start)
        while chunk := self.body.read(_CHUNK_BYTES):
            yield chunk


def build_request(
    origin: str,
    name: str,
    route: Route,
    given: Mapping[str, object],
    headers: Mapping[str, object],
) -> Request:
    """Build the request.

    Raises:
        ValueError: A member of the path is empty or leads elsewhere.
    """
    rest = {
        key: None if value is _Null.NULL else value
        for key, value in given.items()
        if value is not None and value is not UNSET
    }
    path = re.sub(r"\{(\w+)\}", lambda found: _encode_part(name, found[1], rest.pop(found[1], None)), route.path)
    in_query = list(rest) if route.body is None else [one for one in route.query if one in rest]
    query = [pair for one in in_query for pair in _to_query(name, one, rest.pop(one))]
    sent = _read_headers(headers)
    body: bytes | IO[bytes] | None = None
    if route.body in ("flat", "json"):
        body = json.dumps(rest if route.body == "flat" else rest["body"], default=_to_json).encode()
        sent["content-type"] = "application/json"
    elif route.body is not None:
        file = rest["file"]
        body = file.encode() if isinstance(file, str) else file  # type: ignore[assignment]
        sent["content-type"] = route.body
    search = f"?{urlencode(query)}" if query else ""
    start = 0 if body is None or isinstance(body, bytes) else body.tell()
    return Request(name, route.method, f"{origin}{path}{search}", sent, body, start)


def backoff(tried: int) -> float:
    """Return how long to wait after a try, in seconds.

    A random part keeps clients that failed together from retrying together.
    """
    return float(min(_BACKOFF_MAX_S, _BACKOFF_S * 2**tried)) * (0.5 + random.random() / 2)


def _read_headers(headers: Mapping[str, object]) -> dict[str, str]:
    found: dict[str, str] = {}
    for header, value in headers.items():
        if isinstance(value, int):
            found[header] = f'"{value}"'
        elif value is not None:
            found[header] = str(value)
        elif header == _IDEMPOTENCY_KEY:
            # All tries of the call have it, so that the change happens once.
            found[header] = secrets.token_hex(16)
    return found


def _encode_part(name: str, member: str, value: object) -> str:
    """Refuse dots and empty texts, which would lead to another operation."""
    text = "" if value is None else str(value)
    if text in ("", ".", ".."):
        raise ValueError(f"Cannot call {name}: {member} cannot be part of an address")
    return quote(text, safe="")


def _to_query(name: str, member: str, value: object) -> Iterator[tuple[str, str]]:
    """A list is repeated; an empty one would disappear from the query."""
    if isinstance(value, (str, bytes)) or not isinstance(value, (list, tuple, set, frozenset)):
        yield member, _to_text(value)
    elif not value:
        raise ValueError(f"Cannot call {name}: {member} is empty")
    else:
        for one in value:
            yield member, _to_text(one)


def _to_text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if isinstance(value, (date, datetime)) else str(value)


def _to_json(value: object) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", by_alias=True, exclude_unset=True)
    if isinstance(value, (date, datetime)):
        return value.isoformat()
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    return list(value)  # type: ignore[call-overload]
