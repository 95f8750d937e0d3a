/** Aliases: other names by which recall finds units of every kind. */
import assert from "node:assert/strict";
import type { Reply, TestService } from "../_service.ts";
import { create, FACTS, read, test } from "./_facts.ts";
import { get, patch, post } from "./_units.ts";
import { waitFor } from "../_wait.ts";

const OTHERS: readonly (readonly [path: string, body: Record<string, unknown>])[] = [
  ["decisions", { title: "Storage", decision: "Volumes are replicated thrice" }],
  ["strategies", { name: "Slow start", situation: "A node joins", pattern: "Give it little work first" }],
  ["workflows", { name: "Renewal", steps: ["Ask for a certificate", "Put it in place"] }],
  ["skills", { name: "Draining", description: "Empties a node", instructions: "Move its work elsewhere" }],
  ["episodes", { title: "Outage", summary: "The region was away for an hour" }],
];

async function recalled(service: TestService, query: string, tier = "recall"): Promise<string[]> {
  const path = tier === "recall" ? "/v1/memory/recall" : `/v1/memory/recall/${tier}`;
  const reply = await post(service, path, { query }, 200);
  return reply.results.map(({ id }: { id: string }) => id);
}

test("a fact is found by its aliases in every tier until it has them no more", async (service) => {
  const fact = await create(service, {
    statement: "Kubernetes runs the workloads.",
    aliases: ["k8s", " K8S ", "Kube  Prod"],
  });
  await create(service, { statement: "The office has two kitchens." });
  assert.deepEqual([fact.aliases, fact.version, fact.statement], [
    ["k8s", "Kube Prod"],
    1,
    "Kubernetes runs the workloads.",
  ]);
  const unaliased = await create(service, { statement: "Kubernetes carries the workloads." });
  for (const tier of ["recall", "hot"]) assert.equal((await recalled(service, "kube prod", tier))[0], fact.id, tier);
  const [shown] = (await post(service, "/v1/memory/recall", { query: "kube prod" }, 200)).results;
  assert.equal(shown.text, "Kubernetes runs the workloads.");
  const hash = fact.contentHash;
  const changed = await patch(service, `${FACTS}/${fact.id}`, { aliases: ["orchestrator"] });
  assert.deepEqual([changed.aliases, changed.version, changed.contentHash], [["orchestrator"], 2, hash]);
  for (const tier of ["recall", "hot"]) {
    assert.equal((await recalled(service, "orchestrator", tier))[0], fact.id, tier);
    assert.ok(!(await recalled(service, "kube prod", tier)).includes(fact.id), tier);
  }
  assert.equal((await patch(service, `${FACTS}/${fact.id}`, { aliases: ["Orchestrator"] })).version, 3);
  assert.deepEqual((await patch(service, `${FACTS}/${fact.id}`, { aliases: [] })).aliases, []);
  assert.deepEqual(await recalled(service, "orchestrator"), []);
  assert.deepEqual((await read(service, unaliased.id)).aliases, []);
  const { data } = await get(service, `${FACTS}/${fact.id}/revisions?order=asc`);
  assert.deepEqual(data.map((one: Reply["body"]) => one.fact.aliases), [
    ["k8s", "Kube Prod"],
    ["orchestrator"],
    ["Orchestrator"],
    [],
  ]);
});

test("units of every other kind have aliases and are found by them", async (service) => {
  for (const [path, body] of OTHERS) {
    const alias = `zz${path}`;
    const unit = await post(service, `/v1/memory/${path}`, { ...body, aliases: [alias] });
    assert.deepEqual(unit.aliases, [alias], path);
    assert.deepEqual(await recalled(service, alias), [unit.id], path);
    if (path === "episodes") continue;
    const renamed = await patch(service, `/v1/memory/${path}/${unit.id}`, { aliases: [`yy${path}`], tags: ["t"] });
    assert.deepEqual(renamed.aliases, [`yy${path}`], path);
    const kept = await patch(service, `/v1/memory/${path}/${unit.id}`, { tags: ["u"] });
    assert.deepEqual([kept.aliases, kept.contentHash], [[`yy${path}`], unit.contentHash], path);
    assert.deepEqual(await recalled(service, alias), [], path);
    assert.deepEqual(await recalled(service, `yy${path}`), [unit.id], path);
  }
});

test("a fact that is stated again takes the further aliases, up to twenty", async (service) => {
  const statement = "Backups are taken at noon.";
  const fact = await create(service, { statement, aliases: ["snapshots"] });
  const again = await create(service, { statement, aliases: ["Snapshots", "dumps"] }, 200);
  assert.deepEqual([again.id, again.aliases, again.conflict.outcome], [
    fact.id,
    ["snapshots", "dumps"],
    "corroborated",
  ]);
  assert.deepEqual(await recalled(service, "dumps"), [fact.id]);
  const many = Array.from({ length: 20 }, (_, i) => `other${i}`);
  const full = await create(service, { statement, aliases: many }, 200);
  assert.equal(full.aliases.length, 20);
  assert.deepEqual(full.aliases.slice(0, 3), ["snapshots", "dumps", "other0"]);
});

