"""The memory as a storage of CrewAI: what crews remember is kept by the service, and found by words.

    storage = SvcStorage(Client())
    crew = Crew(…, memory=Memory(storage=storage, embedder=storage.embed, llm=llm))

It needs the extra `crewai` of this package.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from crewai.memory.types import MemoryRecord, ScopeInfo

from ._block import QUERY_MAX
from ._client import Client
from ._crewai_vectors import read_text, to_vector
from ._error import SvcError
from ._facts import GONE, IN_FORCE, Deletes, delete_fact, digest, keep_fact
from .gen import models

_PLACE = "crewai"
_PAGE_MAX = 100
_DEPTH_MAX = 48
"""The most names in a scope: a record has a tag for its scope and each one above it."""


class SvcStorage:
    """A `StorageBackend` of CrewAI whose records are facts of the workspace.

    Args:
        svc: The client. Its key needs `memory:read`, `memory:write` and `memory:delete`.
        deletes: What deleting does: `archive`, which the service's operations can undo, or `erase`, which removes the
            content for ever.
    """

    def __init__(self, svc: Client, *, deletes: Deletes = "archive") -> None:
        self._svc = svc
        self._deletes: Deletes = deletes

    @staticmethod
    def embed(texts: list[str]) -> list[list[float]]:
        """Return what CrewAI's `Memory` needs as `embedder`: a vector for each text, which holds the text itself.

        The service finds by words and by meaning, so the vector only has to bring the query to it. Vectors of equal
        texts are equal, those of different texts are far apart.
        """
        return [to_vector(text) for text in texts]

    def save(self, records: list[MemoryRecord]) -> None:
        """Store records.

        Raises:
            SvcError: The service refuses, or cannot be reached; `validation_failed` for a content of more than 16 KiB.
            ValueError: A scope is too deep.
        """
        for record in records:
            self._keep(record)

    def update(self, record: MemoryRecord) -> None:
        """Replace the record with the same id."""
        self._keep(record)

    def search(
        self,
        query_embedding: list[float],
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        metadata_filter: dict[str, Any] | None = None,
        limit: int = 10,
        min_score: float = 0.0,
    ) -> list[tuple[MemoryRecord, float]]:
        """Return records that are relevant to a query, best first; the score is the probability that it is.

        Raises:
            ValueError: The vector is not one of `embed`.
            SvcError: The service refuses, or cannot be reached.
        """
        query = read_text(query_embedding)[:QUERY_MAX]
        if not query.strip() or limit <= 0:
            return []
        reply = self._svc.recall(
            query=query, types=["fact"], tags=[_tag_of(scope_prefix)], limit=_PAGE_MAX, min_score=min_score or None
        )
        units = self._svc.get_units(id=[one.id for one in reply.results]).data if reply.results else []
        found = [
            (_to_record(read.unit), one.score)
            for one, read in zip(reply.results, units, strict=True)
            if isinstance(read.unit, models.Fact)
        ]
        return [(one, score) for one, score in found if _fits(one, categories, metadata_filter)][:limit]

    def get_record(self, record_id: str) -> MemoryRecord | None:
        """Return a record; None if there is none."""
        try:
            fact = self._svc.get_fact_by_external_id(external_id=_name_of(record_id))
        except SvcError as error:
            if error.code in ("not_found", "erased"):
                return None
            raise
        return None if fact.status in GONE else _to_record(fact)

    def list_records(self, scope_prefix: str | None = None, limit: int = 200, offset: int = 0) -> list[MemoryRecord]:
        """List the records of a scope and those below it, the newest first."""
        records = sorted((one for _, one in self._list(scope_prefix)), key=lambda one: one.created_at, reverse=True)
        return records[offset : offset + limit]

    def delete(
        self,
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        record_ids: list[str] | None = None,
        older_than: datetime | None = None,
        metadata_filter: dict[str, Any] | None = None,
    ) -> int:
        """Delete the records that meet all conditions, and return how many."""
        found = [
            fact.id
            for fact, record in self._list(scope_prefix)
            if _fits(record, categories, metadata_filter)
            and (record_ids is None or record.id in record_ids)
            and (older_than is None or record.created_at < older_than)
        ]
        for identity in found:
            delete_fact(self._svc, identity, self._deletes)
        return len(found)

    def reset(self, scope_prefix: str | None = None) -> None:
        """Delete the records of a scope and those below it; without a scope, all that CrewAI has stored."""
        self.delete(scope_prefix)

    def count(self, scope_prefix: str | None = None) -> int:
        """Count the records of a scope and those below it."""
        return sum(1 for _ in self._list(scope_prefix))

    def get_scope_info(self, scope: str) -> ScopeInfo:
        """Return what a scope holds, with the scopes below it."""
        records = [record for _, record in self._list(scope)]
        times = [record.created_at for record in records]
        return ScopeInfo(
            path=scope,
            record_count=len(records),
            categories=sorted({one for record in records for one in record.categories}),
            oldest_record=min(times, default=None),
            newest_record=max(times, default=None),
            child_scopes=_children(scope, records),
        )

    def list_scopes(self, parent: str = "/") -> list[str]:
        """List the scopes directly below a scope."""
        return _children(parent, [record for _, record in self._list(parent)])

    def list_categories(self, scope_prefix: str | None = None) -> dict[str, int]:
        """Return how many records have each category."""
        return dict(Counter(one for _, record in self._list(scope_prefix) for one in record.categories))

    async def asave(self, records: list[MemoryRecord]) -> None:
        """Store records, in a thread."""
        await asyncio.to_thread(self.save, records)

    async def asearch(
        self,
        query_embedding: list[float],
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        metadata_filter: dict[str, Any] | None = None,
        limit: int = 10,
        min_score: float = 0.0,
    ) -> list[tuple[MemoryRecord, float]]:
        """Search, in a thread."""
        return await asyncio.to_thread(
            self.search, query_embedding, scope_prefix, categories, metadata_filter, limit, min_score
        )

    async def adelete(
        self,
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        record_ids: list[str] | None = None,
        older_than: datetime | None = None,
        metadata_filter: dict[str, Any] | None = None,
    ) -> int:
        """Delete, in a thread."""
        return await asyncio.to_thread(self.delete, scope_prefix, categories, record_ids, older_than, metadata_filter)

    def _keep(self, record: MemoryRecord) -> None:
        scope = _parts_of(record.scope)
        if len(scope) > _DEPTH_MAX:
            raise ValueError(f"Cannot use a scope of more than {_DEPTH_MAX} names")
        # The content is the statement, and the vector holds nothing else.
        kept = record.model_dump(mode="json", exclude={"content", "embedding"})
        keep_fact(
            self._svc,
            _name_of(record.id),
            statement=record.content,
            tags=[_tag(scope[:depth]) for depth in range(len(scope) + 1)],
            metadata={_PLACE: kept},
        )

    def _list(self, scope: str | None) -> Iterator[tuple[models.Fact, MemoryRecord]]:
        tags = [_tag_of(scope)]
        # All are read first, because a list that is changed meanwhile has other pages.
        for fact in list(self._svc.all.list_facts(tags=tags, status=IN_FORCE, limit=_PAGE_MAX)):
            yield fact, _to_record(fact)


def _name_of(record_id: str) -> str:
    return f"{_PLACE}/{record_id}" if len(record_id) <= _PAGE_MAX else f"{_PLACE}/{digest(record_id)}"


def _parts_of(scope: str | None) -> list[str]:
    return [part for part in (scope or "").split("/") if part]


def _tag_of(scope: str | None) -> str:
    return _tag(_parts_of(scope))


def _tag(scope: Sequence[str]) -> str:
    return f"{_PLACE}:{digest(*scope)}" if scope else _PLACE


def _children(parent: str, records: Sequence[MemoryRecord]) -> list[str]:
    above = _parts_of(parent)
    scopes = [_parts_of(record.scope) for record in records]
    return sorted({"/" + "/".join(one[: len(above) + 1]) for one in scopes if len(one) > len(above)})


def _fits(record: MemoryRecord, categories: list[str] | None, metadata: dict[str, Any] | None) -> bool:
    return (not categories or any(one in record.categories for one in categories)) and all(
        record.metadata.get(name) == wanted for name, wanted in (metadata or {}).items()
    )


def _to_record(fact: models.Fact) -> MemoryRecord:
    return MemoryRecord(content=fact.statement, **fact.metadata[_PLACE])
