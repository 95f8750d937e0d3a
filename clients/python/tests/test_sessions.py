"""Sessions by the caller's own names, on a live service."""

from __future__ import annotations

import asyncio
from uuid import uuid4

import pytest

from svc_memory import AsyncClient, Client, SvcError, models, takes_no_more


def test_a_session_is_found_or_started_and_takes_turns_of_any_form(svc: Client) -> None:
    name = f"chat-{uuid4()}"
    session = svc.session(name, title="Support call")
    session.add({"role": "user", "content": "We moved the backup to Oslo.", "messageId": "m1"})
    session.add([models.AddTurnBody(role="assistant", content="Noted.", message_id="m2")])
    session.add({"role": "user", "content": "We moved the backup to Oslo.", "messageId": "m1"})
    again = svc.session(name)
    assert again.id == session.id
    assert [one.content for one in again.turns()] == ["We moved the backup to Oslo.", "Noted."]
    assert again.get().title == "Support call"
    assert [one.message_id for one in again.context(query="backup").turns] == ["m1", "m2"]
    session.collapse()
    with pytest.raises(SvcError) as caught:
        session.add({"role": "user", "content": "One more."})
    assert takes_no_more(caught.value)
    session.next().add({"role": "user", "content": "One more."})
    assert svc.session(f"{name}#2").get().turn_count == 1


def test_many_turns_go_in_several_requests(svc: Client) -> None:
    async def play() -> int:
        async with AsyncClient(timeout=120) as other:
            session = other.session(f"long-{uuid4()}")
            await session.add([{"role": "user", "content": f"Turn {i}."} for i in range(501)])
            assert len((await session.context(max_tokens=500)).turns) > 0
            return len([one async for one in session.turns()])

    assert asyncio.run(play()) == 501
