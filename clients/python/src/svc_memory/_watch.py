"""Follows a channel over WebSocket, and goes on at the same place after the connection breaks off."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Generic, TypeVar

from pydantic import TypeAdapter, ValidationError
from typing_extensions import Self
from websockets.asyncio.client import ClientConnection as AsyncConnection
from websockets.asyncio.client import connect as connect_async
from websockets.exceptions import InvalidStatus, WebSocketException
from websockets.sync.client import connect
from websockets.sync.connection import Connection

from ._error import SvcError, read_errors, read_refusal
from ._request import backoff
from ._target import Target
from ._tenant import AsyncTenantTokens, TenantTokens
from .gen import models

T = TypeVar("T")

_CHANGE = TypeAdapter(models.Change)
_HEALTH = TypeAdapter(models.HealthSnapshot)
_OPEN_S = 30.0
"""How long a connection may take to open, in seconds."""


@dataclass(frozen=True)
class WatchedEvent(Generic[T]):
    """An event of a channel."""

    cursor: str
    """The place right after it: with it as `since`, the next watch goes on there."""
    event: T


class _Place:
    """How far a watch has come, and whether it may connect again."""

    def __init__(self, target: Target, channel: models.StreamChannel, since: str | None) -> None:
        self.url = f"ws{target.origin.removeprefix('http')}/v1/stream"
        self.headers = target.headers
        self.cursor = since
        self._channel = channel
        self._retries = target.retries
        self._tried = 0
        self._was_open = False
        self._token = ""
        self.refused = ""
        """The token of a tenant that the service no longer takes."""

    def bear(self, token: str) -> None:
        """Open the next connection with this token of a tenant."""
        self._token = token
        self.headers = {**self.headers, "authorization": f"Bearer {token}"}

    def subscription(self) -> str:
        since = {} if self.cursor is None else {"since": self.cursor}
        return json.dumps({"op": "subscribe", "channel": self._channel, **since})

    def take(self, text: str | bytes) -> WatchedEvent[Any] | None:
        """Return the event of a message, if it has one."""
        message = json.loads(text)
        if message["op"] == "error":
            raise SvcError(
                message["code"],
                message["message"],
                retryable=message["retryable"],
                errors=read_errors(message.get("errors")),
            )
        if "cursor" not in message:
            return None
        adapter: TypeAdapter[Any] = _HEALTH if self._channel == "health" else _CHANGE
        try:
            event = adapter.validate_python(message["event"]) if message["op"] == "event" else None
        except ValidationError as cause:
            # Going on behind it would leave a gap.
            raise SvcError("bad_reply", f"Cannot read an event of the channel {self._channel}") from cause
        self.cursor = message["cursor"]
        self._tried = 0
        self._was_open = True
        return None if event is None else WatchedEvent(message["cursor"], event)

    def wait_for(self, cause: Exception) -> float:
        """Return how long to wait before the next connection, in seconds; raise if there is none.

        The first connection is tried as often as a call, later ones for ever.
        """
        error = self._read(cause)
        if error.code == "unauthenticated" and self._token != self.refused:
            self.refused = self._token
            return 0.0
        if not error.retryable or (not self._was_open and self._tried >= self._retries):
            raise error from cause
        wait = max(error.retry_after or 0.0, backoff(min(self._tried, 10)))
        self._tried += 1
        return wait

    def _read(self, cause: Exception) -> SvcError:
        if isinstance(cause, SvcError):
            return cause
        if isinstance(cause, InvalidStatus):
            response = cause.response
            return read_refusal(
                f"watch {self._channel}", response.status_code, response.headers, bytes(response.body or b"")
            )
        message = f"Cannot watch {self._channel}: the connection broke off"
        return SvcError("connection_failed", message, retryable=True)


# What a connection fails with: the network, the handshake, its end, and messages of something else.
_FAULTS = (OSError, TimeoutError, WebSocketException, ValueError, KeyError, SvcError)


class Watch(Generic[T]):
    """The events of a channel, each once, in order, without gaps.

    A loop over it goes on until `close()`, which another thread may call, or a refusal, which raises `SvcError`. A
    reader that is slow holds the watch up, it loses nothing.
    """

    def __init__(
        self, target: Target, channel: models.StreamChannel, since: str | None, tokens: TenantTokens | None = None
    ) -> None:
        self._place = _Place(target, channel, since)
        self._tokens = tokens
        self._socket: Connection | None = None
        self._closed = threading.Event()
        self._events = self._follow()

    @property
    def cursor(self) -> str | None:
        """The place after the last event, or after the beginning; None before the watch is connected."""
        return self._place.cursor

    def __iter__(self) -> Iterator[WatchedEvent[T]]:
        return self

    def __next__(self) -> WatchedEvent[T]:
        return next(self._events)

    def close(self) -> None:
        """End the watch: a loop over it ends without an error."""
        self._closed.set()
        if self._socket is not None:
            self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _follow(self) -> Iterator[WatchedEvent[T]]:
        place = self._place
        while not self._closed.is_set():
            try:
                if self._tokens is not None:
                    place.bear(self._tokens.get(place.refused))
                with connect(
                    place.url, additional_headers=place.headers, open_timeout=_OPEN_S, max_size=None
                ) as socket:
                    self._socket = socket
                    if self._closed.is_set():
                        return
                    socket.send(place.subscription())
                    for text in socket:
                        event = place.take(text)
                        if event is not None:
                            yield event
                raise ConnectionResetError
            except _FAULTS as error:
                if not self._closed.is_set():
                    self._closed.wait(place.wait_for(error))


class _ConnectHere(connect_async):
    """Follows no redirect: version 15 of websockets would take the key to the other place."""

    def process_redirect(self, exc: Exception) -> Exception | str:
        return exc


class AsyncWatch(Generic[T]):
    """The events of a channel, each once, in order, without gaps, for asyncio.

    A loop over it goes on until `aclose()` or a refusal, which raises `SvcError`. A reader that is slow holds the watch
    up, it loses nothing.
    """

    def __init__(
        self, target: Target, channel: models.StreamChannel, since: str | None, tokens: AsyncTenantTokens | None = None
    ) -> None:
        self._place = _Place(target, channel, since)
        self._tokens = tokens
        self._socket: AsyncConnection | None = None
        self._closed = asyncio.Event()
        self._events = self._follow()

    @property
    def cursor(self) -> str | None:
        """The place after the last event, or after the beginning; None before the watch is connected."""
        return self._place.cursor

    def __aiter__(self) -> AsyncIterator[WatchedEvent[T]]:
        return self

    async def __anext__(self) -> WatchedEvent[T]:
        return await self._events.__anext__()

    async def aclose(self) -> None:
        """End the watch: a loop over it ends without an error."""
        self._closed.set()
        if self._socket is not None:
            await self._socket.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def _follow(self) -> AsyncIterator[WatchedEvent[T]]:
        place = self._place
        while not self._closed.is_set():
            try:
                if self._tokens is not None:
                    place.bear(await self._tokens.get(place.refused))
                async with _ConnectHere(
                    place.url, additional_headers=place.headers, open_timeout=_OPEN_S, max_size=None
                ) as socket:
                    self._socket = socket
                    if self._closed.is_set():
                        return
                    await socket.send(place.subscription())
                    async for text in socket:
                        event = place.take(text)
                        if event is not None:
                            yield event
                raise ConnectionResetError
            except _FAULTS as error:
                if not self._closed.is_set():
                    await self._pause(place.wait_for(error))

    async def _pause(self, seconds: float) -> None:
        try:
            await asyncio.wait_for(self._closed.wait(), seconds)
        except asyncio.TimeoutError:
            return
