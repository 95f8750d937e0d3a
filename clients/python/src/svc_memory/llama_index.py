"""The memory in LlamaIndex: the messages of a conversation with what is known about them, and a retriever.

    memory = SvcMemory(svc=Client(), session="chat-4711")
    answer = await FunctionAgent(llm=llm).run("Where is the backup?", memory=memory)

It needs the extra `llama-index` of this package.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, MessageRole, TextBlock
from llama_index.core.memory.types import BaseMemory
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from pydantic import ConfigDict, Field, PrivateAttr

from ._block import QUERY_MAX, describe, shown, strip_block
from ._client import Client
from ._messages import Role, to_message, to_turn
from ._session import SessionHandle
from .gen import models

_PLACE = "llamaindex"
_PAGE_MAX = 100
_CHARS_PER_TOKEN = 4
_ROLES: dict[MessageRole, Role] = {
    MessageRole.USER: "user",
    MessageRole.SYSTEM: "system",
    MessageRole.DEVELOPER: "system",
    MessageRole.TOOL: "tool",
    MessageRole.FUNCTION: "tool",
}
_SHOWN = ["type", "trustScore", "occurredAt", "contested", "stale"]
"""What a model sees of a node's metadata."""


class SvcMemory(BaseMemory):
    """A memory of a conversation: its messages are turns of a session, kept verbatim and recalled by any client.

    What the memory knows about the user's latest message, from this conversation or another, stands before that
    message, marked as data. It is not stored again.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    svc: Client = Field(exclude=True)
    """The client. Its key needs `memory:read` and `session:write`, and `memory:delete` for `set()` and `reset()`."""
    session: str
    """Your name for the conversation."""
    token_limit: int = Field(default=30_000, gt=0)
    """The most tokens of messages in `get()`, approximately; older messages are left out, and stay in the session."""
    recalls: int = Field(default=5, ge=0, le=50)
    """The most memories in `get()`."""
    tags: list[str] | None = None
    """Labels that memories must have one of. Default: all that the key may see."""

    _handle: SessionHandle = PrivateAttr()
    _last: tuple[str, list[models.RecallResult]] | None = PrivateAttr(default=None)

    def model_post_init(self, context: Any, /) -> None:
        """Name the session."""
        self._handle = self.svc.session(self.session)

    @classmethod
    def class_name(cls) -> str:
        """Return the name of the class."""
        return "SvcMemory"

    @classmethod
    def from_defaults(cls, **kwargs: Any) -> SvcMemory:
        """Return a memory; without `svc`, at the service that `SVC_URL` and `SVC_KEY` name."""
        return cls(**{"svc": kwargs.pop("svc", None) or Client(), **kwargs})

    def get(self, input: str | None = None, **kwargs: Any) -> list[ChatMessage]:
        """Return the latest messages, in order, and what is known about the latest of the user.

        Args:
            input: What to recall. Default: the latest message of the user.
            kwargs: Further arguments of LlamaIndex, which have no effect.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        messages, turns = self._read_latest()
        at = next((i for i in range(len(messages) - 1, -1, -1) if messages[i].role == MessageRole.USER), None)
        query = input or (messages[at].content if at is not None else None)
        if at is None or not query or not self.recalls:
            return messages
        block = describe([one for one in self._recall(query) if one.id not in turns][: self.recalls])
        if block:
            asked = messages[at]
            messages[at] = asked.model_copy(update={"blocks": [TextBlock(text=block), *asked.blocks]})
        return messages

    def get_all(self) -> list[ChatMessage]:
        """Return all messages, in order; those that another client has added are not among them."""
        return [message for message, _ in self._read("asc")]

    def put(self, message: ChatMessage) -> None:
        """Add a message.

        Raises:
            SvcError: The service refuses, or cannot be reached; `validation_failed` for a message whose parts and
                arguments are more than about 16 KiB as JSON.
        """
        self.put_messages([message])

    def put_messages(self, messages: list[ChatMessage]) -> None:
        """Add messages.

        Raises:
            SvcError: As `put()`.
        """
        if any(message.role == MessageRole.USER for message in messages):
            self._last = None
        if messages:
            self._handle.add([_to_turn(message) for message in messages])

    def set(self, messages: list[ChatMessage]) -> None:
        """Replace the messages: what differs from those that are there is erased or added."""
        kept = list(self._read("asc"))
        same = 0
        while same < min(len(kept), len(messages)) and kept[same][0] == messages[same]:
            same += 1
        self._erase(turn for _, turn in kept[same:])
        self.put_messages(messages[same:])

    def reset(self) -> None:
        """Erase the messages, and what rests on them alone."""
        self._erase(turn for _, turn in list(self._read("asc")))

    def _read(self, order: str) -> Iterator[tuple[ChatMessage, models.Turn]]:
        turns = self.svc.all.list_turns(id=self._handle.id, order="desc" if order == "desc" else "asc", limit=_PAGE_MAX)
        for turn in turns:
            held = to_message(_PLACE, turn)
            if held is not None:
                yield _from_held(held), turn

    def _read_latest(self) -> tuple[list[ChatMessage], frozenset[str]]:
        """Return the messages within the limit, from one of the user or the system on, and the ids of their turns."""
        found: list[tuple[ChatMessage, str]] = []
        left = self.token_limit * _CHARS_PER_TOKEN
        for message, turn in self._read("desc"):
            left -= len(turn.content) + len(str(message.additional_kwargs or ""))
            if left < 0 and found:
                break
            found.append((message, turn.id))
        found.reverse()
        # What a tool returned would have lost the call that it belongs to.
        while found and found[0][0].role not in (MessageRole.USER, MessageRole.SYSTEM, MessageRole.DEVELOPER):
            found.pop(0)
        return [message for message, _ in found], frozenset(identity for _, identity in found)

    def _recall(self, query: str) -> list[models.RecallResult]:
        """All steps of one answer get the same memories."""
        if self._last is None or self._last[0] != query:
            reply = self.svc.recall(query=query[:QUERY_MAX], limit=self.recalls + 10, tags=self.tags)
            self._last = (query, shown(reply))
        return self._last[1]

    def _erase(self, turns: Iterator[models.Turn]) -> None:
        for turn in turns:
            self.svc.erase_turn(id=self._handle.id, message_id=turn.message_id)


