/** Recall of the units that a query names, and of nothing else: `match: "named"`. */
import assert from "node:assert/strict";
import type { Reply, TestService } from "../_service.ts";
import { create, test } from "../http/_facts.ts";
import { post } from "../http/_units.ts";
import { addSession, turn } from "./_memory.ts";

const FULL = "/v1/memory/recall";
const HOT = "/v1/memory/recall/hot";

async function recall(
  service: TestService,
  path: string,
  query: string,
  more: Record<string, unknown> = {},
  key = service.key,
): Promise<Reply["body"]> {
  const reply = await service.post(path, { query, match: "named", ...more }, { key });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}

const idsOf = (results: readonly { readonly id: string }[]) => results.map(({ id }) => id).sort();

/** The ids that the full search and the hot tier both return. */
async function named(
  service: TestService,
  query: string,
  more: Record<string, unknown> = {},
  key = service.key,
): Promise<string[]> {
  const [full, hot] = await Promise.all([FULL, HOT].map((path) => recall(service, path, query, more, key)));
  assert.deepEqual(idsOf(full!.results), idsOf(hot!.results), query);
  return idsOf(full!.results);
}

test("only what the query names is returned: by name, alias, tag or linked entity, in every way to recall", async (service) => {
  const alias = await create(service, { statement: "Workloads run on three nodes.", aliases: ["k8s prod"] });
  const tag = await create(service, { statement: "Nights are quiet.", tags: ["machine-learning"] });
  const subject = await create(service, {
    statement: "It is tidy.",
    subject: "the attic",
    predicate: "is",
    object: "tidy",
  });
  const skill = await post(service, "/v1/memory/skills", {
    name: "Draining",
    description: "Empties a node",
    instructions: "Move the work",
  });
  const decision = await post(service, "/v1/memory/decisions", { title: "Two regions", decision: "Serve from both" });
  const linked = await create(service, { statement: "We met Caroline Herschel in Bath." });
  const { turnIds } = await addSession(service, [turn("Jon", "I wrote to Caroline Herschel, and drained the lake.")]);
  await create(service, { statement: "Version 12 of the dashboard is out, and learning takes time." });
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ["which version runs on the k8s prod cluster?", [alias.id]],
    ["What do we know about machine learning?", [tag.id]],
    ["is the attic tidy now?", [subject.id]],
    ["how does drain work", [skill.id]],
    ["why two regions", [decision.id]],
    ["Where is Caroline Herschel?", [linked.id, ...turnIds]],
    ["k8s prod and machine learning", [alias.id, tag.id]],
    ["What is the version of the dashboard?", []],
    ["machine", []],
  ];
  for (const [query, ids] of cases) assert.deepEqual(await named(service, query), [...ids].sort(), query);
  const [query] = cases[0]!;
  const { results: unified } = await recall(service, "/v1/memory/recall/unified", query);
  const { recalls } = await post(service, "/v1/memory/recall/batch", {
    queries: [{ query, match: "named" }, { query: "machine", match: "named" }],
  }, 200);
  const rpc = await service.post("/svc.v1.SvcService/Recall", { query, match: "named" });
  const old = await recall(service, "/v1/recall", query);
  for (const results of [unified, recalls[0].results, rpc.body.results, old.results]) {
    assert.deepEqual(idsOf(results), [alias.id]);
  }
  assert.deepEqual(recalls[1].results, []);
  assert.ok((await post(service, FULL, { query: "dashboard version" }, 200)).results.length > 0, "not by default");
  assert.equal((await service.post(FULL, { query, match: "exact" })).status, 422);
});

test("word forms and one mistake in a word are forgiven, but not a name for another", async (service) => {
  const cluster = await create(service, { statement: "It has three nodes.", aliases: ["Kubernetes clusters"] });
  const mark = await create(service, { statement: "He paints.", tags: ["marta"] });
  for (const query of ["a kubernetes cluster", "Kuberntes Clusters", "kubernets clustr", "kubernetes clusteer?"]) {
    assert.deepEqual(await named(service, query), [cluster.id], query);
  }
  for (const query of ["kbrnetes cluster", "kubernetes", "clusters of kubernetes"]) {
    assert.deepEqual(await named(service, query), [], query);
  }
  assert.deepEqual(await named(service, "marte"), [mark.id]);
  const other = await create(service, { statement: "She sings.", tags: ["marte"] });
  assert.deepEqual(await named(service, "marte"), [other.id]);
  await create(service, { statement: "The marty was sold." });
  assert.deepEqual(await named(service, "marty"), [], "a word that a text holds is no mistake");
});

