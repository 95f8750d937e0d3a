"""`Memory` and `MemoryClient` of Mem0 on this service: an application moves by changing one import.

    from svc_memory.compat.mem0 import Memory  # instead of: from mem0 import Memory

A memory is a fact of the workspace, with its scopes (`user_id`, `agent_id`, `run_id`) as tags and its metadata. All
users of one `Memory` share the workspace of its key: the scopes select, they do not protect. What differs from Mem0 is
in `docs/guides/python-frameworks.md`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

from typing_extensions import Self

from .._client import Client
from .._error import SvcError
from .._facts import Deletes, delete_fact
from .._request import UNSET, Unset
from ..gen import models
from ._mem0_adding import Adding
from ._mem0_filters import SCOPES, Filter, find_scopes, meets, to_service
from ._mem0_items import TAG, Messages, flatten, merge_filters, read_messages, read_scopes, tags_of, to_item

_RECALL_MAX = 100
_SHOWN: list[models.FactStatus] = ["active", "contested"]


class Memory:
    """Memories of users, agents and runs, with the methods of Mem0's class of this name.

    Args:
        config: Taken so that a call of Mem0's constructor is one of this; it has no effect, because models and stores
            are settings of the service.
        svc: The client. Default: the one that `SVC_URL` and `SVC_KEY` name.
        deletes: What deleting does: `archive`, which the service's operations can undo, or `erase`.
    """

    def __init__(
        self,
        config: object = None,
        *,
        svc: Client | None = None,
        deletes: Deletes = "archive",
    ) -> None:
        self._svc = Client() if svc is None else svc
        self._deletes: Deletes = deletes

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any] | None = None) -> Self:
        """Return a memory; the configuration of Mem0 has no effect."""
        return cls(config_dict)

    def add(
        self,
        messages: Messages,
        *,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        expiration_date: date | str | None = None,
        infer: bool = True,
        **others: Any,
    ) -> dict[str, Any]:
        """Store what messages say.

        Args:
            messages: A text, a message, or messages with `role`, `content` and perhaps `name`.
            user_id: Whom it is about; at least one of the three ids is needed.
            agent_id: The agent that it belongs to.
            run_id: The run that it belongs to.
            metadata: Members to keep with each memory.
            expiration_date: The last day on which it counts.
            infer: True: the messages are kept as a session, and what they state becomes memories, by the service's
                rules or its language model. False: each message is a memory as it stands.
            others: Further arguments of Mem0, which have no effect.

        Returns:
            `{"results": [{"id", "memory", "event"}]}`

        Raises:
            ValueError: There is no id.
            SvcError: The service refuses, or cannot be reached.
        """
        scopes = read_scopes(user_id=user_id, agent_id=agent_id, run_id=run_id, app_id=others.get("app_id"))
        said = [message for message in read_messages(messages) if message["role"] != "system"]
        ending = None if expiration_date is None else str(expiration_date)
        adding = Adding(self._svc, scopes, metadata or {}, ending)
        return {"results": list(adding.infer(said)) if infer else [adding.store(message) for message in said]}

    def get(self, memory_id: str) -> dict[str, Any] | None:
        """Return a memory; None if there is none."""
        fact = self._find(memory_id)
        return None if fact is None else {**to_item(fact), "score": None}

    def get_all(
        self,
        *,
        filters: Filter | None = None,
        top_k: int = 20,
        show_expired: bool = False,
        **scopes: Any,
    ) -> dict[str, Any]:
        """List memories, the newest first.

        Args:
            filters: Conditions, with at least one of `user_id`, `agent_id` and `run_id`, which may be arguments, too.
            top_k: The most memories.
            show_expired: Whether expired ones count.
            scopes: `user_id`, `agent_id`, `run_id`, and `limit` as older versions of Mem0 call `top_k`.

        Returns:
            `{"results": [{"id", "memory", "hash", "created_at", "updated_at", …}]}`
        """
        limit = int(scopes.pop("limit", top_k))
        items: list[dict[str, Any]] = []
        for item in self._list(merge_filters(filters, scopes), show_expired=show_expired):
            if len(items) >= limit:
                break
            items.append(item)
        return {"results": items}

    def search(
        self,
        query: str,
        *,
        top_k: int = 20,
        filters: Filter | None = None,
        threshold: float | None = None,
        **others: Any,
    ) -> dict[str, Any]:
        """Find the memories that are relevant to a query, best first.

        Args:
            query: What to find, in words.
            top_k: The most memories, at most 100.
            filters: Conditions, with at least one of `user_id`, `agent_id` and `run_id`, which may be arguments, too.
            threshold: The least score, 0 to 1. Default: what is likelier relevant than not.
            others: `user_id`, `agent_id`, `run_id`, `limit`; further arguments of Mem0 have no effect.

        Returns:
            `{"results": [{"id", "memory", "score", …}]}`; the score is the probability that it is relevant.
        """
        wanted = merge_filters(filters, {name: value for name, value in others.items() if name in SCOPES})
        limit = min(_RECALL_MAX, int(others.get("limit", top_k)))
        reply = self._svc.recall(
            query=query,
            types=["fact"],
            tags=tags_of(find_scopes(wanted)),
            tags_match="all",
            filters=to_service(wanted) or None,
            min_score=threshold,
            limit=_RECALL_MAX,
        )
        found = {one.id: one.score for one in reply.results}
        units = self._svc.get_units(id=list(found)).data if found else []
        facts = [one.unit for one in units if isinstance(one.unit, models.Fact)]
        matching = [fact for fact in facts if meets(flatten(fact), wanted)]
        return {"results": [{**to_item(fact), "score": found[fact.id]} for fact in matching[:limit]]}

    def update(
        self,
        memory_id: str,
        text: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        expiration_date: date | str | Unset | None = UNSET,
        data: str | None = None,
    ) -> dict[str, str]:
        """Change a memory's text, members of its metadata, or the last day on which it counts.

        Raises:
            ValueError: There is no such memory, or nothing to change.
        """
        statement = data if text is None else text
        if statement is None and metadata is None and expiration_date is UNSET:
            raise ValueError("At least one of text, metadata, or expiration_date must be provided.")
        fact = self._get(memory_id)
        ending = (
            expiration_date if isinstance(expiration_date, Unset) or expiration_date is None else str(expiration_date)
        )
        own = dict(fact.metadata.get(TAG, {}))
        if not isinstance(ending, Unset):
            own["expiration_date"] = ending
        # Whom it belongs to stays as it is.
        kept = {**fact.metadata, **{name: value for name, value in (metadata or {}).items() if name not in SCOPES}}
        self._svc.update_fact(id=fact.id, statement=statement, metadata={**kept, TAG: own}, expires_at=ending)
        return {"message": "Memory updated successfully!"}

    def delete(self, memory_id: str) -> dict[str, str]:
        """Delete a memory.

        Raises:
            ValueError: There is no such memory.
        """
        self._delete(self._get(memory_id).id)
        return {"message": "Memory deleted successfully!"}

    def delete_all(
        self,
        user_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
    ) -> dict[str, str]:
        """Delete all memories that have these ids.

        Raises:
            ValueError: There is no id.
        """
        scopes = read_scopes(user_id=user_id, agent_id=agent_id, run_id=run_id)
        for item in list(self._list(scopes, show_expired=True)):
            self._delete(item["id"])
        return {"message": "Memories deleted successfully!"}

    def history(self, memory_id: str) -> list[dict[str, Any]]:
        """List the changes of a memory's text, the oldest first."""
        entries: list[dict[str, Any]] = []
        before: str | None = None
        began: str | None = None
        for one in self._svc.all.list_fact_revisions(id=memory_id, order="asc"):
            then, deleted = one.fact.statement, one.fact.status == "archived"
            if before is not None and before == then and not deleted:
                continue
            at = one.recorded_at.isoformat()
            began = began or at
            entries.append(
                {
                    "id": f"{memory_id}#{one.version}",
                    "memory_id": memory_id,
                    "old_memory": before,
                    "new_memory": None if deleted else then,
                    "event": "DELETE" if deleted else "ADD" if before is None else "UPDATE",
                    "created_at": began,
                    "updated_at": at,
                    "is_deleted": deleted,
                    "actor_id": one.changed_by,
                    "role": None,
                }
            )
            before = then
        return entries

    def reset(self) -> None:
        """Delete all memories that were added by this interface, of all users."""
        for item in list(self._list({}, show_expired=True)):
            self._delete(item["id"])

    def close(self) -> None:
        """Close the connections."""
        self._svc.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _find(self, memory_id: str) -> models.Fact | None:
        try:
            fact = self._svc.get_fact(id=memory_id)
        except SvcError as error:
            if error.code in ("not_found", "erased", "validation_failed"):
                return None
            raise
        return fact if TAG in fact.metadata and fact.status in [*_SHOWN, "expired"] else None

    def _get(self, memory_id: str) -> models.Fact:
        fact = self._find(memory_id)
        if fact is None:
            raise ValueError(f"Memory with id {memory_id} not found")
        return fact

    def _delete(self, memory_id: str) -> None:
        delete_fact(self._svc, memory_id, self._deletes)

    def _list(self, filters: Filter, *, show_expired: bool) -> Iterator[dict[str, Any]]:
        status: list[models.FactStatus] = [*_SHOWN, "expired"] if show_expired else _SHOWN
        tags = tags_of(find_scopes(filters))
        for fact in self._svc.all.list_facts(tags=tags, tags_match="all", status=status, limit=_RECALL_MAX):
            if TAG in fact.metadata and meets(flatten(fact), filters):
                yield to_item(fact)


class MemoryClient(Memory):
    """The same with the constructor and the pages of Mem0's client of its platform.

    Args:
        api_key: A key of this service. Default: `SVC_KEY`.
        host: The address of this service. Default: `SVC_URL`.
        others: Further arguments of Mem0, which have no effect.
    """

    def __init__(self, api_key: str | None = None, host: str | None = None, **others: Any) -> None:
        super().__init__(svc=others.get("svc") or Client(host, UNSET if api_key is None else api_key))

    def get_all(
        self, *, filters: Filter | None = None, page: int = 1, page_size: int = 100, **scopes: Any
    ) -> dict[str, Any]:
        """List memories page by page, the newest first.

        Returns:
            `{"count", "next", "previous", "results"}`; `next` and `previous` are numbers of pages.
        """
        items = list(self._list(merge_filters(filters, scopes), show_expired=bool(scopes.pop("show_expired", False))))
        results = items[(page - 1) * page_size : page * page_size]
        return {
            "count": len(items),
            "next": page + 1 if page * page_size < len(items) else None,
            "previous": page - 1 if page > 1 else None,
            "results": results,
        }
