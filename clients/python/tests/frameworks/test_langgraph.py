"""The store for LangGraph on a live service: beside LangGraph's own store, and in a graph."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypedDict
from uuid import uuid4

import pytest
from langgraph.graph import START, StateGraph
from langgraph.store.base import BaseStore, GetOp, InvalidNamespaceError, PutOp, SearchItem
from langgraph.store.memory import InMemoryStore

from svc_memory import Client, SvcError
from svc_memory.langgraph import SvcStore


@pytest.fixture
def root() -> str:
    return f"root-{uuid4()}"


def play(store: BaseStore, root: str) -> dict[str, Any]:
    users, bob = (root, "users", "ada"), (root, "users", "bob")
    store.put(users, "food", {"text": "I like pizza", "rating": 5, "tags": ["a", "b"]})
    store.put(users, "home", {"text": "Ada lives in Rome.", "rating": 2})
    store.put(bob, "home", {"text": "Bob lives in Oslo.", "rating": 3})
    store.put(bob, "copy", {"text": "I like pizza", "rating": 5})
    store.put((root, "users", "adam"), "x/y z", {"nested": {"deep": [1, None, "ü"]}})
    store.put(users, "home", {"text": "Ada lives in Paris.", "rating": 4})
    store.put(users, "gone", {"text": "nothing"})
    store.delete(users, "gone")
    store.delete(users, "never was")
    for text in ("once", "again"):
        store.put(users, "back", {"text": text, "rating": 1})
        if text == "once":
            store.delete(users, "back")
    store.put(users, "same", {"text": "as before"})
    store.delete(users, "same")
    store.put(users, "same", {"text": "as before"})
    same = getattr(store.get(users, "same"), "value", None)

    def value(namespace: tuple[str, ...], key: str) -> Any:
        item = store.get(namespace, key)
        return item and item.value

    def keys(prefix: tuple[str, ...], conditions: dict[str, Any] | None = None) -> list[Any]:
        found = store.search((root, *prefix), filter=conditions, limit=50)
        return sorted((*item.namespace, item.key) for item in found)

    return {
        "values": [value(users, "home"), value((root, "users", "adam"), "x/y z"), value(users, "gone")],
        "back": value(users, "back"),
        "all": [keys(()), keys(("users", "ada")), keys(("us",))],
        "five": keys(("users",), {"rating": 5}),
        "range": keys(("users", "bob"), {"rating": {"$gte": 3, "$lt": 5}}),
        "not": keys(("users",), {"rating": {"$ne": 5}}),
        "lists": keys(("users",), {"tags": ["a", "b"]}),
        "deep": keys(("users",), {"nested": {"deep": [1, None, "ü"]}}),
        "namespaces": store.list_namespaces(prefix=(root,)),
        "cut": store.list_namespaces(prefix=(root, "users"), max_depth=2),
        "ending": store.list_namespaces(prefix=(root,), suffix=("bob",)),
        "wild": store.list_namespaces(prefix=(root, "*", "ada")),
        "paged": store.list_namespaces(prefix=(root,), limit=1, offset=1),
        "batch": [
            getattr(one, "value", one)
            for one in store.batch(
                [
                    GetOp(users, "food"),
                    PutOp(users, "soup", {"text": "I like soup"}),
                    GetOp(users, "soup"),
                    PutOp(users, "soup", {"text": "I like rice"}),
                    PutOp(users, "back", None),
                ]
            )
        ],
        "same": same,
        "after": [value(users, "soup"), value(users, "back"), value((root, "nobody"), "home")],
    }


@pytest.mark.parametrize("deletes", ["archive", "erase"])
def test_the_store_answers_as_langgraphs_own_store_does(svc: Client, root: str, deletes: Any) -> None:
    assert play(SvcStore(svc, deletes=deletes), root) == play(InMemoryStore(), root)


def test_a_search_by_a_query_finds_by_meaning_within_the_namespace_and_the_filter(svc: Client, root: str) -> None:
    store = SvcStore(svc)
    a, b = (root, "a"), (root, "b")
    store.put(a, "food", {"text": "The user likes pizza with olives.", "kind": "taste"})
    store.put(a, "house", {"text": "The user lives in a house by the lake.", "kind": "place"})
    store.put(b, "food", {"text": "The user likes pizza with salami.", "kind": "taste"})
    store.put(a, "secret", {"text": "The user likes pizza at midnight."}, index=False)
    store.put(a, "part", {"title": "Olive trees", "body": "The user likes pizza."}, index=["title"])
    found = store.search(a, query="Which pizza does the user like?")
    assert found[0].key == "food"
    assert isinstance(found[0], SearchItem)
    assert (found[0].score or 0) > 0
    assert all(one.namespace == a and one.key != "secret" for one in found)
    assert [one.key for one in store.search(a, query="the user", filter={"kind": "place"})] == ["house"]
    secret = store.get(a, "secret")
    assert secret is not None and secret.value["text"] == "The user likes pizza at midnight."


@pytest.mark.parametrize(
    ("attempt", "error"),
    [
        (lambda store: store.put((), "k", {"a": 1}), InvalidNamespaceError),
        (lambda store: store.put(("langgraph",), "k", {"a": 1}), InvalidNamespaceError),
        (lambda store: store.put(("a.b",), "k", {"a": 1}), InvalidNamespaceError),
        (lambda store: store.batch([PutOp(("a", ""), "k", {"a": 1})]), InvalidNamespaceError),
        (lambda store: store.put(("a",) * 49, "k", {"a": 1}), InvalidNamespaceError),
        (lambda store: store.put(("a",), "", {"a": 1}), ValueError),
        (lambda store: store.put(("a",), "k", {"a": 1}, ttl=5), NotImplementedError),
        (lambda store: store.put(("a",), "big", {"text": "x" * 20_000}), SvcError),
        (lambda store: store.search(("a",), query="pizza", limit=101), ValueError),
        (lambda store: store.search((), filter={"a": {"$regex": "x"}}), ValueError),
    ],
)
def test_what_cannot_be_is_refused(svc: Client, attempt: Callable[[SvcStore], Any], error: type[Exception]) -> None:
    SvcStore(svc).put(("refusals",), "one", {"a": 1})
    with pytest.raises(error):
        attempt(SvcStore(svc))


def test_long_and_odd_names_are_kept_apart(svc: Client, root: str) -> None:
    store = SvcStore(svc)
    odd = [
        (("a/b",), "c"),
        (("a:b",), "c"),
        (("a", "b"), "c"),
        (("a",), "b/c"),
        (("ä" * 90,), "k"),
        (("a",), "k" * 500),
    ]
    for namespace, key in odd:
        store.put((root, *namespace), key, {"said": f"{namespace} {key}"})
    for namespace, key in odd:
        item = store.get((root, *namespace), key)
        assert item is not None and item.value == {"said": f"{namespace} {key}"}
    assert len(store.search((root,), limit=50)) == len(odd)


def test_items_have_the_names_that_the_store_for_typescript_gives_them(svc: Client) -> None:
    SvcStore(svc).put(("a b", "ü'(x)"), "k/1", {"text": "shared"})
    fact = svc.get_fact_by_external_id(external_id="langgraph/a%20b/%C3%BC'(x)/k%2F1")
    assert {"langgraph", "lg:541e27fe8b978a09c9f563ba3c0e1938", "lg:34fb5baeb7e393f53994e96eedaa66c7"} == set(fact.tags)


class State(TypedDict):
    said: str
    known: list[str]


def test_a_graph_keeps_what_a_node_puts_into_the_store_and_another_run_finds_it(svc: Client, root: str) -> None:
    def remember(state: State, *, store: BaseStore) -> dict[str, Any]:
        known = store.search((root,), query=state["said"])
        store.put((root,), str(uuid4()), {"text": state["said"]})
        return {"known": [one.value["text"] for one in known]}

    async def remember_later(state: State, *, store: BaseStore) -> dict[str, Any]:
        known = await store.asearch((root,), query=state["said"])
        return {"known": [one.value["text"] for one in known]}

    def build(node: Any) -> Any:
        return StateGraph(State).add_node("node", node).add_edge(START, "node").compile(store=SvcStore(svc))

    build(remember).invoke({"said": "Ada keeps her backups for ninety days.", "known": []})
    asked = {"said": "How long does Ada keep backups?", "known": []}
    assert build(remember).invoke(asked)["known"] == ["Ada keeps her backups for ninety days."]
    assert "Ada keeps her backups for ninety days." in asyncio.run(build(remember_later).ainvoke(asked))["known"]
