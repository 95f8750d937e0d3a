"""The storage for CrewAI on a live service, with a scripted model."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from crewai import Agent, BaseLLM, Crew, Memory, Task
from crewai.memory.storage.backend import StorageBackend
from crewai.memory.storage.lancedb_storage import LanceDBStorage
from crewai.memory.types import MemoryRecord, embed_texts
from pydantic import Field

from svc_memory import Client, SvcError
from svc_memory._crewai_vectors import read_text, to_vector
from svc_memory.crewai import SvcStorage

_ANALYSIS = {"suggested_scope": "/ships", "categories": ["backup"], "importance": 0.5, "extracted_metadata": {}}


class Scripted(BaseLLM):
    """Gives one answer to a task and lets the memory store it; keeps what it was asked."""

    answer: str = "Done."
    prompts: list[str] = Field(default_factory=list)

    def supports_function_calling(self) -> bool:
        return True

    def call(self, messages: Any, *_: Any, response_model: Any = None, **__: Any) -> Any:
        self.prompts.append(
            messages if isinstance(messages, str) else "\n".join(str(one["content"]) for one in messages)
        )
        if response_model is None:
            return f"Thought: I know it.\nFinal Answer: {self.answer}"
        fields = {"memories": [self.answer], **_ANALYSIS}
        return response_model(**{name: fields[name] for name in response_model.model_fields if name in fields})


@pytest.fixture
def root() -> str:
    return f"/root-{uuid4()}"


def record(content: str, scope: str, **members: Any) -> MemoryRecord:
    return MemoryRecord(content=content, scope=scope, **members)


def test_a_crew_remembers_across_runs(svc: Client, root: str) -> None:
    def run(task: str, answer: str) -> Scripted:
        llm = Scripted(model="scripted", answer=answer)
        storage = SvcStorage(svc)
        memory = Memory(storage=storage, embedder=storage.embed, llm=llm, root_scope=root)
        agent = Agent(role="Helper", goal="Help", backstory="Brief.", llm=llm)
        Crew(
            agents=[agent],
            tasks=[Task(description=task, expected_output="An answer.", agent=agent)],
            memory=memory,
        ).kickoff()
        return llm

    said = "The backup of the Aurora is kept in Bergen for ninety days."
    run("Where do we keep the backup?", said)
    later = run("For how many days do we keep the backup of the Aurora?", "For ninety days.")
    assert said in next(one for one in later.prompts if "For how many days do we keep" in one)


@pytest.mark.parametrize("own", [True, False])
def test_records_are_stored_listed_and_deleted_as_by_crewais_own_storage(
    svc: Client, root: str, own: bool, tmp_path: Path
) -> None:
    storage: StorageBackend = SvcStorage(svc) if own else LanceDBStorage(path=str(tmp_path))
    assert isinstance(storage, StorageBackend)
    at = datetime(2026, 3, 1, 9)
    texts = ["Ada lives in Paris.", "Bo lives in Oslo.", "Cleo lives in Rome."]
    scopes = [f"{root}/users/ada", f"{root}/users/bo", f"{root}/teams"]
    records = [
        record(
            text,
            scope,
            categories=["home", text.split()[0]],
            metadata={"n": i},
            created_at=at + timedelta(days=i),
            importance=0.9,
            source="s",
            private=i == 0,
            embedding=[*to_vector("")],
        )
        for i, (text, scope) in enumerate(zip(texts, scopes, strict=True))
    ]
    storage.save(records)

    def names(prefix: str | None = root, **page: int) -> list[str]:
        return [one.content.split()[0] for one in storage.list_records(prefix, **page)]

    assert names() == ["Cleo", "Bo", "Ada"]
    assert names(limit=1, offset=1) == ["Bo"]
    assert names(f"{root}/users") == ["Bo", "Ada"]
    found = storage.get_record(records[0].id)
    assert found is not None
    assert found.model_dump(exclude={"last_accessed"}) == records[0].model_dump(exclude={"last_accessed"})
    assert storage.get_record(str(uuid4())) is None
    assert storage.count(root) == 3
    assert storage.list_scopes(root) == [f"{root}/teams", f"{root}/users"]
    assert storage.list_categories(f"{root}/users") == {"home": 2, "Ada": 1, "Bo": 1}
    info = storage.get_scope_info(root)
    assert (info.record_count, info.child_scopes) == (3, [f"{root}/teams", f"{root}/users"])
    assert (info.oldest_record, info.newest_record) == (at, at + timedelta(days=2))
    storage.update(records[1].model_copy(update={"content": "Bo lives in Bergen.", "scope": f"{root}/teams/bo"}))
    assert names(f"{root}/users") == ["Ada"]
    assert storage.delete(scope_prefix=f"{root}/users") == 1
    assert storage.delete(record_ids=[records[2].id]) == 1
    assert names() == ["Bo"]
    storage.save([records[0]])
    assert sorted(names()) == ["Ada", "Bo"]
    assert asyncio.run(storage.adelete(scope_prefix=root, categories=["Ada"])) == 1
    storage.reset(root)
    assert names() == []


def test_a_search_finds_by_words_within_scope_category_and_metadata(svc: Client, root: str) -> None:
    storage = SvcStorage(svc, deletes="erase")
    taste, place = {"categories": ["taste"]}, {"categories": ["place"], "metadata": {"n": 1}}
    storage.save([record("Ada likes pizza with olives.", f"{root}/a", **taste)])
    asyncio.run(
        storage.asave(
            [
                record("Ada likes pizza with salami.", f"{root}/b", **taste),
                record("Ada ate her pizza by the lake.", f"{root}/a", **place),
            ]
        )
    )
    (query,) = storage.embed(["Which pizza does Ada like?"])

    def search(**conditions: Any) -> set[str]:
        return {one.content.rstrip(".").split()[-1] for one, _ in storage.search(query, **conditions)}

    assert search(scope_prefix=f"{root}/a") == {"olives", "lake"}
    assert search(scope_prefix=root, categories=["taste"]) == {"olives", "salami"}
    assert search(scope_prefix=f"{root}/a", metadata_filter={"n": 1}) == {"lake"}
    ((best, score),) = asyncio.run(storage.asearch(query, scope_prefix=f"{root}/b", limit=1))
    assert best.content == "Ada likes pizza with salami."
    assert 0 < score <= 1
    assert storage.search(query, scope_prefix=root, limit=0) == []
    assert storage.delete(root, older_than=datetime(2026, 1, 1)) == 0
    assert storage.delete(root, metadata_filter={"n": 1}) == 1
    assert search(scope_prefix=root) == {"olives", "salami"}
    assert storage.search(storage.embed([" "])[0]) == []
    with pytest.raises(ValueError, match="embedder="):
        storage.search([0.5] * 1536)
    with pytest.raises(ValueError, match="48 names"):
        storage.save([record("x", "/a" * 49)])
    with pytest.raises(SvcError):
        storage.save([record("x" * 20_000, root)])


def test_a_memory_stores_and_recalls_without_a_model_or_an_index_of_vectors(svc: Client, root: str) -> None:
    storage = SvcStorage(svc)
    memory = Memory(storage=storage, embedder=storage.embed, llm=Scripted(model="scripted"), root_scope=root)
    fields: dict[str, Any] = {"scope": "/facts", "categories": [], "importance": 0.5}
    memory.remember_many(["The ferry leaves at noon.", "The ferry leaves at noon.", "The shop is shut."], **fields)
    memory.drain_writes()
    assert storage.count(root) == 2
    (match, *_) = memory.recall("When does the ferry leave?")
    assert match.record.content == "The ferry leaves at noon."
    (match, *_) = memory.scope("/facts").recall("When does the ferry leave?", depth="shallow")
    memory.remember("Eve's secret ferry leaves at ten.", private=True, source="eve", **fields)
    assert not any("Eve" in one.record.content for one in memory.recall("When does Eve's ferry leave?"))
    assert any("Eve" in one.record.content for one in memory.recall("When does Eve's ferry leave?", source="eve"))
    memory.update(match.record.id, content="The ferry leaves at one.")
    assert memory.recall("When does the ferry leave?")[0].record.content == "The ferry leaves at one."
    memory.reset()
    assert memory.list_records() == []


@pytest.mark.parametrize("text", ["", "a", "ü𝄞 \ud800", "word " * 5_000])
def test_a_vector_holds_its_text(text: str) -> None:
    (vector,) = embed_texts(SvcStorage.embed, [text]) if text else (to_vector(text),)
    assert read_text(vector) == text
    assert abs(sum(one * one for one in vector) - sum(one * one for one in vector[:32])) < 1e-6
