"""Calls, their retries and their errors, on a live service."""

from __future__ import annotations

import asyncio
import contextlib
import io
import itertools
import pickle
import socket
import threading
import time
from datetime import datetime, timezone
from uuid import uuid4

import httpx
import pytest
from conftest import Relay
from typing_extensions import assert_type

from svc_memory import UNSET, AsyncClient, Client, SvcError, models

NOWHERE = "01890000-0000-7000-8000-000000000000"


def test_models_have_python_names_and_types_and_keep_what_they_do_not_know(svc: Client) -> None:
    fact = svc.create_fact(
        statement=f"Rome has seven hills {uuid4()}.", valid_from=datetime(2024, 5, 1, tzinfo=timezone.utc)
    )
    assert fact.valid_from == datetime(2024, 5, 1, tzinfo=timezone.utc)
    assert fact.created_at.tzinfo is not None
    assert_type(fact.trust_score, int)
    later = models.Whoami.model_validate({**svc.whoami().to_dict(), "mood": "good"})
    assert later.to_dict()["mood"] == "good"
    newer = models.Fact.model_validate({**svc.get_fact(id=fact.id).to_dict(), "status": "dreamt"})
    assert newer.status == "dreamt"  # type: ignore[comparison-overlap]


def test_a_union_narrows_by_the_member_that_decides(svc: Client) -> None:
    fact = svc.create_fact(statement=f"Ada keeps bees {uuid4()}.")
    entity = svc.create_entity(canonical_name=f"Ada {uuid4()}")
    units = [one.unit for one in svc.get_units(id=[fact.id, entity.id]).data if one.unit is not None]
    said = []
    for unit in units:
        if unit.type == "fact":
            assert_type(unit, models.Fact)
            said.append(unit.statement)
        elif unit.type == "entity":
            assert_type(unit, models.Entity)
            said.append(unit.canonical_name)
    assert said == [fact.statement, entity.canonical_name]
    forgotten = svc.forget_fact(id=fact.id, mode="erase")
    assert forgotten.mode == "erase"
    assert_type(forgotten, models.ErasedFact)


def test_none_leaves_a_member_out_unless_the_service_knows_null(svc: Client) -> None:
    fact = svc.create_fact(statement=f"Bo is tall {uuid4()}.", subject="Bo", predicate="height", object="tall")
    same = svc.update_fact(id=fact.id, pinned=True, reason=None, subject=UNSET)
    assert (same.subject, same.pinned) == ("Bo", True)
    assert svc.update_fact(id=fact.id, object=None).object is None


def test_a_list_yields_the_items_of_all_its_pages(svc: Client) -> None:
    tag = f"pages-{uuid4()}"
    sent = [svc.create_fact(statement=f"Page {i} {uuid4()}", tags=[tag]).id for i in range(5)]
    facts = list(svc.all.list_facts(tags=[tag], limit=2))
    assert_type(facts, list[models.Fact])
    assert sorted(one.id for one in facts) == sorted(sent)

    async def read() -> list[str]:
        async with AsyncClient(timeout=120) as other:
            return [one.id async for one in other.all.list_facts(tags=[tag], limit=2)]

    assert asyncio.run(read()) == [one.id for one in facts]


def test_a_change_whose_reply_is_lost_happens_once(svc: Client, relay: Relay) -> None:
    tag = f"once-{uuid4()}"
    with Client(relay.url, timeout=120) as shaky:
        relay.swallowed = 2
        shaky.create_task(title=tag)

    async def change() -> None:
        async with AsyncClient(relay.url, timeout=120) as other:
            relay.swallowed = 1
            await other.create_task(title=tag)

    asyncio.run(change())
    found = [one for one in svc.all.list_tasks(limit=100) if one.title == tag]
    assert len(found) == 2
    assert relay.connections >= 5


def test_a_refusal_has_its_code_and_the_faults_of_the_input(svc: Client) -> None:
    with pytest.raises(SvcError) as caught:
        svc.get_fact(id=NOWHERE)
    error = caught.value
    assert (error.code, error.status, error.retryable) == ("not_found", 404, False)
    assert error.request_id is not None
    copied = pickle.loads(pickle.dumps(error))
    assert (copied.code, str(copied), copied.status) == (error.code, str(error), 404)
    with pytest.raises(SvcError) as caught:
        svc.recall(query="", limit=1_000)
    assert caught.value.code == "validation_failed"
    assert {one.path for one in caught.value.errors} == {"query", "limit"}
    fact = svc.create_fact(statement=f"Version {uuid4()}")
    svc.update_fact(id=fact.id, pinned=True, if_match=fact.version)
    with pytest.raises(SvcError) as caught:
        svc.update_fact(id=fact.id, pinned=False, if_match=fact.version)
    assert caught.value.code == "version_mismatch"
    for part in ("", ".", ".."):
        with pytest.raises(ValueError, match="part of an address"):
            svc.get_fact(id=part)


