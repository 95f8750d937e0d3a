/** What an instance publishes, and what it serves to whom. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import postgres from "postgres";
import { createContext, type OperationContext } from "../../src/context.ts";
import { openPageItem, verifyPage } from "../../src/domain/federation/protocol/envelope.ts";
import { publish } from "../../src/domain/federation/register/publish.ts";
import { serveItems } from "../../src/domain/federation/exchange/serve.ts";
import { ServiceError } from "../../src/errors.ts";
import { ListFederationItemsQuery, type SealedItem } from "../../src/schema/federation_item.ts";
import type { Sensitivity } from "../../src/schema/common.ts";
import { POSTGRES } from "../_postgres.ts";
import { startService, type TestService } from "../_service.ts";
import { type Json, keyOf, PEER, SEAL_KEY, US } from "./_pages.ts";

const ITEMS = "/v1/memory/federation/items";
const DIGEST = "/v1/memory/federation/digest";
const OUR_KEY = keyOf("33".repeat(32));
const PEM = `-----BEGIN PRIVATE KEY-----\n${
  Uint8Array.fromHex(`302e020100300506032b657004220420${"33".repeat(32)}`).toBase64()
}\n-----END PRIVATE KEY-----\n`;
const ENV = { SVC_INSTANCE_ID: US };
const KEYED_ENV = {
  ...ENV,
  SVC_REGION: "us-east-1",
  SVC_FEDERATION_PRIVATE_KEY: PEM,
  SVC_FEDERATION_SYMMETRIC_KEY: SEAL_KEY.toBase64(),
};

async function superuser(service: TestService): Promise<postgres.Sql & AsyncDisposable> {
  const sql = postgres(service.database!.superuserUrl, { max: 1, onnotice: () => {} });
  return Object.assign(sql, { [Symbol.asyncDispose]: () => sql.end({ timeout: 5 }) });
}

/** Pulls everything that is served after a position, page by page. */
async function pull(service: TestService, options: { since?: string; key?: string; limit?: number } = {}) {
  const items: Json[] = [];
  let since = options.since ?? "";
  for (let round = 0; round < 100; round++) {
    const query = `limit=${options.limit ?? 200}${since === "" ? "" : `&since=${since}`}`;
    const reply = await service.get(`${ITEMS}?${query}`, options.key === undefined ? {} : { key: options.key });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    items.push(...reply.body.items);
    const isEnd = reply.body.items.length === 0 && reply.body.cursor === since;
    since = reply.body.cursor;
    if (isEnd) return { items, since, page: reply.body };
  }
  throw new Error("the pages do not end");
}

async function create(service: TestService, kind: string, body: Json): Promise<Json> {
  const reply = await service.post(`/v1/memory/${kind}`, body);
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  return reply.body;
}

/** Makes the context of a peer's request. */
function asPeer(service: TestService, clearance: Sensitivity = "internal"): OperationContext {
  const principal = {
    actor: `peer:${PEER}`,
    workspaceId: service.workspaceId,
    scopes: new Set(["federation" as const]),
    maxSensitivity: clearance,
  };
  const request = { requestId: "r", operationId: "listFederationItems", signal: AbortSignal.timeout(60_000) };
  return createContext(service.deps, principal, request);
}

async function addPeer(service: TestService, members: Json = {}): Promise<void> {
  await using sql = await superuser(service);
  const now = new Date().toISOString();
  await sql`insert into federation_peer ${
    sql({
      ...{ workspace_id: service.workspaceId, id: PEER, uid: crypto.randomUUID(), source: "stored" },
      ...{ endpoint: "https://b.example", state: "ACTIVE", approved_at: now, verified_at: now },
      ...{ remote_workspace_id: service.workspaceId, created_at: now, updated_at: now },
      ...members,
    })
  }`;
}

