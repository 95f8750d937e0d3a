"""The memory as `Memory` of AutoGen: what agents add is found by what a conversation is about.

    agent = AssistantAgent("helper", model_client=model, memory=[SvcMemory(AsyncClient(), name="ada")])

It needs the extra `autogen` of this package.
"""

from __future__ import annotations

import json
from typing import Any

from autogen_core import CancellationToken, Component
from autogen_core.memory import Memory, MemoryContent, MemoryMimeType, MemoryQueryResult, UpdateContextResult
from autogen_core.model_context import ChatCompletionContext
from autogen_core.models import LLMMessage, SystemMessage, UserMessage
from pydantic import BaseModel
from typing_extensions import Self

from ._block import QUERY_MAX, describe, shown, strip_block
from ._client import AsyncClient
from ._facts import IN_FORCE, Deletes, delete_fact_async, digest, keep_fact_async
from .gen import models

_PLACE = "autogen"
_PAGE_MAX = 100
_SOURCE = "memory"
"""Who says the block of memories in a context."""


class SvcMemoryConfig(BaseModel):
    """What a component of AutoGen is made of again; the address and the key are never in it."""

    name: str
    limit: int = 5
    everything: bool = False
    deletes: Deletes = "archive"


class SvcMemory(Memory, Component[SvcMemoryConfig]):
    """A memory whose contents are facts of the workspace.

    Args:
        svc: The client. Its key needs `memory:read` and `memory:write`, and `memory:delete` for `clear()`.
        name: Whose memory it is, such as a user or a team: contents of other names are not found.
        limit: The most memories in an answer and in a context.
        everything: Whether all that the workspace knows is found, and not only what was added under this name.
        deletes: What clearing does: `archive`, which the service's operations can undo, or `erase`, which removes the
            content for ever.
    """

    component_type = "memory"
    component_config_schema = SvcMemoryConfig
    component_provider_override = "svc_memory.autogen.SvcMemory"

    def __init__(
        self,
        svc: AsyncClient,
        *,
        name: str,
        limit: int = 5,
        everything: bool = False,
        deletes: Deletes = "archive",
    ) -> None:
        if not name:
            raise ValueError("Cannot name a memory by nothing")
        self._svc = svc
        self._config = SvcMemoryConfig(name=name, limit=limit, everything=everything, deletes=deletes)
        self._tag = f"{_PLACE}:{digest(name)}"

    async def add(self, content: MemoryContent, cancellation_token: CancellationToken | None = None) -> None:
        """Store a text, a text in Markdown, or an object of JSON; the same once more is the same memory.

        Raises:
            ValueError: It is an image or bytes.
            SvcError: The service refuses, or cannot be reached.
        """
        held, mime = content.content, _mime_of(content)
        if not isinstance(held, (str, dict)):
            raise ValueError(f"Cannot store a content of {mime}: only texts and objects of JSON are found by words")
        statement = strip_block(held) if isinstance(held, str) else json.dumps(held, ensure_ascii=False)
        kept = {"mimeType": mime, "metadata": content.metadata, **({} if isinstance(held, str) else {"content": held})}
        await keep_fact_async(
            self._svc,
            f"{_PLACE}/{digest(self._config.name, mime, statement)}",
            statement=statement,
            tags=[_PLACE, self._tag],
            metadata={_PLACE: kept},
        )

    async def query(
        self, query: str | MemoryContent, cancellation_token: CancellationToken | None = None, **kwargs: Any
    ) -> MemoryQueryResult:
        """Return what is relevant to a query, best first, with the metadata that it was added with and its score.

        Args:
            query: A question in words; as a content, its text.
            cancellation_token: It has no effect: a call ends by the client's timeout.
            kwargs: Further arguments of the client's `recall`, such as `types` or `filters`.
        """
        reply = await self._recall(query if isinstance(query, str) else str(query.content), **kwargs)
        return MemoryQueryResult(results=await self._to_contents(reply.results) if reply else [])

    async def update_context(self, model_context: ChatCompletionContext) -> UpdateContextResult:
        """Add what is relevant to the latest message, as a message of the user that is marked as data.

        A block that stands in the context already is not added again.
        """
        messages = await model_context.get_messages()
        said = [one for one in messages if not isinstance(one, SystemMessage) and not _is_block(one)]
        reply = await self._recall(_text_of(said[-1])) if said else None
        found = shown(reply) if reply else []
        block = describe(found)
        if block and not any(_is_block(one) and one.content == block for one in messages):
            await model_context.add_message(UserMessage(content=block, source=_SOURCE))
        return UpdateContextResult(memories=MemoryQueryResult(results=await self._to_contents(found)))

    async def clear(self) -> None:
        """Archive or erase all contents of this name."""
        facts = self._svc.all.list_facts(tags=[self._tag], status=IN_FORCE, limit=_PAGE_MAX)
        # All are read first, because a list that is changed meanwhile has other pages.
        for fact in [one async for one in facts]:
            await delete_fact_async(self._svc, fact.id, self._config.deletes)

    async def close(self) -> None:
        """Do nothing: the client is closed by who made it."""

    async def _recall(self, query: str, **others: Any) -> models.RecallReply | None:
        if not query.strip():
            return None
        scope = {} if self._config.everything else {"tags": [self._tag]}
        return await self._svc.recall(query=query[:QUERY_MAX], **{"limit": self._config.limit, **scope, **others})

    async def _to_contents(self, found: list[models.RecallResult]) -> list[MemoryContent]:
        units = (await self._svc.get_units(id=[one.id for one in found])).data if found else []
        return [_to_content(one, read.unit) for one, read in zip(found, units, strict=True)]

    def _to_config(self) -> SvcMemoryConfig:
        return self._config

    @classmethod
    def _from_config(cls, config: SvcMemoryConfig) -> Self:
        """Return the memory of a configuration, at the service that `SVC_URL` and `SVC_KEY` name."""
        return cls(AsyncClient(), **config.model_dump())


def _mime_of(content: MemoryContent) -> str:
    return content.mime_type.value if isinstance(content.mime_type, MemoryMimeType) else content.mime_type


def _to_content(found: models.RecallResult, unit: models.KnowledgeUnit | None) -> MemoryContent:
    kept = unit.metadata.get(_PLACE, {}) if isinstance(unit, models.Fact) else {}
    told = {"id": found.id, "type": found.type, "score": found.score, "trustScore": found.trust_score}
    return MemoryContent(
        content=kept.get("content", found.text),
        mime_type=kept.get("mimeType", MemoryMimeType.TEXT),
        metadata={**(kept.get("metadata") or {}), **told},
    )


def _is_block(message: LLMMessage) -> bool:
    return isinstance(message, UserMessage) and message.source == _SOURCE


def _text_of(message: LLMMessage) -> str:
    """Return the words of a message; of calls of tools and what they returned, as JSON has them."""
    content = message.content
    if isinstance(content, str):
        return content
    return "\n".join(one if isinstance(one, str) else getattr(one, "content", "") for one in content)