class SvcRetriever(BaseRetriever):
    """What the memory knows about a query, best first, each with its source and how far it can be trusted.

    Args:
        svc: The client. Its key needs `memory:read`.
        limit: The most nodes; fewer if fewer are relevant.
        types: Which types of knowledge; default: all.
        tags: Labels of which one is enough.
        filters: Conditions of the service's own recall.
        others: Arguments of LlamaIndex's base class.
    """

    def __init__(
        self,
        svc: Client,
        *,
        limit: int = 4,
        types: Sequence[models.RecallType] | None = None,
        tags: Sequence[str] | None = None,
        filters: Mapping[str, Any] | None = None,
        **others: Any,
    ) -> None:
        super().__init__(**others)
        self._svc = svc
        self._asked: dict[str, Any] = {"limit": limit, "types": types, "tags": tags, "filters": filters}

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        reply = self._svc.recall(query=query_bundle.query_str[:QUERY_MAX], **self._asked)
        return [_to_node(one) for one in reply.results]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)


def _to_turn(message: ChatMessage) -> dict[str, Any]:
    blocks = [TextBlock(text=strip_block(one.text)) if isinstance(one, TextBlock) else one for one in message.blocks]
    stripped = message.model_copy(update={"blocks": blocks})
    content = stripped.content or ""
    # A message of one text is kept as that text alone.
    is_text = len(blocks) == 1 and blocks == [TextBlock(text=content)]
    told = stripped.model_dump(mode="json", exclude={"blocks"} if is_text else None)
    return to_turn(_PLACE, _ROLES.get(message.role, "assistant"), {**told, "content": content})


def _from_held(held: dict[str, Any]) -> ChatMessage:
    content = held.pop("content")
    return ChatMessage(**held) if "blocks" in held else ChatMessage(content=content, **held)


def _to_node(found: models.RecallResult) -> NodeWithScore:
    metadata = {name: value for name, value in found.to_dict().items() if name not in ("id", "text", "score")}
    node = TextNode(
        id_=found.id,
        text=found.text,
        metadata=metadata,
        excluded_llm_metadata_keys=[name for name in metadata if name not in _SHOWN],
        excluded_embed_metadata_keys=list(metadata),
    )
    return NodeWithScore(node=node, score=found.score)
