"""The memory in LangChain: the messages of a conversation, and a retriever of what is known.

    chain = RunnableWithMessageHistory(chain, lambda session: SvcChatMessageHistory(svc, session))
    documents = SvcRetriever(svc=svc).invoke("Where is the backup?")

It needs the extra `langchain` of this package.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.documents import Document
from langchain_core.messages import BaseMessage, message_to_dict, messages_from_dict
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict

from ._client import Client
from ._messages import Role, to_message, to_turn
from .gen import models

_PLACE = "langchain"
_ROLES: dict[str, Role] = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool", "function": "tool"}


class SvcChatMessageHistory(BaseChatMessageHistory):
    """The messages of a conversation as turns of a session: kept verbatim, and recalled by any client.

    Args:
        svc: The client. Its key needs `memory:read` and `session:write`, and `memory:delete` for `clear()`.
        session: Your name for the conversation.
    """

    def __init__(self, svc: Client, session: str) -> None:
        self._svc = svc
        self._session = svc.session(session)

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]
        """The messages, in order; those that another client has added are not among them."""
        kept = [(to_message(_PLACE, turn), turn) for turn in self._session.turns()]
        return messages_from_dict([{"type": one.pop("type"), "data": one} for one, _ in kept if one is not None])

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Add messages.

        Raises:
            SvcError: The service refuses, or cannot be reached; `validation_failed` for a message whose parts and
                arguments are more than about 16 KiB as JSON.
        """
        turns = []
        for message in messages:
            told = message_to_dict(message)
            turns.append(to_turn(_PLACE, _ROLES.get(message.type, "assistant"), {**told["data"], "type": told["type"]}))
        if turns:
            self._session.add(turns)

    def clear(self) -> None:
        """Erase the messages, and what rests on them alone."""
        for turn in list(self._session.turns()):
            if turn.erased_at is None:
                self._svc.erase_turn(id=self._session.id, message_id=turn.message_id)


class SvcRetriever(BaseRetriever):
    """What the memory knows about a query, best first, each with its source and how far it can be trusted."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    svc: Client
    """The client. Its key needs `memory:read`."""
    limit: int = 4
    """The most documents; fewer if fewer are relevant."""
    types: list[models.RecallType] | None = None
    """Which types of knowledge; default: all."""
    tags: list[str] | None = None
    """Labels of which one is enough."""
    filters: Mapping[str, Any] | None = None
    """Conditions of the service's own recall."""

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        found = self.svc.recall(query=query, limit=self.limit, types=self.types, tags=self.tags, filters=self.filters)
        return [_to_document(one) for one in found.results]


def _to_document(found: models.RecallResult) -> Document:
    metadata = {name: value for name, value in found.to_dict().items() if name not in ("id", "text")}
    return Document(id=found.id, page_content=found.text, metadata=metadata)
