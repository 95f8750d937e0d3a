"""Replies that are read piece by piece."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from types import TracebackType

import httpx
from typing_extensions import Self

from ._error import SvcError


def _broken(name: str) -> SvcError:
    return SvcError("connection_failed", f"Cannot read the reply to {name}: the connection broke off", retryable=True)


class ByteStream:
    """A reply as pieces of bytes: a loop over it closes it at the end, and so does a `with` block."""

    def __init__(self, name: str, response: httpx.Response) -> None:
        self._name = name
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._response.iter_bytes()
        except httpx.TransportError as cause:
            raise _broken(self._name) from cause
        finally:
            self.close()

    def read(self) -> bytes:
        """Return all of it."""
        return b"".join(self)

    def close(self) -> None:
        """Leave the rest unread."""
        self._response.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


class AsyncByteStream:
    """A reply as pieces of bytes: a loop over it closes it at the end, and so does an `async with` block."""

    def __init__(self, name: str, response: httpx.Response) -> None:
        self._name = name
        self._response = response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for piece in self._response.aiter_bytes():
                yield piece
        except httpx.TransportError as cause:
            raise _broken(self._name) from cause
        finally:
            await self.aclose()

    async def read(self) -> bytes:
        """Return all of it."""
        return b"".join([piece async for piece in self])

    async def aclose(self) -> None:
        """Leave the rest unread."""
        await self._response.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        await self.aclose()