test("a unit that the ranking would never reach is found, and the ranking orders the rest", async (service) => {
  const facts = Array.from({ length: 400 }, (_, i) => ({
    statement: `Deploying the gateway, step ${i}: check the gateway${i === 7 ? " by a canary rollout" : ""}.`,
    ...(i === 7 && { tags: ["zephyr"] }),
  }));
  for (let at = 0; at < facts.length; at += 200) {
    await post(service, "/v1/memory/facts/batch", { facts: facts.slice(at, at + 200) }, 200);
  }
  const lone = await create(service, { statement: "Windows stay shut.", tags: ["zephyr"] });
  const query = "canary rollout of the gateway with zephyr";
  for (const path of [FULL, HOT]) {
    const { results } = await recall(service, path, query);
    assert.equal(results.length, 2, path);
    assert.match(results[0].text, /step 7:/);
    assert.equal(results[1].id, lone.id);
    assert.ok(results[0].score >= results[1].score && results[1].score > 0.1, JSON.stringify(results));
    assert.deepEqual(
      results.map(({ tier }: { tier: string }) => tier),
      path === HOT ? ["hot", "hot"] : ["lexical", "lexical"],
    );
    assert.equal((await recall(service, path, query, { limit: 1 })).results.length, 1);
  }
  const relevant = await post(service, FULL, { query, limit: 100 }, 200);
  assert.ok(!idsOf(relevant.results).includes(lone.id));
});

test("filters, types, times and states count as in any recall", async (service, clock) => {
  const fact = await create(service, {
    statement: "The office is in Faro.",
    aliases: ["headquarters"],
    tags: ["sites"],
    validTo: "2026-07-01T00:00:00Z",
  });
  const decision = await post(service, "/v1/memory/decisions", {
    title: "Sites",
    decision: "Stay",
    aliases: ["headquarters"],
    attribution: "verified",
  });
  const ask = (more: Record<string, unknown> = {}) => named(service, "our headquarters", more);
  assert.deepEqual(await ask(), [fact.id, decision.id].sort());
  assert.deepEqual(await ask({ types: ["decision"] }), [decision.id]);
  assert.deepEqual(await ask({ types: ["turn"] }), []);
  assert.deepEqual(await ask({ tags: ["sites"] }), [fact.id]);
  assert.deepEqual(await ask({ minTrust: 100 }), [decision.id]);
  assert.deepEqual(await ask({ filters: { type: { ne: "fact" } } }), [decision.id]);
  assert.deepEqual(await ask({ maxTokens: 1 }), []);
  const at = async (more: Record<string, unknown>) =>
    idsOf((await recall(service, FULL, "headquarters", more)).results);
  assert.deepEqual(await at({ asOf: "2026-08-01T00:00:00Z" }), [decision.id]);
  const before = clock.step(60_000).toISOString();
  clock.step(60_000);
  await service.patch(`/v1/memory/facts/${fact.id}`, { aliases: ["main office"] });
  assert.deepEqual(await ask(), [decision.id]);
  assert.deepEqual(await at({ knownAt: before }), [fact.id, decision.id].sort(), "as it was called then");
  assert.deepEqual(idsOf((await recall(service, FULL, "main office", { knownAt: before })).results), []);
  assert.deepEqual(await named(service, "main office"), [fact.id]);
  await service.post(`/v1/facts/${fact.id}/forget`, { mode: "archive" });
  assert.deepEqual(await named(service, "main office"), []);
});

test("T9 a name above the clearance finds nothing, corrects nothing and hides no near spelling", async (service) => {
  const secret = await create(service, { statement: "It is sold.", tags: ["zanzibar"], sensitivity: "confidential" });
  const open = await create(service, { statement: "It is open.", aliases: ["zanzibur"] });
  const hidden = await create(service, {
    statement: "We met Orsolya Quist in Bath.",
    sensitivity: "confidential",
  });
  const low = await service.createKey({ maxSensitivity: "internal" });
  const ask = async (query: string, key: string, more: Record<string, unknown> = {}) => {
    const names = [];
    for (const path of [FULL, HOT]) {
      const { trace } = await recall(service, path, query, { include: ["trace"], ...more }, key);
      names.push(trace.names);
    }
    assert.deepEqual(names[0], names[1]);
    return [await named(service, query, more, key), names[0]];
  };
  assert.deepEqual(await ask("zanzibar", service.key), [[secret.id], ["zanzibar"]]);
  assert.deepEqual(await ask("zanzibar", low), [[open.id], ["zanzibar"]], "as if there were no such tag");
  assert.deepEqual(await ask("zanzibar", service.key, { maxSensitivity: "internal" }), [[open.id], ["zanzibar"]]);
  assert.deepEqual(await ask("call Orsolya Quist", service.key), [[hidden.id], ["Orsolya Quist"]]);
  assert.deepEqual(await ask("call Orsolya Quist", low), [[], []]);
  await service.patch(`/v1/memory/facts/${open.id}`, { sensitivity: "confidential" });
  assert.deepEqual(await ask("zanzibur", low), [[], []]);
  await service.post(`/v1/facts/${open.id}/forget`, { mode: "erase" });
  assert.deepEqual(await ask("zanzibur", service.key), [[secret.id], ["zanzibur"]], "the name went with the unit");
});

