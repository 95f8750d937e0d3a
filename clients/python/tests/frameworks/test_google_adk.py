"""The memory service for Google's Agent Development Kit on a live service, with a scripted model."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any
from uuid import uuid4

import pytest
from google.adk.agents import LlmAgent
from google.adk.events.event import Event
from google.adk.memory.base_memory_service import BaseMemoryService
from google.adk.memory.in_memory_memory_service import InMemoryMemoryService
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.adk.sessions.session import Session
from google.adk.tools.load_memory_tool import load_memory_tool
from google.adk.tools.preload_memory_tool import preload_memory_tool
from google.genai import types

from svc_memory import AsyncClient
from svc_memory.google_adk import SvcMemoryService

APP = "helper"


def content(text: str, role: str = "user") -> types.Content:
    return types.Content(role=role, parts=[types.Part(text=text)])


def event(author: str, text: str, **members: Any) -> Event:
    return Event(author=author, content=content(text), id=str(uuid4()), **members)


def texts(found: Any) -> list[str]:
    return [part.text for one in found.memories for part in one.content.parts]


class Scripted(BaseLlm):
    """Asks for the memory if it has the tool, and says what it was given, so that a test sees the prompt."""

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        parts = [part for one in llm_request.contents for part in one.parts or []]
        answers = [part.function_response.response for part in parts if part.function_response]
        if "load_memory" in llm_request.tools_dict and not answers:
            call = types.FunctionCall(name="load_memory", args={"query": parts[-1].text})
            yield LlmResponse(content=types.Content(role="model", parts=[types.Part(function_call=call)]))
            return
        said = str(answers[-1]) if answers else "\n".join(part.text or "" for part in parts)
        yield LlmResponse(content=content(said, "model"))


@pytest.mark.parametrize("tool", [load_memory_tool, preload_memory_tool])
def test_an_agent_recalls_what_its_user_said_in_an_earlier_session(tool: Any) -> None:
    ada, bo = str(uuid4()), str(uuid4())

    async def run(user: str, said: str) -> str:
        async with AsyncClient(timeout=120) as svc:
            sessions, memory = InMemorySessionService(), SvcMemoryService(svc)
            agent = LlmAgent(name=APP, model=Scripted(model="scripted"), tools=[tool])
            runner = Runner(app_name=APP, agent=agent, session_service=sessions, memory_service=memory)
            session = await sessions.create_session(app_name=APP, user_id=user)
            answer = ""
            async for one in runner.run_async(user_id=user, session_id=session.id, new_message=content(said)):
                answer += "".join(part.text or "" for part in one.content.parts or []) if one.content else ""
            whole = await sessions.get_session(app_name=APP, user_id=user, session_id=session.id)
            assert whole is not None
            await memory.add_session_to_memory(whole)
            return answer

    asyncio.run(run(ada, "I keep my backups for ninety days."))
    assert "ninety days" in asyncio.run(run(ada, "How long do I keep backups?"))
    assert "ninety days" not in asyncio.run(run(bo, "How long do I keep backups?"))


@pytest.mark.parametrize("own", [True, False])
def test_memories_are_added_found_and_deleted_as_by_the_kits_own_service(own: bool) -> None:
    """What both do; the words are chosen so that its search by words finds what ours finds."""

    async def play() -> None:
        async with AsyncClient(timeout=120) as svc:
            service: BaseMemoryService = SvcMemoryService(svc) if own else InMemoryMemoryService()
            ada, bo, session = str(uuid4()), str(uuid4()), str(uuid4())
            said = [event("user", "The harbour opens at seven."), event(APP, "The bakery sells rye bread.")]
            silent = Event(author=APP, id=str(uuid4()), content=types.Content(parts=[]))
            whole = Session(id=session, app_name=APP, user_id=ada, events=[*said, silent])

            async def find(query: str, user: str = ada, app: str = APP) -> list[str]:
                """The best; what has nothing to do with the query may follow."""
                return texts(await service.search_memory(app_name=app, user_id=user, query=query))[:1]

            await service.add_session_to_memory(whole)
            assert await find("harbour opens") == ["The harbour opens at seven."]
            assert await find("harbour opens", user=bo) == []
            assert await find("harbour opens", app="another") == []
            more = event("user", "The ferry leaves at noon.")
            await service.add_session_to_memory(whole.model_copy(update={"events": [*said, more]}))
            await service.add_events_to_memory(app_name=APP, user_id=ada, events=[more], session_id=session)
            await service.add_events_to_memory(app_name=APP, user_id=ada, events=[more], session_id=None)
            assert await find("ferry leaves") == ["The ferry leaves at noon."]
            harbour = (await service.search_memory(app_name=APP, user_id=ada, query="harbour opens")).memories[0]
            assert harbour.author == "user"
            assert harbour.timestamp is not None
            await service.delete_memory(app_name=APP, user_id=bo, memory_id=harbour.id)
            assert await find("harbour opens") == ["The harbour opens at seven."]
            await service.delete_memory(app_name=APP, user_id=ada, memory_id=harbour.id)
            await service.delete_memory(app_name=APP, user_id=ada, memory_id=None)
            await service.add_session_to_memory(whole)
            assert await find("harbour opens") != ["The harbour opens at seven."]

    asyncio.run(play())


def test_explicit_memories_are_facts_of_their_user() -> None:
    async def play() -> None:
        async with AsyncClient(timeout=120) as svc:
            service, ada, bo = SvcMemoryService(svc), str(uuid4()), str(uuid4())
            entry = MemoryEntry(content=content("Ada prefers mail."), timestamp="2026-03-01T09:00:00+00:00")
            other = MemoryEntry(content=content("Ada likes tulips."), timestamp="in spring", custom_metadata={"a": 1})
            for user in (ada, ada, bo):
                await service.add_memory(app_name=APP, user_id=user, memories=[entry, other])
            reply = await service.search_memory(app_name=APP, user_id=ada, query="Who prefers mail?")
            assert texts(reply) == ["Ada prefers mail."]
            (found,) = reply.memories
            assert (found.timestamp or "").startswith("2026-03-01")
            assert found.custom_metadata["type"] == "fact"
            for user in (bo, ada):
                await service.delete_memory(app_name=APP, user_id=user, memory_id=found.id)
            for user, left in ((ada, []), (bo, ["Ada prefers mail."])):
                reply = await service.search_memory(app_name=APP, user_id=user, query="Who prefers mail?")
                assert texts(reply) == left
            await service.delete_memory(app_name=APP, user_id=ada, memory_id="no id")
            assert (await service.search_memory(app_name=APP, user_id=ada, query=" ")).memories == []
            with pytest.raises(ValueError, match="without text"):
                await service.add_memory(
                    app_name=APP, user_id=ada, memories=[MemoryEntry(content=types.Content(parts=[]))]
                )

    asyncio.run(play())
