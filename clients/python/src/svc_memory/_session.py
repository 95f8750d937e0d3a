"""A session by the caller's name for it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from .gen import models
from .gen.asynchronous import AsyncLists, AsyncMethods
from .gen.sync import Lists, Methods

NewTurn: TypeAlias = models.AddTurnBody | models.ChatMessage | Mapping[str, Any]
"""A turn, or a message as OpenAI, Anthropic, Gemini, LangChain and the AI SDK have it."""

_BATCH_MAX = 500
"""The most turns in one request; the service takes no more."""


def _batches(turns: NewTurn | Sequence[NewTurn]) -> Iterator[Sequence[NewTurn]]:
    every: Sequence[NewTurn] = turns if isinstance(turns, Sequence) else [turns]
    for start in range(0, len(every), _BATCH_MAX):
        yield every[start : start + _BATCH_MAX]


def _check_name(name: str) -> str:
    if not name:
        raise ValueError("Cannot name a session by nothing")
    return name


class SessionHandle:
    """A session, found or started at its first use."""

    def __init__(self, svc: Methods, name: str, start: Mapping[str, Any], part: int = 1) -> None:
        self._svc = svc
        self._name = _check_name(name)
        self._start = start
        self._part = part
        self._id: str | None = None

    @property
    def id(self) -> str:
        """The service's id of the session."""
        if self._id is None:
            name = self._name if self._part == 1 else f"{self._name}#{self._part}"
            self._id = self._svc.start_session(**self._start, external_id=name).id
        return self._id

    def next(self) -> SessionHandle:
        """Return the session in which the conversation continues when this one takes no more turns.

        Its name ends with `#2`, then `#3`, and so on. It is found or started at its first use.
        """
        return SessionHandle(self._svc, self._name, self._start, self._part + 1)

    def get(self) -> models.Session:
        """Read the session."""
        return self._svc.get_session(id=self.id)

    def add(self, turns: NewTurn | Sequence[NewTurn]) -> None:
        """Add turns in order, in requests of at most 500: if one is refused, the turns of earlier requests stay.

        A turn with a `messageId` is added once, however often it is sent.
        """
        for batch in _batches(turns):
            self._svc.add_turns(id=self.id, turns=batch)

    def context(self, *, query: str | None = None, max_tokens: int | None = None) -> models.SessionContext:
        """Return the context for an agent in this session: its last turns, and memories about the query."""
        return self._svc.get_session_context(id=self.id, query=query, max_tokens=max_tokens)

    def turns(self) -> Iterator[models.Turn]:
        """Yield its turns, page by page."""
        return Lists(self._svc).list_turns(id=self.id)

    def collapse(self) -> models.CollapsedSession:
        """End the session and turn it into facts and an episode."""
        return self._svc.collapse_session(id=self.id)


class AsyncSessionHandle:
    """A session, found or started at its first use, for asyncio."""

    def __init__(self, svc: AsyncMethods, name: str, start: Mapping[str, Any], part: int = 1) -> None:
        self._svc = svc
        self._name = _check_name(name)
        self._start = start
        self._part = part
        self._id: str | None = None

    async def id(self) -> str:
        """Return the service's id of the session."""
        if self._id is None:
            name = self._name if self._part == 1 else f"{self._name}#{self._part}"
            self._id = (await self._svc.start_session(**self._start, external_id=name)).id
        return self._id

    def next(self) -> AsyncSessionHandle:
        """Return the session in which the conversation continues when this one takes no more turns.

        Its name ends with `#2`, then `#3`, and so on. It is found or started at its first use.
        """
        return AsyncSessionHandle(self._svc, self._name, self._start, self._part + 1)

    async def get(self) -> models.Session:
        """Read the session."""
        return await self._svc.get_session(id=await self.id())

    async def add(self, turns: NewTurn | Sequence[NewTurn]) -> None:
        """Add turns in order, in requests of at most 500: if one is refused, the turns of earlier requests stay.

        A turn with a `messageId` is added once, however often it is sent.
        """
        for batch in _batches(turns):
            await self._svc.add_turns(id=await self.id(), turns=batch)

    async def context(self, *, query: str | None = None, max_tokens: int | None = None) -> models.SessionContext:
        """Return the context for an agent in this session: its last turns, and memories about the query."""
        return await self._svc.get_session_context(id=await self.id(), query=query, max_tokens=max_tokens)

    async def turns(self) -> AsyncIterator[models.Turn]:
        """Yield its turns, page by page."""
        async for turn in AsyncLists(self._svc).list_turns(id=await self.id()):
            yield turn

    async def collapse(self) -> models.CollapsedSession:
        """End the session and turn it into facts and an episode."""
        return await self._svc.collapse_session(id=await self.id())
