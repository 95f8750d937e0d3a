"""Mem0's interface on a live service: an application that was written for Mem0 runs with another import."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any
from uuid import uuid4

import pytest

from svc_memory import Client, SvcError
from svc_memory.compat.mem0 import Memory, MemoryClient

CITIES = ("Oslo", "Rome", "Lima")


def new_name() -> str:
    """A name that nobody has, of letters alone, so that rules read it as one."""
    return "Al" + "".join(chr(ord("a") + int(digit, 16)) for digit in uuid4().hex[:12])


@pytest.fixture
def memory(svc: Client) -> Memory:
    return Memory(svc=svc)


@pytest.fixture
def user() -> Iterator[str]:
    return iter(f"user-{uuid4()}" for _ in range(9))


def texts(reply: dict[str, Any]) -> list[str]:
    return [one["memory"] for one in reply["results"]]


def test_what_a_user_says_becomes_memories_that_a_search_finds(memory: Memory, user: Iterator[str]) -> None:
    ada, bo = next(user), next(user)
    added = memory.add(
        [
            {"role": "system", "content": "You are helpful."},
            {"role": "user", "content": "I'm a vegetarian and I'm allergic to nuts."},
            {"role": "assistant", "content": "Noted!"},
        ],
        user_id=ada,
        metadata={"category": "food"},
    )
    memory.add("I play the cello in an orchestra.", user_id=ada)
    memory.add("I am allergic to cats.", user_id=bo)
    assert [one["event"] for one in added["results"]] == ["ADD"]
    found = memory.search("Which allergies does the user have?", filters={"user_id": ada})
    assert "nuts" in found["results"][0]["memory"]
    assert not any("cats" in text for text in texts(found))
    assert 0 < found["results"][0]["score"] <= 1
    # As versions of Mem0 before 2 are called.
    assert texts(memory.search("Which allergies does the user have?", user_id=ada, limit=1)) == texts(found)[:1]
    item = found["results"][0]
    assert (item["user_id"], item["metadata"]) == (ada, {"category": "food"})
    assert item["id"] == added["results"][0]["id"]
    assert len(memory.get_all(filters={"user_id": ada})["results"]) == 2
    assert len(memory.get_all(user_id=ada, limit=1)["results"]) == 1


def test_the_same_words_of_two_users_are_two_memories(memory: Memory, user: Iterator[str]) -> None:
    ada, bo = next(user), next(user)
    for one in (ada, bo):
        memory.add("I like olives on my pizza.", user_id=one)
        memory.add("Likes olives", user_id=one, infer=False)
    for one in (ada, bo):
        assert len(texts(memory.get_all(filters={"user_id": one}))) == 2
    memory.delete_all(user_id=ada)
    assert texts(memory.get_all(filters={"user_id": ada})) == []
    assert len(texts(memory.get_all(filters={"user_id": bo}))) == 2
    assert texts(memory.search("olives", filters={"user_id": ada})) == []


def test_what_users_of_one_name_say_is_each_ones_own(svc: Client, memory: Memory, user: Iterator[str]) -> None:
    """A name in a message, and ids that differ in capitals alone, make the service take two users for one speaker."""
    who = new_name()
    ada, bo = next(user), next(user).upper()

    def add(one: str, text: str) -> list[str]:
        return texts(memory.add({"role": "user", "content": text, "name": who}, user_id=one))

    def known(one: str) -> set[str]:
        return set(texts(memory.get_all(user_id=one)))

    nuts, oslo, rome, lima = (f"{who} {said}." for said in ("is allergic to nuts", *(f"lives in {c}" for c in CITIES)))
    for one in (ada, bo):
        assert add(one, "I'm allergic to nuts.") == [nuts]
        assert add(one, "I'm allergic to nuts.") == []
    add(ada, "I live in Oslo.")
    add(bo, "I live in Rome.")
    assert (known(ada), known(bo)) == ({nuts, oslo}, {nuts, rome})
    add(bo, "I live in Lima.")
    assert (known(ada), known(bo)) == ({nuts, oslo}, {nuts, lima})
    add(ada, "I live in Rome.")
    assert (known(ada), known(bo)) == ({nuts, rome}, {nuts, lima})
    memory.delete_all(user_id=ada)
    assert (known(ada), known(bo)) == (set(), {nuts, lima})
    assert texts(memory.search(f"Where does {who} live?", user_id=bo)) == [lima]
    assert add(ada, "I live in Oslo.") == [oslo]
    assert (known(ada), known(bo)) == ({oslo}, {nuts, lima})
    lower, upper = f"id-{uuid4()}", f"ID-{uuid4()}"
    memory.add("My boss is Tom.", user_id=upper.lower())
    memory.add("My boss is Tom.", user_id=upper)
    assert [len(known(one)) for one in (upper, upper.lower(), lower)] == [1, 1, 0]


def test_a_run_has_what_was_said_in_it_and_a_user_has_one_truth(svc: Client, memory: Memory) -> None:
    ada, first, second = new_name(), f"run-{uuid4()}", f"run-{uuid4()}"
    svc.create_fact(statement=f"{ada} lives in Bergen.", subject=ada, predicate="lives in", object="Bergen")
    for run in (first, second):
        memory.add("I'm allergic to nuts.", user_id=ada, run_id=run)
    memory.add("I live in Oslo.", user_id=ada, run_id=first)
    memory.add("I live in Rome.", user_id=ada, run_id=second)
    assert [len(texts(memory.get_all(run_id=run))) for run in (first, second)] == [1, 2]
    memory.delete_all(run_id=first)
    assert sorted(texts(memory.get_all(user_id=ada))) == [f"{ada} is allergic to nuts.", f"{ada} lives in Rome."]
    # What another client knows is not the user's to change.
    assert f"{ada} lives in Bergen." in [one.text for one in svc.recall(query=f"Where does {ada} live?").results]


@pytest.mark.skipif("SVC_BROKER_KEY" not in os.environ, reason="it needs the key of a broker")
def test_users_with_workspaces_of_their_own_never_see_each_others_memories() -> None:
    with Client(key=os.environ["SVC_BROKER_KEY"], timeout=120) as app:
        ada, bo = (Memory(svc=app.tenant(f"user-{uuid4()}")) for _ in range(2))
        for one in (ada, bo):
            one.add("I'm allergic to nuts.", user_id="me")
        ada.add("I play the cello.", user_id="me")
        assert [len(texts(one.get_all(user_id="*"))) for one in (ada, bo)] == [2, 1]
        assert not any("cello" in text for text in texts(bo.search("Who plays the cello?", user_id="*", threshold=0)))
        ada.delete_all(user_id="me")
        assert len(texts(bo.get_all(user_id="me"))) == 1


def test_a_memory_has_the_members_that_mem0_gives_it(memory: Memory, user: Iterator[str]) -> None:
    ada = next(user)
    added = memory.add(
        {"role": "user", "content": "Likes tea", "name": "ada"},
        user_id=ada,
        run_id="r1",
        infer=False,
        metadata={"n": 3},
    )
    (result,) = added["results"]
    assert set(result) == {"id", "memory", "event", "actor_id", "role"}
    item = memory.get(result["id"])
    assert item is not None
    assert {name: item[name] for name in ("memory", "user_id", "run_id", "actor_id", "role", "metadata", "score")} == {
        "memory": "Likes tea",
        "user_id": ada,
        "run_id": "r1",
        "actor_id": "ada",
        "role": "user",
        "metadata": {"n": 3},
        "score": None,
    }
    assert set(item) >= {"id", "hash", "created_at", "updated_at"}


def test_a_memory_can_be_changed_deleted_and_traced(memory: Memory, user: Iterator[str]) -> None:
    ada = next(user)
    identity = memory.add("Likes tea", user_id=ada, infer=False, metadata={"a": 1})["results"][0]["id"]
    assert memory.update(identity, text="Likes coffee", metadata={"b": 2, "user_id": "eve"}) == {
        "message": "Memory updated successfully!"
    }
    item = memory.get(identity)
    assert item is not None
    assert (item["memory"], item["metadata"], item["user_id"]) == ("Likes coffee", {"a": 1, "b": 2}, ada)
    memory.update(identity, data="Likes cocoa")
    assert memory.delete(identity) == {"message": "Memory deleted successfully!"}
    assert memory.get(identity) is None
    changes = memory.history(identity)
    assert [(one["event"], one["old_memory"], one["new_memory"], one["is_deleted"]) for one in changes] == [
        ("ADD", None, "Likes tea", False),
        ("UPDATE", "Likes tea", "Likes coffee", False),
        ("UPDATE", "Likes coffee", "Likes cocoa", False),
        ("DELETE", "Likes cocoa", None, True),
    ]
    with pytest.raises(ValueError, match="not found"):
        memory.delete(identity)
    with pytest.raises(ValueError, match="not found"):
        memory.update(identity, text="x")
    with pytest.raises(ValueError, match="At least one"):
        memory.update(identity)
    assert memory.get("no-id") is None


def test_deleting_can_erase(svc: Client, user: Iterator[str]) -> None:
    memory = Memory(svc=svc, deletes="erase")
    identity = memory.add("Has a secret", user_id=next(user), infer=False)["results"][0]["id"]
    memory.delete(identity)
    with pytest.raises(SvcError) as caught:
        svc.get_fact(id=identity)
    assert caught.value.code == "erased"


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"kind": "drink"}, {"tea", "milk"}),
        ({"price": {"gte": 2, "lt": 5}}, {"milk"}),
        ({"kind": {"ne": "drink"}}, {"bread"}),
        ({"kind": {"in": ["drink", "food"]}}, {"tea", "milk", "bread"}),
        ({"kind": {"nin": ["drink"]}}, {"bread"}),
        ({"kind": {"icontains": "DRI"}}, {"tea", "milk"}),
        ({"note": "*"}, {"tea"}),
        ({"OR": [{"price": 1}, {"kind": "food"}]}, {"tea", "bread"}),
        ({"NOT": [{"kind": "drink"}]}, {"bread"}),
        ({"AND": [{"kind": "drink"}, {"price": 3}]}, {"milk"}),
    ],
)
def test_filters_mean_what_they_mean_in_mem0(
    memory: Memory, user: Iterator[str], filters: dict[str, Any], expected: set[str]
) -> None:
    ada = next(user)
    goods: dict[str, dict[str, Any]] = {
        "tea": {"kind": "drink", "price": 1, "note": "hot"},
        "milk": {"kind": "drink", "price": 3},
        "bread": {"kind": "food", "price": 9},
    }
    for name, metadata in goods.items():
        memory.add(f"Buys {name} at the market", user_id=ada, infer=False, metadata=metadata)
    wanted = {"AND": [{"user_id": ada}, filters]}
    for found in (
        memory.get_all(filters={"user_id": ada, **filters}),
        memory.get_all(filters=wanted),
        memory.search("What does the user buy at the market?", filters=wanted, threshold=0),
    ):
        assert {text.split()[1] for text in texts(found)} == expected


def test_what_has_no_owner_or_an_unknown_operator_is_refused(memory: Memory) -> None:
    for attempt in (
        lambda: memory.add("x"),
        lambda: memory.search("x"),
        lambda: memory.get_all(),
        lambda: memory.delete_all(),
        lambda: memory.delete_all(user_id="*"),
        lambda: memory.search("x", filters={"kind": "user_id"}),
    ):
        with pytest.raises(ValueError, match=r"(?i)at least one"):
            attempt()
    memory.add("Likes tea", user_id="operators", infer=False)
    with pytest.raises(ValueError, match="regex"):
        memory.get_all(filters={"user_id": "operators", "a": {"regex": "x"}})


def test_an_expired_memory_is_shown_on_demand(memory: Memory, user: Iterator[str]) -> None:
    ada = next(user)
    tomorrow = date.today() + timedelta(days=1)
    identity = memory.add("Is on leave", user_id=ada, infer=False, expiration_date=tomorrow)["results"][0]["id"]
    item = memory.get(identity)
    assert item is not None
    assert item["expiration_date"] == str(tomorrow)
    memory.update(identity, expiration_date=None)
    again = memory.get(identity)
    assert again is not None
    assert "expiration_date" not in again


def test_the_client_of_the_platform_has_pages(svc: Client, user: Iterator[str]) -> None:
    ada = next(user)
    with MemoryClient() as client:
        for i in range(3):
            client.add(f"Has {i} cats", user_id=ada, infer=False)
        first = client.get_all(filters={"user_id": ada}, page=1, page_size=2)
        assert (first["count"], len(first["results"]), first["next"], first["previous"]) == (3, 2, 2, None)
        last = client.get_all(filters={"OR": [{"user_id": ada}]}, page=2, page_size=2)
        assert (len(last["results"]), last["next"], last["previous"]) == (1, None, 1)


def test_long_ids_and_a_configuration_of_mem0_are_taken(svc: Client) -> None:
    memory = Memory.from_config({"llm": {"provider": "openai"}})
    long = "id-" * 60
    memory.add("Likes tea", user_id=long, infer=False)
    assert texts(memory.get_all(filters={"user_id": long}))[0] == "Likes tea"
    memory.delete_all(user_id=long)
    memory.close()
