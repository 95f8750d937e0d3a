"""A session of the OpenAI Agents SDK on a live service, with a scripted model."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import uuid4

from agents import Agent, Model, ModelResponse, Runner, Usage, set_tracing_disabled
from agents.memory import Session, SessionSettings
from openai.types.responses import ResponseOutputMessage, ResponseOutputText

from svc_memory import AsyncClient
from svc_memory.openai_agents import SvcSession

set_tracing_disabled(True)


class Echo(Model):
    """Says what it was told, so that a test sees the prompt."""

    async def get_response(self, system_instructions: Any, input: Any, *_: Any, **__: Any) -> ModelResponse:
        said = " / ".join(str(one["content"]) for one in input if one.get("role") == "user")
        text = ResponseOutputText(text=f"You said: {said}", type="output_text", annotations=[])
        message = ResponseOutputMessage(id="m", content=[text], role="assistant", status="completed", type="message")
        return ModelResponse(output=[message], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError


def test_an_agent_remembers_across_runs() -> None:
    name = f"agents-{uuid4()}"

    async def run(said: str) -> str:
        async with AsyncClient(timeout=120) as svc:
            result = await Runner.run(Agent("Echo", model=Echo()), said, session=SvcSession(svc, name))
            return str(result.final_output)

    assert asyncio.run(run("The backup is in Oslo.")) == "You said: The backup is in Oslo."
    assert asyncio.run(run("Where is it?")) == "You said: The backup is in Oslo. / Where is it?"


def test_items_come_back_as_they_were_and_the_latest_can_be_taken_away() -> None:
    items: list[Any] = [
        {"role": "user", "content": "What is the weather?"},
        {"type": "function_call", "call_id": "c1", "name": "weather", "arguments": '{"at":"Oslo"}'},
        {"type": "function_call_output", "call_id": "c1", "output": "rain"},
        {"role": "assistant", "content": [{"type": "output_text", "text": "It rains.", "annotations": []}]},
        {"role": "user", "content": ""},
    ]

    async def play() -> None:
        async with AsyncClient(timeout=120) as svc:
            session = SvcSession(svc, f"items-{uuid4()}")
            assert isinstance(session, Session)
            assert await session.pop_item() is None
            await session.add_items(items)
            await session.add_items([])
            assert await session.get_items() == items
            assert await session.get_items(limit=2) == items[-2:]
            session.session_settings = SessionSettings(limit=1)
            assert await session.get_items() == items[-1:]
            session.session_settings = None
            assert await session.pop_item() == items[-1]
            assert await session.get_items() == items[:-1]
            found = await svc.session(session.session_id).context(query="weather")
            assert "It rains." in [turn.content for turn in found.turns]
            await session.clear_session()
            assert await session.get_items() == []
            await session.add_items(items[:1])
            assert await session.get_items() == items[:1]

    asyncio.run(play())
