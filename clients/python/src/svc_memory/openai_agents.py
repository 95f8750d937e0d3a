"""The memory as a session of the OpenAI Agents SDK: what was said before, in every run.

await Runner.run(agent, "Where is the backup?", session=SvcSession(svc, "chat-4711"))
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from ._client import AsyncClient
from ._messages import Role, to_message, to_turn

if TYPE_CHECKING:
    from agents import TResponseInputItem
    from agents.memory import SessionSettings

_PLACE = "openai"
_PAGE_MAX = 100
_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system", "developer": "system"}


class SvcSession:
    """A conversation as turns of a session of the service: kept verbatim, and recalled by any client.

    Args:
        svc: The client. Its key needs `memory:read` and `session:write`, and `memory:delete` for what is removed.
        session_id: Your name for the conversation.
    """

    session_settings: SessionSettings | None = None

    def __init__(self, svc: AsyncClient, session_id: str) -> None:
        self.session_id = session_id
        self._svc = svc
        self._session = svc.session(session_id)

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Return the items in order, at most the latest `limit`."""
        if limit is None and self.session_settings is not None:
            limit = self.session_settings.limit
        found: list[dict[str, Any]] = []
        async for turn in self._svc.all.list_turns(id=await self._session.id(), order="desc", limit=_PAGE_MAX):
            if limit is not None and len(found) >= limit:
                break
            item = to_message(_PLACE, turn)
            if item is not None:
                found.append(item)
        return cast("list[TResponseInputItem]", found[::-1])

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Add items.

        Raises:
            SvcError: The service refuses, or cannot be reached; `validation_failed` for an item whose parts and
                arguments are more than about 16 KiB as JSON.
        """
        turns = [to_turn(_PLACE, _role_of(dict(item)), dict(item)) for item in items]
        if turns:
            await self._session.add(turns)

    async def pop_item(self) -> TResponseInputItem | None:
        """Erase the latest item and return it; None if there is none."""
        identity = await self._session.id()
        async for turn in self._svc.all.list_turns(id=identity, order="desc", limit=_PAGE_MAX):
            item = to_message(_PLACE, turn)
            if item is not None:
                await self._svc.erase_turn(id=identity, message_id=turn.message_id)
                return cast("TResponseInputItem", item)
        return None

    async def clear_session(self) -> None:
        """Erase all items, and what rests on them alone."""
        while await self.pop_item() is not None:
            pass


def _role_of(item: dict[str, Any]) -> Role:
    """A call of a tool is the assistant's, what it returns is the tool's."""
    if str(item.get("type", "")).endswith("_output"):
        return "tool"
    return _ROLES.get(str(item.get("role", "")), "assistant")
