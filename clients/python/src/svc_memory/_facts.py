"""Facts that a framework keeps under names of its own."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

from ._client import AsyncClient, Client
from ._error import SvcError
from .gen import models

Deletes = Literal["archive", "erase"]
"""What deleting does: `archive` can be undone by the service's operations, `erase` removes the content for ever."""

GONE = ("archived", "retracted")
"""The states of what was deleted."""

IN_FORCE: list[models.FactStatus] = ["active", "contested"]


def digest(*parts: str) -> str:
    """Return 32 hexadecimal digits for some texts; other texts have others."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def keep_fact(svc: Client, external_id: str, **members: Any) -> None:
    """Store or change the fact of a name; one that was deleted comes back.

    Only this fact has the name, which is also its subject: it contradicts no other, and none contradicts it.
    """
    whole = _name(external_id, members)
    with _allow_deleted():
        if svc.upsert_fact(**whole).status not in GONE:
            return
    svc.restore_fact(id=svc.get_fact_by_external_id(external_id=external_id).id)
    svc.upsert_fact(**whole)


async def keep_fact_async(svc: AsyncClient, external_id: str, **members: Any) -> None:
    """The same as `keep_fact`, for asyncio."""
    whole = _name(external_id, members)
    with _allow_deleted():
        if (await svc.upsert_fact(**whole)).status not in GONE:
            return
    await svc.restore_fact(id=(await svc.get_fact_by_external_id(external_id=external_id)).id)
    await svc.upsert_fact(**whole)


def delete_fact(svc: Client, identity: str, deletes: Deletes) -> None:
    """Delete a fact."""
    if deletes == "erase":
        svc.forget_fact(id=identity, mode="erase")
    else:
        svc.archive_fact(id=identity)


async def delete_fact_async(svc: AsyncClient, identity: str, deletes: Deletes) -> None:
    """Delete a fact, for asyncio."""
    if deletes == "erase":
        await svc.forget_fact(id=identity, mode="erase")
    else:
        await svc.archive_fact(id=identity)


def _name(external_id: str, members: dict[str, Any]) -> dict[str, Any]:
    return {"external_id": external_id, "subject": external_id, "predicate": "holds", "object": "value", **members}


@contextmanager
def _allow_deleted() -> Iterator[None]:
    """The service refuses to change what was archived, and answers it as it is if nothing would change."""
    try:
        yield
    except SvcError as error:
        if error.code != "invalid_transition":
            raise
