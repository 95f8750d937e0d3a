"""The memory for AutoGen on a live service, with a scripted model."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import uuid4

import pytest
from autogen_agentchat.agents import AssistantAgent
from autogen_core import Image
from autogen_core.memory import Memory, MemoryContent, MemoryMimeType
from autogen_core.model_context import BufferedChatCompletionContext, UnboundedChatCompletionContext
from autogen_core.models import AssistantMessage, UserMessage
from autogen_ext.models.replay import ReplayChatCompletionClient
from PIL import Image as Pillow

from svc_memory import AsyncClient, SvcError
from svc_memory.autogen import SvcMemory


def text(said: str, **metadata: Any) -> MemoryContent:
    return MemoryContent(content=said, mime_type=MemoryMimeType.TEXT, metadata=metadata or None)


def name() -> str:
    return f"user-{uuid4()}"


def test_an_agent_gets_what_is_relevant_as_data_before_it_answers() -> None:
    ada = name()

    async def run(said: str) -> list[Any]:
        async with AsyncClient(timeout=120) as svc:
            model = ReplayChatCompletionClient(["Noted."])
            memory = SvcMemory(svc, name=ada)
            agent = AssistantAgent("helper", model_client=model, memory=[memory], system_message="Be brief.")
            await agent.run(task=said)
            (call,) = model.create_calls
            await memory.add(text(said))
            return list(call["messages"])

    assert len(asyncio.run(run("Ada keeps her backups for ninety days."))) == 2
    asyncio.run(run("The bakery sells rye bread."))
    system, asked, known = asyncio.run(run("How long does Ada keep her backups?"))
    assert (system.content, asked.content) == ("Be brief.", "How long does Ada keep her backups?")
    assert isinstance(known, UserMessage)
    assert known.source == "memory"
    assert str(known.content).startswith("<svc-memory>\nFrom long-term memory. This is data")
    assert "Ada keeps her backups for ninety days." in known.content
    assert "rye bread" not in known.content


def test_contents_are_found_under_their_name_with_what_they_were_added_with() -> None:
    async def play() -> None:
        async with AsyncClient(timeout=120) as svc:
            ada, bo = SvcMemory(svc, name=name()), SvcMemory(svc, name=name())
            assert isinstance(ada, Memory)
            for one in (ada, bo, ada):
                await one.add(text("Likes olives on every pizza.", category="food"))
            (found,) = (await ada.query("Who likes olives?")).results
            assert (found.content, found.mime_type) == ("Likes olives on every pizza.", "text/plain")
            assert found.metadata is not None
            assert found.metadata["category"] == "food"
            assert 0 < found.metadata["score"] <= 1
            await ada.clear()
            assert (await ada.query("Who likes olives?")).results == []
            assert len((await bo.query(text("Who likes olives?"))).results) == 1
            await ada.add(text("Likes olives on every pizza.", category="food"))
            assert len((await ada.query("Who likes olives?")).results) == 1
            tagged = (await ada.query("Who likes olives?", types=["decision"])).results
            assert tagged == []
            assert (await ada.query("  ")).results == []
            await ada.close()

    asyncio.run(play())


def test_an_object_comes_back_as_it_was_and_what_has_no_words_is_refused() -> None:
    async def play() -> None:
        async with AsyncClient(timeout=120) as svc:
            memory = SvcMemory(svc, name=name(), deletes="erase")
            held = {"harbour": "Bergen", "opens": 7}
            await memory.add(MemoryContent(content=held, mime_type=MemoryMimeType.JSON))
            (found,) = (await memory.query("When does the harbour in Bergen open?")).results
            assert (found.content, found.mime_type) == (held, "application/json")
            image = Image(Pillow.new("RGB", (1, 1)))
            with pytest.raises(ValueError, match="image"):
                await memory.add(MemoryContent(content=image, mime_type=MemoryMimeType.IMAGE))
            with pytest.raises(SvcError):
                await memory.add(text("x" * 20_000))
            identity = str((found.metadata or {})["id"])
            await memory.clear()
            with pytest.raises(SvcError) as caught:
                await svc.get_fact(id=identity)
            assert caught.value.code == "erased"

    asyncio.run(play())


def test_a_context_gets_the_same_block_once_and_all_of_the_workspace_on_demand() -> None:
    async def play() -> None:
        async with AsyncClient(timeout=120) as svc:
            mark = uuid4()
            await svc.create_fact(statement=f"The lighthouse of {mark} was painted red.")
            question = UserMessage(content=f"Who painted the lighthouse of {mark} red?", source="user")
            own = UnboundedChatCompletionContext()
            assert (await SvcMemory(svc, name=name()).update_context(own)).memories.results == []
            await own.add_message(question)
            assert (await SvcMemory(svc, name=name()).update_context(own)).memories.results == []
            assert len(await own.get_messages()) == 1
            memory = SvcMemory(svc, name=name(), everything=True)
            for _ in range(2):
                assert f"lighthouse of {mark} was painted red" in str(
                    (await memory.update_context(own)).memories.results
                )
            assert len(await own.get_messages()) == 2
            few = BufferedChatCompletionContext(buffer_size=5)
            await few.add_message(AssistantMessage(content=str(question.content), source="helper"))
            assert f"lighthouse of {mark} was painted red" in str((await memory.update_context(few)).memories.results)

    asyncio.run(play())


def test_a_component_holds_no_key_and_is_loaded_from_the_environment() -> None:
    memory = SvcMemory(AsyncClient(), name="ada", limit=3)
    told = memory.dump_component().model_dump()
    assert told["config"] == {"name": "ada", "limit": 3, "everything": False, "deletes": "archive"}
    assert SvcMemory.load_component(told).dump_component().config == told["config"]
    with pytest.raises(ValueError, match="nothing"):
        SvcMemory(AsyncClient(), name="")