def test_what_is_not_the_service_and_what_does_not_answer_say_so() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(302, headers={"location": "http://elsewhere.example"}, text="<html>")

    with pytest.raises(SvcError) as caught:
        Client("http://svc.test", "k", http=httpx.Client(transport=httpx.MockTransport(answer))).whoami()
    assert (caught.value.code, caught.value.status) == ("bad_reply", 302)
    other = httpx.Client(transport=httpx.MockTransport(lambda _: httpx.Response(200, json={"hello": 1})))
    with pytest.raises(SvcError) as caught:
        Client("http://svc.test", "k", http=other).whoami()
    assert caught.value.code == "bad_reply"
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        began = time.monotonic()
        with pytest.raises(SvcError) as caught:
            Client(url, "k", timeout=0.3).whoami()
        assert (caught.value.code, caught.value.retryable) == ("timeout", True)
        assert time.monotonic() - began < 5

        async def wait() -> None:
            async with AsyncClient(url, "k") as other:
                await other.with_options(timeout=0.3).whoami()

        with pytest.raises(SvcError) as caught:
            asyncio.run(wait())
        assert caught.value.code == "timeout"
    with pytest.raises(SvcError) as caught:
        Client(url, "secret-key", retries=1).whoami()
    assert caught.value.code == "connection_failed"
    assert "secret-key" not in repr(caught.value)


@pytest.mark.parametrize("head", ["", "HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n"])
def test_a_reply_that_comes_byte_by_byte_ends_with_the_time_of_the_call(head: str) -> None:
    """Each byte is in time, and the reply never ends."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            for _ in range(2):
                near, _ = listener.accept()
                near.recv(65_536)
                with contextlib.suppress(OSError), near:
                    near.sendall(head.encode())
                    for byte in itertools.cycle(b"HTTP/1.1 200 OK\r\na: " + b"a" * 90_000):
                        near.sendall(bytes([byte]))
                        time.sleep(0.01)

        threading.Thread(target=answer, daemon=True).start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        with pytest.raises(SvcError) as caught:
            Client(url, "k", timeout=0.5, http=httpx.Client(timeout=60)).whoami()
        assert caught.value.code == "timeout"

        async def play() -> None:
            async with AsyncClient(url, "k", timeout=0.5) as other:
                await other.whoami()

        with pytest.raises(SvcError) as caught:
            asyncio.run(play())
        assert caught.value.code == "timeout"


def test_a_client_that_cannot_be_is_refused_without_naming_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for url in ("ftp://a", "a", "http://", "http://a?b=1", "http://me:pw@a"):
        with pytest.raises(ValueError, match="url"):
            Client(url, "k")
    with pytest.raises(ValueError, match="key") as caught:
        Client(key="svc_live_äöü\n")
    assert "svc_live" not in str(caught.value)
    monkeypatch.delenv("SVC_KEY")
    with pytest.raises(ValueError, match="SVC_KEY"):
        Client()
    with pytest.raises(ValueError, match="retries"):
        Client(key="k", retries=11)
    assert Client("http://127.0.0.1:1/proxy/v1/", None)._target.origin == "http://127.0.0.1:1/proxy"


def test_files_go_up_and_down(svc: Client) -> None:
    statement = f"Files go up {uuid4()}."
    svc.create_fact(statement=statement)
    with svc.export_memory() as stream:
        exported = b"".join(stream)
    assert statement.encode() in exported
    again = svc.import_memory(file=io.BytesIO(exported), format="svc", dry_run=True)
    assert again.to_dict()["dryRun"] is True

    async def carry() -> None:
        async with AsyncClient(timeout=120) as other:
            text = await (await other.export_memory()).read()
            await other.import_memory(file=io.BytesIO(text), format="svc", dry_run=True)

    asyncio.run(carry())


def test_threads_share_a_client(svc: Client) -> None:
    tag = f"threads-{uuid4()}"
    threads = [
        threading.Thread(target=lambda: svc.create_fact(statement=f"Thread {uuid4()}", tags=[tag])) for _ in range(8)
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len(list(svc.all.list_facts(tags=[tag]))) == 8