/** Asks for an item as if publication had not seen its last change yet. */
async function serveStale(service: TestService, id: string): Promise<Json[]> {
  await using sql = await superuser(service);
  const [cursor] = await sql`select published_seq from federation_cursor where workspace_id = ${service.workspaceId}`;
  const [head] = await sql`select seq from feed_head where workspace_id = ${service.workspaceId}`;
  await sql`update federation_cursor set published_seq = ${head!["seq"]} where workspace_id = ${service.workspaceId}`;
  try {
    const ctx = createContext(service.deps, {
      ...{ actor: "key:test", workspaceId: service.workspaceId, scopes: new Set(["federation" as const]) },
      maxSensitivity: "internal",
    }, { requestId: "r", operationId: "o", signal: AbortSignal.timeout(60_000) });
    return [...(await serveItems(ctx, ListFederationItemsQuery.parse({ ids: [id] }))).items];
  } finally {
    await sql`update federation_cursor set published_seq = ${
      cursor!["published_seq"]
    } where workspace_id = ${service.workspaceId}`;
  }
}

const PLAIN: readonly (readonly [string, (service: TestService) => Promise<void>])[] = [
  [
    "nothing is published while there is no peer and nobody asked; then everything that was there is, once",
    async (service) => {
      const fact = await create(service, "facts", { statement: "Acme keeps backups for ninety days." });
      assert.equal(await publish(service.operator()), false);
      await using sql = await superuser(service);
      const count = async () =>
        (await sql`select from federation_version where workspace_id = ${service.workspaceId}`).length;
      assert.deepEqual([
        await count(),
        (await sql`select from federation_cursor where workspace_id = ${service.workspaceId}`).length,
      ], [0, 0]);
      const { items, since } = await pull(service, { limit: 1 });
      const [{ body, ...header }] = items.filter(({ id }) => id === fact.id);
      assert.deepEqual([header.type, header.version, body.writer, body.unit.statement], [
        "fact",
        1,
        US,
        fact.statement,
      ]);
      assert.deepEqual(body.origin, { instance: US, id: fact.id });
      const published = await count();
      assert.deepEqual((await pull(service, { since })).items, [], "what was told is not told again");
      await service.post("/v1/memory/recall", { query: "backups" });
      assert.equal((await pull(service, { since })).items.length, 0);
      assert.equal(await count(), published, "reading makes no version");
    },
  ],
  [
    "adding a peer is enough to begin publication, in the worker's next round",
    async (service) => {
      const { id } = await create(service, "facts", { statement: "Acme keeps backups for ninety days." });
      await addPeer(service);
      for (let round = 0; round < 10 && await publish(service.operator()); round++);
      await using sql = await superuser(service);
      const rows = await sql`select version, verdict, seq from federation_version where origin_id = ${id}`;
      assert.deepEqual(rows.map(({ version, verdict }) => [version, verdict]), [[1, "own"]]);
    },
  ],
  [
    "many changes between two rounds make one version; this instance's own judgement makes none",
    async (service) => {
      const { id } = await create(service, "facts", { statement: "Acme keeps backups for ninety days." });
      let { since } = await pull(service);
      for (const tags of [["a"], ["a", "b"], ["b", "c"]]) await service.patch(`/v1/memory/facts/${id}`, { tags });
      const changed = await pull(service, { since });
      assert.deepEqual(changed.items.map((item) => [item.id, item.version, item.body.unit.tags]), [[id, 2, [
        "b",
        "c",
      ]]]);
      ({ since } = changed);
      // The same fact again: the trust in it rises here, which makes another version of the unit.
      const again = await service.post("/v1/memory/facts", { statement: "Acme keeps backups for ninety days." });
      assert.equal(again.body.conflict.outcome, "corroborated");
      await service.patch(`/v1/memory/facts/${id}`, { pinned: true });
      assert.ok((await service.get(`/v1/memory/facts/${id}`)).body.version > 4);
      assert.deepEqual((await pull(service, { since })).items, []);
    },
  ],
  [
    "items of every type are served, with references by their origins; sessions and tasks are not",
    async (service) => {
      const fact = await create(service, "facts", { statement: "Acme keeps backups." });
      const made: [string, string, Json][] = [
        ["decision", "decisions", { title: "D", decision: "We keep.", evidenceIds: [fact.id] }],
        ["strategy", "strategies", { name: "S", situation: "s", pattern: "p" }],
        ["workflow", "workflows", { name: "W", steps: ["one"] }],
        ["skill", "skills", { name: "K", description: "d", instructions: "i" }],
        ["episode", "episodes", { title: "E", factIds: [fact.id] }],
        ["entity", "entities", { canonicalName: "Initech" }],
      ];
      const ids = [["fact", fact.id]];
      for (const [type, kind, body] of made) ids.push([type, (await create(service, kind, body)).id]);
      const decision = ids[1]![1]!;
      const relation = await create(service, "relations", { verb: "supports", sourceId: fact.id, targetId: decision });
      await create(service, "tasks", { title: "Call them" });
      const { items } = await pull(service);
      const told = items.map((item) => [item.type, item.id]);
      assert.deepEqual(told.sort(), [...ids, ["relation", relation.id]].sort());
      const unitOf = (id: string) => items.find((item) => item.id === id).body.unit;
      assert.deepEqual(unitOf(decision).evidenceIds, [`${US}/${fact.id}`]);
      assert.deepEqual(unitOf(relation.id).ends.map((end: Json) => end.id), [`${US}/${fact.id}`, `${US}/${decision}`]);
    },
  ],
  [
    "T34 everybody gets a tombstone of an erased item, and every peer a notice until it acknowledges it",
    async (service) => {
      await addPeer(service);
      const low = await service.createKey({ scopes: ["federation"], maxSensitivity: "public" });
      const { id } = await create(service, "facts", { statement: "Acme keeps secrets.", sensitivity: "restricted" });
      const { since } = await pull(service);
      await service.post(`/v1/facts/${id}/forget`, { mode: "erase" });
      const { items } = await pull(service, { since });
      assert.deepEqual(items.map(({ type, version, body }) => [type, version, body.unit]), [["fact:deleted", 2, null]]);
      assert.deepEqual((await pull(service, { key: low })).items.map((item) => item.type), ["fact:deleted"]);
      await using sql = await superuser(service);
      const notices =
        await sql`select peer_id, origin_id, version, acked_at from federation_erasure where workspace_id = ${service.workspaceId}`;
      assert.deepEqual([...notices], [{ peer_id: PEER, origin_id: id, version: 2, acked_at: null }]);
    },
  ],
  [
    "an item that is raised above a reader's clearance is withdrawn from the reader, who gets its content no more",
    async (service) => {
      const low = await service.createKey({ scopes: ["federation"], maxSensitivity: "internal" });
      const { id } = await create(service, "facts", { statement: "Acme keeps backups." });
      const hidden = await create(service, "facts", { statement: "Acme keeps secrets.", sensitivity: "restricted" });
      const first = await pull(service, { key: low });
      assert.deepEqual(first.items.map((item) => item.id), [id]);
      await service.patch(`/v1/memory/facts/${id}`, { sensitivity: "restricted" });
      // Publication has not run yet: the register still says that anybody may see the item.
      assert.deepEqual(await serveStale(service, id), []);
      const { items } = await pull(service, { key: low, since: first.since });
      assert.deepEqual(items.map(({ id, version, body }) => [id, version, body.unit, body.withdrawn]), [[
        id,
        2,
        null,
        true,
      ]]);
      const byId = await service.get(`${ITEMS}?ids=${id}&ids=${hidden.id}`, { key: low });
      assert.deepEqual(byId.body.items.map((item: Json) => [item.id, item.body.unit]), [[id, null]]);
      const all = await pull(service);
      assert.equal(all.items.filter((item) => item.body.unit !== null).length, 2);
    },
  ],
  [
    "T39 a reader gets only its own workspace's items; a peer that only receives gets none",
    async (service) => {
      await create(service, "facts", { statement: "Acme keeps backups for ninety days." });
      const other = await service.inNewWorkspace();
      const theirs = await create(other, "facts", { statement: "Initech burns its backups." });
      for (const path of [ITEMS, DIGEST]) {
        const reply = await service.get(`${path}?workspace=${other.workspaceId}`);
        assert.deepEqual([reply.status, reply.body.code], [404, "not_found"]);
        const upper = await service.get(`${path}?workspace=${service.workspaceId.toUpperCase()}`);
        assert.equal(upper.status, service.workspaceId === service.workspaceId.toUpperCase() ? 200 : 422);
        const scoped = await service.createKey({ scopes: ["memory:read", "memory:export"] });
        assert.equal((await service.get(path, { key: scoped })).status, 403);
      }
      // Behind the face, which refuses it first.
      const named = ListFederationItemsQuery.parse({ workspace: other.workspaceId });
      await assert.rejects(serveItems(asPeer(service), named), { code: "not_found" });
      await pull(other);
      assert.deepEqual((await service.get(`${ITEMS}?ids=${theirs.id}`)).body.items, []);
      await addPeer(service, { direction: "push" });
      const refused = await serveItems(asPeer(service), ListFederationItemsQuery.parse({})).catch((error) => error);
      assert.ok(refused instanceof ServiceError && refused.code === "insufficient_scope");
    },
  ],
  [
    "a cursor of another epoch or beyond the end is refused by its name; items by id are served in steps of versions",
    async (service) => {
      const { id } = await create(service, "facts", { statement: "Acme keeps backups." });
      const { since } = await pull(service);
      await using sql = await superuser(service);
      await sql`update federation_version set version = 300 where origin_id = ${id}`;
      const step = await service.get(`${ITEMS}?ids=${id}&atMost=100`);
      assert.deepEqual(step.body.items.map(({ version, body }: Json) => [version, body.version]), [[100, 100]]);
      assert.equal((await service.get(`${ITEMS}?ids=${id}&atMost=400`)).body.items[0].version, 300);
      await sql`update federation_cursor set epoch = ${crypto.randomUUID()} where workspace_id = ${service.workspaceId}`;
      const beyond = Buffer.from(JSON.stringify([`federation ${service.workspaceId} x`, "asc", 1])).toString(
        "base64url",
      );
      for (const cursor of [since, beyond, "x"]) {
        const reply = await service.get(`${ITEMS}?since=${cursor}`);
        assert.deepEqual([reply.status, reply.body.errors[0].path], [422, "since"]);
      }
      assert.equal((await service.get(`${ITEMS}?ids=${id}&since=${since}`)).status, 422);
    },
  ],
  [
    "digests are equal after different local histories, and one changed byte in one row shows",
    async (service) => {
      const other = await service.inNewWorkspace();
      const ids: string[] = [];
      for (const i of [0, 1]) ids.push((await create(service, "facts", { statement: `Fact number ${i} holds.` })).id);
      const file = await service.get("/v1/export");
      const headers = { "content-type": "application/x-ndjson" };
      const imported = await other.call("POST", "/v1/import", { body: file.body, headers });
      assert.deepEqual([imported.status, imported.body.created], [200, 2], JSON.stringify(imported.body));
      // The units get other versions, trust and use, but the same content.
      await other.post("/v1/memory/facts", { statement: "Fact number 0 holds." });
      await other.patch(`/v1/memory/facts/${ids[1]}`, { pinned: true });
      await other.post("/v1/memory/recall", { query: "number" });
      const roots = async () => {
        const replies = [service, other].map((one) => one.get(`${DIGEST}?depth=2`));
        return (await Promise.all(replies)).map(({ body }) => body.nodes[0]);
      };
      const [here, there] = await roots();
      assert.equal(here.count, 2);
      assert.deepEqual(here, there);
      const [first] = here.children;
      const bucketOf = async (one: TestService) => {
        const tree = (await one.get(`${DIGEST}?prefix=${first.prefix}&depth=2`)).body.nodes[0];
        return (await one.get(`${DIGEST}?prefix=${tree.children[0].prefix}`)).body.nodes[0].items;
      };
      assert.deepEqual(await bucketOf(service), await bucketOf(other));
      await using sql = await superuser(service);
      await sql`update federation_version set leaf = set_byte(leaf, 31, (get_byte(leaf, 31) + 1) % 256)
               where workspace_id = ${other.workspaceId} and origin_id = ${ids[0]!}`;
      const [same, changed] = await roots();
      assert.equal(same.digest, here.digest);
      assert.notEqual(changed.digest, here.digest, "the root is made from the rows, not remembered");
    },
  ],
];

