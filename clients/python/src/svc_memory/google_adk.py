"""The memory as a memory service of Google's Agent Development Kit: what users said in earlier sessions.

    runner = Runner(app_name="helper", agent=agent, session_service=sessions, memory_service=SvcMemoryService(svc))

It needs the extra `google-adk` of this package.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.genai import types

from ._block import QUERY_MAX
from ._client import AsyncClient
from ._error import SvcError
from ._facts import Deletes, delete_fact_async, digest, keep_fact_async
from ._request import UNSET, Unset
from .gen import models

if TYPE_CHECKING:
    from google.adk.events.event import Event
    from google.adk.sessions.session import Session

_PLACE = "adk"
_USER = "user"


class SvcMemoryService(BaseMemoryService):
    """A memory service: the words of events are turns of sessions, explicit memories are facts.

    Args:
        svc: The client. Its key needs `memory:read` and `session:write`, `memory:write` for explicit memories, and
            `memory:delete` for what is deleted.
        limit: The most memories in an answer.
        deletes: What deleting an explicit memory does: `archive`, which the service's operations can undo, or `erase`.
            An event that is deleted is always erased.
    """

    def __init__(self, svc: AsyncClient, *, limit: int = 10, deletes: Deletes = "archive") -> None:
        self._svc = svc
        self._limit = limit
        self._deletes: Deletes = deletes

    async def add_session_to_memory(self, session: Session) -> None:
        """Add the events of a session that are not there yet.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        await self.add_events_to_memory(
            app_name=session.app_name, user_id=session.user_id, events=session.events, session_id=session.id
        )

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Add events that have words; an event that is there already is not added again.

        Args:
            app_name: The application.
            user_id: The user of the application.
            events: What was said. Calls of tools and what they returned are left out.
            session_id: The session of the application; without one, all such events of the user have one.
            custom_metadata: Is kept with each event.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        tag = _tag_of(app_name, user_id)
        turns = [_to_turn(event, tag, custom_metadata) for event in events if _text_of(event.content)]
        if turns:
            name = f"{_PLACE}/{digest(app_name, user_id, session_id or '')}"
            await self._svc.session(name, tags=[_PLACE, tag]).add(turns)

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Add memories as facts; one that the user has in the same words already is not added again.

        Raises:
            ValueError: A memory has no text.
            SvcError: The service refuses, or cannot be reached.
        """
        tag = _tag_of(app_name, user_id)
        for memory in memories:
            text = _text_of(memory.content)
            if not text:
                raise ValueError("Cannot store a memory without text: memories are found by words")
            told = {
                "author": memory.author,
                "timestamp": memory.timestamp,
                "metadata": {**(custom_metadata or {}), **memory.custom_metadata},
            }
            await keep_fact_async(
                self._svc,
                f"{_PLACE}/{digest(app_name, user_id, text)}",
                statement=text,
                tags=[_PLACE, tag],
                metadata={_PLACE: told},
                occurred_at=_read_time(memory.timestamp),
            )

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        """Return what is relevant to a query, best first, of this user in this application.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        if not query.strip():
            return SearchMemoryResponse()
        reply = await self._svc.recall(query=query[:QUERY_MAX], limit=self._limit, tags=[_tag_of(app_name, user_id)])
        return SearchMemoryResponse(memories=[_to_entry(one) for one in reply.results])

    async def delete_memory(self, *, app_name: str, user_id: str, memory_id: str | None = None) -> None:
        """Delete a memory of this user; an id of nobody or of another user does nothing.

        An event that is erased does not come back when its session is added again.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        tag = _tag_of(app_name, user_id)
        first, _, message_id = (memory_id or "").partition("/")
        try:
            if message_id:
                if tag in (await self._svc.get_session(id=first)).tags:
                    await self._svc.erase_turn(id=first, message_id=message_id)
            elif first and tag in (await self._svc.get_fact(id=first)).tags:
                await delete_fact_async(self._svc, first, self._deletes)
        except SvcError as error:
            if error.code not in ("not_found", "erased", "validation_failed"):
                raise


def _tag_of(app_name: str, user_id: str) -> str:
    return f"{_PLACE}:{digest(app_name, user_id)}"


def _text_of(content: types.Content | None) -> str:
    """Return the words of a content, without the thoughts of a model."""
    parts = content.parts or [] if content else []
    return "\n".join(part.text for part in parts if part.text and not part.thought)


def _read_time(timestamp: str | None) -> datetime | Unset:
    """Return when it happened, if the timestamp is one of ISO 8601; in ADK it may be any text."""
    try:
        return datetime.fromisoformat(timestamp).astimezone() if timestamp else UNSET
    except ValueError:
        return UNSET


def _to_turn(event: Event, tag: str, custom_metadata: Mapping[str, object] | None) -> dict[str, Any]:
    is_user = event.author == _USER
    return {
        "role": "user" if is_user else "assistant",
        "content": _text_of(event.content),
        "messageId": event.id,
        "occurredAt": datetime.fromtimestamp(event.timestamp, timezone.utc).isoformat(),
        "tags": [_PLACE, tag],
        **({} if is_user else {"name": event.author}),
        **({"metadata": {_PLACE: dict(custom_metadata)}} if custom_metadata else {}),
    }


def _to_entry(found: models.RecallResult) -> MemoryEntry:
    at = found.occurred_at or found.valid_from
    return MemoryEntry(
        id=f"{found.session_id}/{found.message_id}" if found.type == "turn" else found.id,
        content=types.Content(
            role="model" if found.role == "assistant" else "user", parts=[types.Part(text=found.text)]
        ),
        author=found.name or found.role,
        timestamp=at.isoformat() if at else None,
        custom_metadata={"type": found.type, "score": found.score, "trustScore": found.trust_score},
    )
