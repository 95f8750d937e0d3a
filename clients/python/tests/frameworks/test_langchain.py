"""LangChain's history and retriever on a live service, with a scripted model."""

from __future__ import annotations

import asyncio
from uuid import uuid4

import pytest
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables.history import RunnableWithMessageHistory

from svc_memory import Client, SvcError
from svc_memory.langchain import SvcChatMessageHistory, SvcRetriever


def test_messages_come_back_as_they_were(svc: Client) -> None:
    name = f"langchain-{uuid4()}"
    said: list[BaseMessage] = [
        SystemMessage("Be brief."),
        HumanMessage(content=[{"type": "text", "text": "What is this?"}, {"type": "image_url", "image_url": "x"}]),
        AIMessage("", tool_calls=[{"name": "look", "args": {"at": "x"}, "id": "c1", "type": "tool_call"}], id="a1"),
        ToolMessage("a cat", tool_call_id="c1"),
        AIMessage("A cat. " + "long " * 5_000),
    ]
    history = SvcChatMessageHistory(svc, name)
    assert history.messages == []
    history.add_messages(said)
    again = SvcChatMessageHistory(svc, name)
    assert again.messages == said
    svc.session(name).add({"role": "user", "content": "from another client"})
    assert again.messages == said
    again.clear()
    assert history.messages == []
    history.add_user_message("Anew")
    assert [one.content for one in asyncio.run(again.aget_messages())] == ["Anew"]
    with pytest.raises(SvcError):
        history.add_messages([HumanMessage(content=[{"type": "text", "text": "x" * 20_000}])])


def test_a_chain_remembers_across_runs(svc: Client) -> None:
    prompt = ChatPromptTemplate.from_messages([MessagesPlaceholder("history"), ("human", "{said}")])
    name = f"chain-{uuid4()}"

    def run(said: str, answer: str) -> BaseMessage:
        chain = prompt | GenericFakeChatModel(messages=iter([AIMessage(answer)]))
        remembering = RunnableWithMessageHistory(
            chain,
            lambda session_id: SvcChatMessageHistory(svc, session_id),
            input_messages_key="said",
            history_messages_key="history",
        )
        answered = remembering.invoke({"said": said}, {"configurable": {"session_id": name}})
        assert isinstance(answered, BaseMessage)
        return answered

    run("The backup is in Oslo.", "Noted.")
    run("Where is it?", "In Oslo.")
    texts = [one.content for one in SvcChatMessageHistory(svc, name).messages]
    assert texts == ["The backup is in Oslo.", "Noted.", "Where is it?", "In Oslo."]


def test_a_retriever_finds_what_is_known_with_its_source(svc: Client) -> None:
    tag = f"retriever-{uuid4()}"
    fact = svc.create_fact(statement="The harbour office opens at seven in the morning.", tags=[tag])
    svc.create_fact(statement="The bakery sells rye bread.", tags=[tag])
    (found,) = SvcRetriever(svc=svc, tags=[tag], limit=1).invoke("When does the harbour office open?")
    assert (found.id, found.page_content) == (fact.id, fact.statement)
    assert found.metadata["type"] == "fact"
    assert found.metadata["trustScore"] == fact.trust_score
    retriever = SvcRetriever(svc=svc, types=["decision"], filters={"tags": {"contains": tag}})
    assert asyncio.run(retriever.ainvoke("harbour office")) == []