const SEALED: readonly (readonly [string, (service: TestService) => Promise<void>])[] = [
  [
    "T30 pages are sealed for their reader, each item with a nonce of its own, and the end is signed, too",
    async (service) => {
      await addPeer(service, { region: "us-east-1" });
      const { id } = await create(service, "facts", { statement: "Acme keeps backups for ninety days." });
      const page = await serveItems(asPeer(service), ListFederationItemsQuery.parse({}));
      assert.ok(!JSON.stringify(page).includes("ninety"));
      const expected = { from: US, to: PEER, workspace: service.workspaceId, isAbroad: false };
      const keys = { signingKeys: [OUR_KEY.raw], openKeys: [SEAL_KEY] };
      verifyPage(page, expected, keys);
      const opened = page.items.map((item) => openPageItem(page, item as SealedItem, keys));
      assert.deepEqual(opened.map(({ body }) => body.origin.id), [id]);
      const again = await serveItems(asPeer(service), ListFederationItemsQuery.parse({}));
      const nonces = [page, again].map(({ items: [item] }) => (item as SealedItem).nonce);
      assert.notEqual(nonces[0], nonces[1]);
      const end = await serveItems(asPeer(service), ListFederationItemsQuery.parse({ since: page.cursor }));
      assert.deepEqual([end.items, end.cursor], [[], page.cursor]);
      verifyPage(end, expected, keys);
    },
  ],
  [
    "T12 a peer in another region gets ids and keyed hashes of facts, and no other byte of their content",
    async (service) => {
      await addPeer(service, { region: "eu-west-1" });
      const marker = "zanzibar";
      const fact = await create(service, "facts", { statement: `The ${marker} keeps backups.`, tags: [marker] });
      await create(service, "facts", { statement: `The ${marker} keeps secrets.`, sensitivity: "restricted" });
      await create(service, "decisions", { title: marker, decision: marker });
      await create(service, "entities", { canonicalName: marker });
      const page = await serveItems(asPeer(service), ListFederationItemsQuery.parse({}));
      assert.equal(page.items.length, 1);
      const [item] = page.items as Json[];
      assert.deepEqual(Object.keys(item).sort(), ["factId", "hash", "region"]);
      assert.deepEqual([item.factId, item.region], [fact.id, "us-east-1"]);
      const bytes = JSON.stringify(page);
      for (
        const form of [marker, Buffer.from(marker).toString("hex"), Buffer.from(marker).toString("base64").slice(0, -2)]
      ) {
        assert.ok(!bytes.includes(form), form);
      }
      verifyPage(page, { from: US, to: PEER, workspace: service.workspaceId, isAbroad: true }, {
        signingKeys: [OUR_KEY.raw],
        openKeys: [SEAL_KEY],
      });
      await using sql = await superuser(service);
      const [{ value }] = await sql<
        [{ value: Uint8Array }]
      >`select value from svc_instance_secret where name = 'projection'`;
      const [{ hash }] = await sql<[{ hash: string }]>`
      select encode(hash, 'hex') as hash from federation_version where origin_id = ${fact.id}`;
      assert.equal(item.hash, createHmac("sha256", value).update(`${fact.id}\n${hash}`).digest("hex"));
    },
  ],
];

async function inWorkspaces(t: Deno.TestContext, env: Record<string, string>, steps: typeof PLAIN): Promise<void> {
  await using service = await startService({ env });
  for (const [name, run] of steps) await t.step(name, async () => run(await service.inNewWorkspace()));
}

Deno.test({
  ...POSTGRES,
  name: "an instance without keys publishes each version once, and serves it to readers that are cleared for it",
  fn: (t) => inWorkspaces(t, ENV, PLAIN),
});

Deno.test({
  ...POSTGRES,
  name: "an instance with keys seals what it serves, and serves another region projections alone",
  fn: (t) => inWorkspaces(t, KEYED_ENV, SEALED),
});