test("an explanation says by what a result is named, and that others are not named", async (service) => {
  const tag = await create(service, { statement: "Nights are quiet.", tags: ["ops"] });
  const other = await create(service, { statement: "The ops team meets on Mondays." });
  const { results, whyNot } = await recall(service, "/v1/memory/recall/explain", "who is in ops?", {
    explainIds: [tag.id, other.id],
  });
  assert.deepEqual(idsOf(results), [tag.id]);
  assert.match(results[0].why, /the query names a tag of it/);
  assert.deepEqual(whyNot.map(({ reason }: { reason: string }) => reason), ["returned", "not_named"]);
});

test("merged entities are named by the survivor's names, and their texts are found until they are separated", async (service) => {
  const person = { entityType: "person" };
  const [a, b] = [
    await post(service, "/v1/memory/entities", { canonicalName: "Wilhelmina Ort", ...person }),
    await post(service, "/v1/memory/entities", { canonicalName: "Mina Ort", ...person }),
  ];
  const fact = await create(service, { statement: "Mina Ort keeps bees." });
  assert.deepEqual(await named(service, "what does Wilhelmina Ort keep?", { types: ["fact"] }), []);
  await post(service, `/v1/entities/${a.id}/merge`, { sourceIds: [b.id] }, 200);
  assert.deepEqual(await named(service, "what does Wilhelmina Ort keep?", { types: ["fact"] }), [fact.id]);
  await post(service, `/v1/entities/${a.id}/unmerge`, { sourceIds: [b.id] }, 200);
  assert.deepEqual(await named(service, "what does Wilhelmina Ort keep?", { types: ["fact"] }), []);
  assert.deepEqual(await named(service, "what does Mina Ort keep?", { types: ["fact"] }), [fact.id]);
});

test("a name is found with and without its marks, also one that an earlier build stored", async (service) => {
  const accented = await create(service, { statement: "It is warm.", aliases: ["Zoë Łuczak"], tags: ["søster"] });
  const plain = await create(service, { statement: "It is cold.", aliases: ["Renee Muller"] });
  const rows: readonly (readonly [string, string])[] = [
    ["where is Zoe Luczak?", accented.id],
    ["where is Zoë Łuczak?", accented.id],
    ["soster", accented.id],
    ["soester", accented.id],
    ["where is Renée Müller?", plain.id],
  ];
  for (const [query, id] of rows) assert.deepEqual(await named(service, query), [id], query);
  await service.operator().tx(async (tx) => {
    await tx.sql`
      delete from unit_name where workspace_id = ${tx.workspaceId} and name_key ~ '^[ -~]+$' and unit_id = ${accented.id}`;
    await tx.sql`update unit set names_rule = 1 where workspace_id = ${tx.workspaceId}`;
  });
  const full = async (query: string) => idsOf((await recall(service, FULL, query)).results);
  assert.deepEqual(await full("where is Zoë Łuczak?"), [accented.id]);
  while (await service.step("unit_names"));
  for (const [query, id] of rows) assert.deepEqual(await full(query), [id], query);
});

test("the names of units that an earlier build stored are found once the worker has read them", async (service) => {
  const fact = await create(service, { statement: "It is warm.", aliases: ["sauna"], tags: ["heat"] });
  await service.operator().tx(async (tx) => {
    await tx.sql`delete from unit_name where workspace_id = ${tx.workspaceId}`;
    await tx.sql`update unit set names_rule = 0 where workspace_id = ${tx.workspaceId}`;
  });
  const full = async (query: string) => idsOf((await recall(service, FULL, query)).results);
  assert.deepEqual(await full("sauna heat"), []);
  while (await service.step("unit_names"));
  assert.deepEqual([await full("sauna"), await full("heat")], [[fact.id], [fact.id]]);
});
