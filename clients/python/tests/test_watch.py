"""Following a channel: each event once, in order, also when the connection is cut."""

from __future__ import annotations

import asyncio
import threading
from uuid import uuid4

import pytest
from conftest import Relay
from typing_extensions import assert_type

from svc_memory import AsyncClient, Client, SvcError, models


def test_a_watch_yields_each_change_once_in_order_across_cuts(svc: Client, relay: Relay) -> None:
    since = svc.list_changes(limit=1).end_cursor
    sent: list[str] = []
    seen: list[str] = []
    with Client(relay.url) as shaky, shaky.watch("memory", since=since) as watch:
        for turn in range(3):
            sent += [svc.create_fact(statement=f"Watch {turn} {i} {uuid4()}").id for i in range(3)]
            if turn > 0:
                relay.cut()
            for one in watch:
                assert_type(one.event, models.Change)
                if one.event.kind == "fact.created":
                    seen.append(one.event.resource_id)
                if len(seen) == len(sent):
                    break
    assert seen == sent
    assert relay.connections >= 2


def test_a_watch_for_asyncio_goes_on_from_its_cursor(svc: Client, relay: Relay) -> None:
    async def play() -> tuple[list[str], list[str]]:
        seen: list[str] = []
        async with AsyncClient(relay.url) as shaky:
            cursor = (await shaky.list_changes(limit=1)).end_cursor
            sent: list[str] = []
            for _ in range(2):
                sent.append((await shaky.create_fact(statement=f"Async {uuid4()}")).id)
                async with shaky.watch("memory", since=cursor) as watch:
                    async for one in watch:
                        cursor = one.cursor
                        if one.event.kind == "fact.created":
                            seen.append(one.event.resource_id)
                            break
                relay.cut()
        return seen, sent

    seen, sent = asyncio.run(play())
    assert seen == sent


def test_a_watch_of_health_says_how_the_workspace_is_and_ends_when_another_thread_closes_it(svc: Client) -> None:
    watch = svc.watch("health")
    seen: list[models.HealthSnapshot] = []

    def follow() -> None:
        for one in watch:
            assert_type(one.event, models.HealthSnapshot)
            seen.append(one.event)
            threading.Thread(target=watch.close).start()

    thread = threading.Thread(target=follow)
    thread.start()
    thread.join(60)
    assert not thread.is_alive()
    assert len(seen) == 1


def test_a_watch_that_is_refused_or_never_connects_says_why() -> None:
    with Client(key="svc_live_wrong") as wrong, pytest.raises(SvcError) as caught:
        next(wrong.watch("memory"))
    assert caught.value.code == "unauthenticated"
    with Client("http://127.0.0.1:9", "k", retries=1) as nowhere, pytest.raises(SvcError) as caught:
        next(nowhere.watch("memory"))
    assert caught.value.code == "connection_failed"

    async def refuse() -> None:
        async with AsyncClient() as other:
            await other.watch("memory", since="no place").__anext__()

    with pytest.raises(SvcError) as caught:
        asyncio.run(refuse())
    assert caught.value.code == "validation_failed"
