"""`svc.tenant()`: the client of one user of an app, whose token the client gets and renews by itself."""

from __future__ import annotations

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from svc_memory import AsyncClient, Client, SvcError
from svc_memory.gen.models import Scope

pytestmark = pytest.mark.skipif("SVC_BROKER_KEY" not in os.environ, reason="it needs the key of a broker")


@pytest.fixture
def app() -> Client:
    return Client(key=os.environ["SVC_BROKER_KEY"], timeout=120)


def test_the_users_of_an_app_are_apart_and_a_revoked_token_is_renewed(app: Client) -> None:
    with app:
        alice, bob = app.tenant("alice"), app.tenant("bob")
        assert app.tenant("alice") is alice
        assert app.tenant("alice", scopes=["memory:read"]) is not alice
        both: list[Scope] = ["memory:read", "memory:write"]
        assert app.tenant("alice", scopes=both) is app.tenant("alice", scopes=both[::-1])
        assert app.with_options(timeout=1).tenant("alice") is not alice
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda n: alice.create_fact(statement=f"Alice has {n} cups."), range(16)))
        bob.create_fact(statement="Bob has a saucer.")
        told = bob.recall(query="Who has cups and a saucer?", min_score=0)
        assert "Alice" not in told.model_dump_json()
        workspace = alice.whoami().workspace.id
        app.revoke_tenant_tokens(id=workspace)
        assert alice.whoami().workspace.id == workspace
        app.suspend_tenant(id=workspace)
        with pytest.raises(SvcError) as refused:
            alice.whoami()
        assert refused.value.code == "workspace_suspended"
        app.resume_tenant(id=workspace)
        with pytest.raises(SvcError) as foreign:
            alice.tenant("bob").whoami()
        assert foreign.value.code in ("forbidden", "insufficient_scope", "unauthenticated")
        assert app.tenant("bob") is bob
        assert bob.whoami().workspace.id != workspace
        reader = app.tenant("alice", scopes=["memory:read"])
        with pytest.raises(SvcError) as denied:
            reader.create_fact(statement="No.")
        assert denied.value.code == "insufficient_scope"


def test_tasks_at_the_same_time_share_one_token_and_a_watch_outlives_it() -> None:
    async def play() -> None:
        async with AsyncClient(key=os.environ["SVC_BROKER_KEY"], timeout=120) as app:
            carol = app.tenant("carol")
            made = await asyncio.gather(*(carol.create_fact(statement=f"Carol has {n} cups.") for n in range(8)))
            workspace = (await carol.whoami()).workspace.id
            cursor = (await carol.list_changes(limit=1)).end_cursor
            async with carol.watch("memory", since=cursor) as watch:
                first = await carol.create_fact(statement="Carol has a spoon.")
                seen = [(await anext(watch)).event.resource_id]
                await app.revoke_tenant_tokens(id=workspace)
                second = await carol.create_fact(statement="Carol has a fork.")
                seen.append((await anext(watch)).event.resource_id)
            assert seen == [first.id, second.id]
            assert len(made) == 8

    asyncio.run(play())
