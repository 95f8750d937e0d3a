"""The memory as a store of LangGraph: what graphs remember across threads and runs.

    graph = builder.compile(checkpointer=checkpointer, store=SvcStore(Client()))

A stored item is a fact that holds its value, and is found again by namespace and key, and by its words. It needs the
extra `langgraph` of this package.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)

from ._client import Client
from ._error import SvcError
from ._facts import GONE, Deletes, delete_fact, keep_fact
from ._langgraph_items import (
    TAG,
    check_namespace,
    describe,
    fits,
    label_of,
    matches,
    name_of,
    tag_of,
    tags_of,
    to_recall_filter,
)
from .gen import models

_PAGE_MAX = 100


class SvcStore(BaseStore):
    """A store of LangGraph whose items are facts of a workspace.

    Args:
        svc: The client. Its key needs `memory:read`, `memory:write` and `memory:delete`.
        deletes: What deleting does: `archive`, which the service's operations can undo, or `erase`, which removes the
            content for ever.
    """

    supports_ttl = False

    def __init__(self, svc: Client, *, deletes: Deletes = "archive") -> None:
        self._svc = svc
        self._deletes: Deletes = deletes

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations: reads see the state before the writes; if two write the same item, the later one wins.

        Raises:
            SvcError: The service refuses, or cannot be reached; `validation_failed` for a value of more than about
                16 KiB as JSON.
            ValueError: A namespace, a key or a filter cannot be used.
        """
        results: list[Result] = []
        puts: dict[str, PutOp] = {}
        for op in ops:
            if isinstance(op, PutOp):
                check_namespace(op.namespace)
                puts[name_of(op.namespace, op.key)] = op
                results.append(None)
            elif isinstance(op, GetOp):
                results.append(self._get(op))
            elif isinstance(op, SearchOp):
                results.append(self._search(op))
            else:
                results.append(self._list_namespaces(op))
        for op in puts.values():
            self._put(op)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations in a thread, so that the event loop goes on."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _find(self, namespace: Sequence[str], key: str) -> models.Fact | None:
        check_namespace(namespace)
        try:
            return self._svc.get_fact_by_external_id(external_id=name_of(namespace, key))
        except SvcError as error:
            if error.code in ("not_found", "erased"):
                return None
            raise

    def _get(self, op: GetOp) -> Item | None:
        fact = self._find(op.namespace, op.key)
        return None if fact is None or fact.status in GONE else _to_item(fact)

    def _put(self, op: PutOp) -> None:
        if op.value is None:
            fact = self._find(op.namespace, op.key)
            if fact is not None and (self._deletes == "erase" or fact.status != "archived"):
                delete_fact(self._svc, fact.id, self._deletes)
            return
        name = name_of(op.namespace, op.key)
        index: Any = op.index
        keep_fact(
            self._svc,
            name,
            statement=describe(op.value, index) or label_of(op.namespace, op.key),
            tags=tags_of(op.namespace),
            metadata={
                TAG: {"namespace": list(op.namespace), "key": op.key, "value": op.value, "hidden": index is False},
            },
        )

    def _search(self, op: SearchOp) -> list[SearchItem]:
        check_namespace(op.namespace_prefix)
        if op.limit <= 0:
            return []
        conditions = op.filter or {}
        reach = op.offset + op.limit
        items = self._recall(op.query, op, reach) if op.query else self._list(op.namespace_prefix)
        found: list[SearchItem] = []
        for item in items:
            if len(found) >= reach:
                break
            if all(fits(item.value.get(name), wanted) for name, wanted in conditions.items()):
                found.append(item)
        return found[op.offset :]

    def _list(self, namespace: Sequence[str]) -> Iterator[SearchItem]:
        for fact in self._svc.all.list_facts(tags=[tag_of(namespace)], limit=_PAGE_MAX):
            item = _to_item(fact)
            if item is not None and fact.status not in GONE:
                yield item

    def _recall(self, query: str, op: SearchOp, reach: int) -> Iterator[SearchItem]:
        if reach > _PAGE_MAX:
            raise ValueError(f"Cannot search by a query beyond {_PAGE_MAX} items")
        reply = self._svc.recall(
            query=query,
            tags=[tag_of(op.namespace_prefix)],
            types=["fact"],
            min_score=0,
            limit=_PAGE_MAX,
            filters={**to_recall_filter(op.filter or {}), f"metadata.{TAG}.hidden": {"ne": True}},
        )
        if not reply.results:
            return
        units = self._svc.get_units(id=[one.id for one in reply.results]).data
        for one, found in zip(reply.results, units, strict=True):
            item = _to_item(found.unit) if isinstance(found.unit, models.Fact) else None
            if item is not None:
                item.score = one.score
                yield item

    def _list_namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        conditions = op.match_conditions or ()
        # Items have a prefix without `*` as a tag.
        fixed = [one.path for one in conditions if one.match_type == "prefix" and "*" not in one.path]
        found = {
            item.namespace[: op.max_depth]
            for item in self._list(fixed[0] if fixed else ())
            if all(matches(item.namespace, one.match_type, one.path) for one in conditions)
        }
        return sorted(found)[op.offset : op.offset + op.limit]


def _to_item(fact: models.Fact) -> SearchItem | None:
    """Return the item that a fact holds; None for a fact of another origin."""
    held = fact.metadata.get(TAG)
    if not isinstance(held, dict) or "namespace" not in held:
        return None
    return SearchItem(
        namespace=tuple(held["namespace"]),
        key=held["key"],
        value=held["value"],
        created_at=fact.created_at,
        updated_at=fact.updated_at,
    )
