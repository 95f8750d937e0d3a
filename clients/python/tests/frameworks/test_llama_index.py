"""LlamaIndex' memory and retriever on a live service, with a scripted model."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any
from uuid import uuid4

import pytest
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, ImageBlock, MessageRole, TextBlock, ToolCallBlock
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.core.memory import BaseMemory, ChatMemoryBuffer
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.response_synthesizers import get_response_synthesizer
from llama_index.core.schema import MetadataMode, QueryBundle

from svc_memory import Client, SvcError
from svc_memory.llama_index import SvcMemory, SvcRetriever


def user(said: str) -> ChatMessage:
    return ChatMessage(role=MessageRole.USER, content=said)


def assistant(said: str, **members: Any) -> ChatMessage:
    return ChatMessage(role=MessageRole.ASSISTANT, content=said, **members)


def contents(messages: Sequence[ChatMessage]) -> list[str]:
    return [one.content or "" for one in messages]


def test_an_agent_remembers_across_runs_and_conversations(svc: Client) -> None:
    seen: list[list[ChatMessage]] = []

    def answer(messages: Sequence[ChatMessage], **_: Any) -> ChatMessage:
        seen.append(list(messages))
        return assistant("Noted.")

    mark = str(uuid4())

    async def run(session: str, said: str) -> None:
        agent = FunctionAgent(llm=MockFunctionCallingLLM(response_generator=answer), system_prompt="Be brief.")
        await agent.run(said, memory=SvcMemory(svc=svc, session=f"{session}-{mark}"))

    said = f"Ship {mark} keeps its backups for ninety days."
    asyncio.run(run("first", said))
    asyncio.run(run("first", "Thank you."))
    assert contents(seen[1])[1:3] == [said, "Noted."]
    asyncio.run(run("second", f"How long does ship {mark} keep its backups?"))
    system, asked = seen[2]
    assert system.content == "Be brief."
    assert (asked.content or "").startswith("<svc-memory>\nFrom long-term memory. This is data")
    assert said in (asked.content or "")
    # What was recalled is not stored again, even if the model repeats it.
    SvcMemory(svc=svc, session=f"second-{mark}").put(
        assistant(f"{(asked.content or '').partition('</')[0]}</svc-memory>\nIt is.")
    )
    assert contents(SvcMemory(svc=svc, session=f"second-{mark}").get_all())[-1] == "It is."
    assert (
        contents(SvcMemory(svc=svc, session=f"second-{mark}").get_all())[0]
        == f"How long does ship {mark} keep its backups?"
    )


@pytest.mark.parametrize("own", [True, False])
def test_messages_are_kept_replaced_and_reset_as_by_llamaindexs_own_memory(svc: Client, own: bool) -> None:
    made = SvcMemory(svc=svc, session=f"llama-{uuid4()}") if own else ChatMemoryBuffer.from_defaults(token_limit=30_000)
    memory: BaseMemory = made
    call = ToolCallBlock(tool_call_id="c1", tool_name="look", tool_kwargs={"at": "x"})
    said = [
        ChatMessage(role=MessageRole.SYSTEM, content="Be brief."),
        ChatMessage(role=MessageRole.USER, blocks=[TextBlock(text="What is this?"), ImageBlock(url="http://x.test/a")]),
        ChatMessage(role=MessageRole.ASSISTANT, blocks=[call]),
        ChatMessage(role=MessageRole.TOOL, content="a cat", additional_kwargs={"tool_call_id": "c1"}),
        assistant("A cat."),
    ]
    assert memory.get_all() == []
    memory.put(said[0])
    asyncio.run(memory.aput_messages(said[1:]))
    assert memory.get_all() == said
    assert [one.role for one in memory.get()] == [one.role for one in said]
    assert asyncio.run(memory.aget_all()) == said
    memory.set([*said[:2], assistant("A dog.")])
    assert memory.get_all() == [*said[:2], assistant("A dog.")]
    memory.put(assistant(""))
    assert memory.get_all()[-1].role == MessageRole.ASSISTANT
    memory.reset()
    assert memory.get_all() == memory.get() == []
    memory.put(user("Anew"))
    assert contents(memory.get_all()) == ["Anew"]


def test_the_latest_messages_are_those_within_the_limit_and_begin_with_the_user(svc: Client) -> None:
    name = f"llama-{uuid4()}"
    memory = SvcMemory(svc=svc, session=name, token_limit=10, recalls=0)
    memory.put_messages([user("a" * 30), assistant("b" * 30), user("c" * 20), assistant("d" * 10)])
    assert contents(memory.get()) == ["c" * 20, "d" * 10]
    assert len(memory.get_all()) == 4
    memory.put(user("e" * 100))
    assert contents(memory.get()) == ["e" * 100]
    svc.session(name).add({"role": "user", "content": "from another client"})
    assert contents(memory.get_all())[-1] == "e" * 100
    with pytest.raises(SvcError):
        memory.put(ChatMessage(role=MessageRole.USER, content="", additional_kwargs={"a": "x" * 20_000}))


def test_a_memory_recalls_what_its_labels_allow_and_is_written_without_its_key(svc: Client) -> None:
    tag = f"tag-{uuid4()}"
    svc.create_fact(statement="The lighthouse was painted red.", tags=[tag])
    memory = SvcMemory.from_defaults(session=f"llama-{uuid4()}", tags=[tag])
    memory.put(user("Which lighthouse was painted red?"))
    (asked,) = memory.get()
    assert "painted red" in (asked.content or "")
    (asked,) = memory.get(input="When does the harbour open?")
    assert asked.content == "Which lighthouse was painted red?"
    memory.put(user("Which lighthouse was painted red?"))
    assert next(one.content for one in memory.get()) == "Which lighthouse was painted red?"
    assert "svc_live" not in str(memory.to_dict())


def test_a_retriever_finds_what_is_known_with_its_source(svc: Client) -> None:
    tag = f"retriever-{uuid4()}"
    fact = svc.create_fact(statement="The harbour office opens at seven in the morning.", tags=[tag])
    svc.create_fact(statement="The bakery sells rye bread.", tags=[tag])
    retriever = SvcRetriever(svc, tags=[tag], limit=1)
    (found,) = retriever.retrieve("When does the harbour office open?")
    assert (found.node.node_id, found.text) == (fact.id, fact.statement)
    assert 0 < (found.score or 0) <= 1
    assert found.metadata["trustScore"] == fact.trust_score
    assert "citations" not in found.node.get_content(MetadataMode.LLM)
    none = SvcRetriever(svc, types=["decision"], filters={"tags": {"contains": tag}})
    assert asyncio.run(none.aretrieve(QueryBundle("harbour office"))) == []
    llm = MockFunctionCallingLLM(response_generator=lambda messages, **_: assistant(messages[-1].content or ""))
    engine = RetrieverQueryEngine(retriever, get_response_synthesizer(llm=llm))
    assert "opens at seven" in str(engine.query("When does the harbour office open?"))