test("aliases are bounded and refused with their place", async (service) => {
  const refused: readonly (readonly [unknown, string])[] = [
    [Array.from({ length: 21 }, (_, i) => `a${i}`), "aliases"],
    [["x".repeat(201)], "aliases.0"],
    [["fine", ""], "aliases.1"],
    [["\u200b"], "aliases.0"],
    ["k8s", "aliases"],
  ];
  for (const [aliases, path] of refused) {
    const reply = await service.post(FACTS, { statement: "One", aliases });
    assert.deepEqual([reply.status, reply.body.errors?.[0]?.path], [422, path], JSON.stringify(reply.body));
  }
});

test("T9 an alias above the clearance finds nothing and corrects no spelling, in any tier", async (service) => {
  const secret = await create(service, {
    statement: "The vault opens on Mondays.",
    aliases: ["xylophonist"],
    sensitivity: "confidential",
  });
  const low = await service.createKey({ maxSensitivity: "internal" });
  const ways = [
    { path: "/v1/memory/recall", include: ["trace"] },
    { path: "/v1/memory/recall/hot", include: ["trace"] },
    // The database answers this, whatever the hot tier holds.
    { path: "/v1/memory/recall", include: ["trace", "superseded"] },
  ];
  for (const { path, include } of ways) {
    for (const query of ["xylophonist", "xylofonist"]) {
      const way = `${path} ${include} ${query}`;
      const seen = await service.post(path, { query, include });
      assert.deepEqual(seen.body.results.map(({ id }: { id: string }) => id), [secret.id], way);
      const hidden = await service.post(path, { query, include }, { key: low });
      assert.deepEqual([hidden.body.results, hidden.body.trace.substitutes], [[], {}], way);
    }
  }
  const indexed = async () => {
    const rows = await service.operator().tx((tx) =>
      tx.sql`
        select 'posting' as place from posting where workspace_id = ${tx.workspaceId} and term like 'xylo%'
        union select 'vocabulary' from vocabulary where workspace_id = ${tx.workspaceId} and term like 'xylo%'
        order by 1`
    );
    return rows.map((row) => row["place"]);
  };
  assert.deepEqual(await indexed(), ["posting", "vocabulary"]);
  assert.equal((await service.post(`/v1/facts/${secret.id}/forget`, { mode: "erase" })).status, 200);
  for (const { path, include } of ways) {
    const gone = await service.post(path, { query: "xylofonist", include });
    assert.deepEqual([gone.body.results, gone.body.trace.substitutes], [[], {}], `${path} ${include}`);
  }
  assert.deepEqual(await indexed(), []);
});

test("T9 what a more sensitive statement calls a fact that it restates stays away from the fact", async (service) => {
  const statement = "The summit takes place in May.";
  const fact = await create(service, { statement });
  const again = await create(service, { statement, sensitivity: "restricted", aliases: ["Project Nightjar"] });
  assert.notEqual(again.id, fact.id);
  assert.deepEqual((await read(service, fact.id)).aliases, []);
  const plain = await create(service, { statement, aliases: ["Spring summit"] }, 200);
  assert.deepEqual(plain.aliases, ["Spring summit"]);
});

test("who asks for an entity by one of its names gets what was told under the others, from the hot tier too", async (service) => {
  const NAMES = [["Robert Vance", "Bobby"], ["Aunt Margaret", "Peggy"], ["Project Nightingale", "Pnx"]] as const;
  const texts = new Map<string, string[]>();
  for (const [canonicalName, alias] of NAMES) {
    await post(service, "/v1/memory/entities", { canonicalName, aliases: [alias] });
    const told = [`${canonicalName} opened a trombone school.`, `${alias} has a refrigerator museum.`];
    for (const statement of told) await create(service, { statement });
    texts.set(canonicalName, told);
  }
  await create(service, { statement: "Tell the plumber about the museum." });
  const ask = async (path: string, query: string): Promise<Reply["body"]> =>
    (await service.post(path, { query }, { key: service.key })).body;
  await waitFor("the hot tier", async () => (await ask("/v1/memory/recall/hot", "museum")).tiers[0].tier === "hot");
  for (const [name, alias] of NAMES) {
    for (const asked of [name, alias]) {
      for (const query of [`Tell me about ${asked}`, `What do you know about ${asked}?`]) {
        for (const path of ["/v1/memory/recall", "/v1/memory/recall/hot"]) {
          const found = (await ask(path, query)).results.map(({ text }: { text: string }) => text);
          for (const text of texts.get(name)!) assert.ok(found.includes(text), `${path} ${query}: ${found}`);
        }
      }
    }
  }
});
