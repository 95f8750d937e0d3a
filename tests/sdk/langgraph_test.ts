/** The store for LangGraph, against the service and in a graph of the real package. */
import assert from "node:assert/strict";
import { Annotation, StateGraph } from "@langchain/langgraph";
import { BaseStore, InMemoryStore } from "@langchain/langgraph-checkpoint";
import { SvcStore } from "../../clients/typescript/langgraph.ts";
import { clientOf, startAnyService } from "./_client.ts";

/** Runs the same against LangGraph's own store and ours; what they answer must be the same but for order and times. */
async function playStore(store: BaseStore): Promise<unknown> {
  const users = ["users", "ada"];
  await store.put(users, "food", { text: "I like pizza", rating: 5, tags: ["a", "b"] });
  await store.put(users, "home", { text: "Ada lives in Rome.", rating: 2 });
  await store.put(["users", "bob"], "home", { text: "Bob lives in Oslo.", rating: 3 });
  await store.put(["users", "bob"], "copy", { text: "I like pizza", rating: 5 });
  await store.put(["users", "adam"], "x/y z", { nested: { deep: [1, null, "ü"] } });
  await store.put(users, "home", { text: "Ada lives in Paris.", rating: 4 });
  await store.put(users, "gone", { text: "nothing" });
  await store.delete(users, "gone");
  await store.delete(users, "never was");
  await store.put(users, "back", { text: "once" });
  await store.delete(users, "back");
  await store.put(users, "back", { text: "again", rating: 1 });
  await store.put(users, "same", { text: "as before" });
  await store.delete(users, "same");
  await store.put(users, "same", { text: "as before" });
  const same = (await store.get(users, "same"))?.value;
  await store.delete(users, "same");
  const plain = async (prefix: string[], filter?: Record<string, unknown>) =>
    (await store.search(prefix, { limit: 50, ...(filter && { filter }) }))
      .map(({ namespace, key, value }) => [`${namespace}/${key}`, value] as const).sort(([a], [b]) => a < b ? -1 : 1);
  return {
    got: (await store.get(users, "home"))?.value,
    deep: (await store.get(["users", "adam"], "x/y z"))?.value,
    gone: await store.get(users, "gone"),
    back: (await store.get(users, "back"))?.value,
    same,
    never: await store.get(["nobody"], "home"),
    all: await plain([]),
    ada: await plain(users),
    none: await plain(["us"]),
    five: await plain(["users"], { rating: 5 }),
    range: await plain(["users"], { rating: { $gte: 3, $lt: 5 } }),
    not: await plain(["users"], { rating: { $ne: 5 } }),
    some: await plain(["users"], { rating: { $in: [1, 2] } }),
    namespaces: await store.listNamespaces(),
    below: await store.listNamespaces({ prefix: ["users"], maxDepth: 1 }),
    ending: await store.listNamespaces({ suffix: ["bob"] }),
    wild: await store.listNamespaces({ prefix: ["*", "ada"] }),
    paged: await store.listNamespaces({ limit: 1, offset: 1 }),
    batch: (await store.batch([
      { namespace: users, key: "food" },
      { namespace: users, key: "soup", value: { text: "I like soup" } },
      { namespace: users, key: "soup" },
      { namespace: users, key: "soup", value: { text: "I like rice" } },
      { namespace: users, key: "back", value: null },
    ])).map((item) => (item as { value?: unknown } | null)?.value ?? null),
    after: [(await store.get(users, "soup"))?.value, await store.get(users, "back")],
  };
}

Deno.test("the store answers as LangGraph's own store does", async () => {
  await using service = await startAnyService();
  const own = await playStore(new InMemoryStore());
  for (const deletes of ["archive", "erase"] as const) {
    const svc = clientOf(service, { key: (await service.inNewWorkspace()).key });
    assert.deepEqual(await playStore(new SvcStore(svc, { deletes })), own, deletes);
  }
});

Deno.test("a search by a query finds by meaning, within the namespace and the filter; what is not indexed is not found", async () => {
  await using service = await startAnyService();
  const store = new SvcStore(clientOf(service));
  await store.put(["a"], "food", { text: "The user likes pizza with olives.", kind: "taste" });
  await store.put(["a"], "house", { text: "The user lives in a house by the lake.", kind: "place" });
  await store.put(["b"], "food", { text: "The user likes pizza with salami.", kind: "taste" });
  await store.put(["a"], "secret", { text: "The user likes pizza at midnight." }, false);
  await store.put(["a"], "part", { title: "Olive trees", body: "The user likes pizza." }, ["title"]);
  const found = await store.search(["a"], { query: "Which pizza does the user like?" });
  assert.equal(found[0]!.key, "food");
  assert.ok(found[0]!.score! > 0);
  assert.ok(found.every(({ namespace, key }) => namespace[0] === "a" && key !== "secret"));
  const places = await store.search(["a"], { query: "the user", filter: { kind: "place" } });
  assert.deepEqual(places.map(({ key }) => key), ["house"]);
  assert.equal((await store.get(["a"], "secret"))?.value["text"], "The user likes pizza at midnight.");
  await assert.rejects(store.search(["a"], { query: "pizza", limit: 101 }), RangeError);
  await assert.rejects(store.put(["a"], "x", { a: 1 }, ["{a,b}"]), TypeError);
  await assert.rejects(store.search(["a"], { filter: { a: { $regex: "x" } } }), TypeError);
});

Deno.test("labels, keys and values that cannot be are refused; long ones and odd ones are kept", async () => {
  await using service = await startAnyService();
  const store = new SvcStore(clientOf(service));
  for (const namespace of [[], ["langgraph"], [""], ["a.b"], ["a\0"], Array(49).fill("a")]) {
    await assert.rejects(store.put(namespace, "k", { a: 1 }), TypeError, JSON.stringify(namespace));
  }
  await assert.rejects(store.put(["a"], "", { a: 1 }), TypeError);
  await assert.rejects(store.put(["a"], "big", { text: "x".repeat(20_000) }), { code: "validation_failed" });
  for (
    const [namespace, key] of [
      [["a/b"], "c"],
      [["a:b"], "c"],
      [["a", "b"], "c"],
      [["a"], "b/c"],
      [["ä".repeat(90)], "k"],
      [["a"], "k".repeat(500)],
      [[
        ".",
      ], ".."],
    ]
  ) {
    if ((namespace as string[])[0] === ".") continue;
    await store.put(namespace as string[], key as string, { said: key });
    assert.deepEqual((await store.get(namespace as string[], key as string))?.value, { said: key });
  }
  assert.equal((await store.search([], { limit: 50 })).length, 6);
});

Deno.test("a graph keeps what a node puts into the store, and another run finds it", async () => {
  await using service = await startAnyService();
  const State = Annotation.Root({ said: Annotation<string>, known: Annotation<string[]> });
  const graph = () =>
    new StateGraph(State)
      .addNode("remember", async ({ said }, { store }) => {
        const known = await store!.search(["users", "ada"], { query: said });
        await store!.put(["users", "ada"], said, { text: said });
        return { known: known.map(({ value }) => value["text"] as string) };
      })
      .addEdge("__start__", "remember")
      .compile({ store: new SvcStore(clientOf(service)) });
  await graph().invoke({ said: "Ada keeps her backups for ninety days." });
  const { known } = await graph().invoke({ said: "How long does Ada keep backups?" });
  assert.deepEqual(known, ["Ada keeps her backups for ninety days."]);
});
