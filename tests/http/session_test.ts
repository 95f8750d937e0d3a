/** Sessions over HTTP: their promises to callers. The contract test covers what all operations have in common. */
import assert from "node:assert/strict";
import { DATABASE } from "../_postgres.ts";
import { startService, type TestService } from "../_service.ts";

interface TurnInput {
  readonly role?: string;
  readonly name?: string;
  readonly content: string;
  readonly messageId?: string;
  readonly occurredAt?: string;
  readonly pinned?: boolean;
}

async function startSession(service: TestService, body: Record<string, unknown> = {}): Promise<string> {
  const reply = await service.post("/v1/session", body);
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  return reply.body.id;
}

async function addTurns(service: TestService, id: string, turns: readonly TurnInput[]): Promise<void> {
  const reply = await service.post(`/v1/session/${id}/turns`, {
    turns: turns.map((turn) => ({ role: "user", ...turn })),
  });
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
}

const session = (name: string, run: (service: TestService) => Promise<void>) =>
  Deno.test({
    ...DATABASE,
    name,
    async fn() {
      await using service = await startService();
      await run(service);
    },
  });

session("a session is started, read, listed by its filters and paged by its cursor", async (service) => {
  const ids: string[] = [];
  for (const agentId of ["a", "b", "a"]) ids.push(await startSession(service, { agentId, scratchpad: { n: 1 } }));
  const read = await service.get(`/v1/session/${ids[0]}`);
  assert.equal(read.headers.get("etag"), '"1"');
  assert.deepEqual(read.body.scratchpad, { n: 1 });
  assert.equal(read.body.status, "open");

  const all = await service.get("/v1/session?limit=2");
  assert.deepEqual(all.body.data.map((item: { id: string }) => item.id), [ids[2], ids[1]]);
  assert.equal("scratchpad" in all.body.data[0], false);
  const rest = await service.get(`/v1/session?limit=2&cursor=${all.body.nextCursor}`);
  assert.deepEqual(rest.body.data.map((item: { id: string }) => item.id), [ids[0]]);
  assert.equal(rest.body.nextCursor, null);
  assert.equal((await service.get(`/v1/session?order=asc&cursor=${all.body.nextCursor}`)).status, 422);

  const ofA = await service.get("/v1/session?agentId=a&order=asc");
  assert.deepEqual(ofA.body.data.map((item: { id: string }) => item.id), [ids[0], ids[2]]);
  await service.delete(`/v1/session/${ids[1]}`);
  const open = await service.get("/v1/session?status=open");
  assert.deepEqual(open.body.data.map((item: { id: string }) => item.id), [ids[2], ids[0]]);
});

session(
  "a turn is kept verbatim, with what its speaker said about it and with defaults for the rest",
  async (service) => {
    const id = await startSession(service);
    const content = "  Two  spaces, a tab\t, a\nline break, 日本語, 👩‍👩‍👧 and \u202e controls \u0001 ";
    const added = await service.post(`/v1/session/${id}/turns`, {
      role: "tool",
      name: "search",
      content,
      messageId: "call/1",
      occurredAt: "2026-03-01T10:30:00+01:00",
      pinned: true,
      tags: ["x"],
      metadata: { a: [1, null, { b: "c" }] },
    });
    assert.equal(added.status, 201);
    const { duplicate, ...turn } = added.body;
    assert.equal(duplicate, false);
    assert.equal(turn.content, content);
    assert.equal(turn.occurredAt, "2026-03-01T09:30:00.000Z");
    assert.deepEqual(turn.metadata, { a: [1, null, { b: "c" }] });
    const bare = await service.post(`/v1/session/${id}/turns`, { role: "user", content: "x" });
    assert.equal(bare.body.messageId, bare.body.id);
    assert.equal(bare.body.name, null);
    const listed = await service.get(`/v1/session/${id}/turns`);
    assert.deepEqual(listed.body.data, [turn, (({ duplicate: _, ...rest }) => rest)(bare.body)]);
    const read = await service.get(`/v1/session/${id}`);
    assert.equal(read.body.turnCount, 2);
    assert.deepEqual(read.body.participants, ["search"]);
    assert.ok(read.body.tokenCount > 0);
  },
);

session("a repeated message id with the same words is the same turn, with others it is refused", async (service) => {
  const id = await startSession(service);
  const turn = { role: "user", name: "Ann", content: "Hello", messageId: "m1" };
  const first = await service.post(`/v1/session/${id}/turns`, turn);
  const again = await service.post(`/v1/session/${id}/turns`, turn);
  assert.equal(again.status, 200);
  assert.deepEqual(again.body, { ...first.body, duplicate: true });

  for (const other of [{ content: "Bye" }, { role: "assistant" }, { name: "Bob" }]) {
    const refused = await service.post(`/v1/session/${id}/turns`, { ...turn, ...other });
    assert.equal(refused.status, 409);
    assert.equal(refused.body.code, "conflict");
    assert.deepEqual(refused.body.errors.map((error: { path: string }) => error.path), ["messageId"]);
  }
  const mixed = await service.post(`/v1/session/${id}/turns`, {
    turns: [turn, { role: "user", content: "New", messageId: "m2" }, { role: "user", content: "New", messageId: "m2" }],
  });
  assert.equal(mixed.status, 201);
  assert.deepEqual([mixed.body.created, mixed.body.duplicates], [1, 2]);
  assert.deepEqual(mixed.body.turns.map((item: { position: number }) => item.position), [0, 1, 1]);
  const all = await service.post(`/v1/session/${id}/turns`, { turns: [turn] });
  assert.equal(all.status, 200);
  // The same id in another session is another turn.
  assert.equal((await service.post(`/v1/session/${await startSession(service)}/turns`, turn)).body.duplicate, false);
});

session("a batch is added whole or not at all, and a fault is told where it is", async (service) => {
  const id = await startSession(service);
  await addTurns(service, id, [{ content: "one", messageId: "m1" }]);
  const conflict = await service.post(`/v1/session/${id}/turns`, {
    turns: [{ role: "user", content: "two" }, { role: "user", content: "other", messageId: "m1" }],
  });
  assert.equal(conflict.status, 409);
  assert.deepEqual(conflict.body.errors.map((error: { path: string }) => error.path), ["turns.1.messageId"]);
  const invalid = await service.post(`/v1/session/${id}/turns`, {
    turns: [{ role: "user", content: "two" }, { role: "robot", content: 5, extra: 1 }],
  });
  assert.equal(invalid.status, 422);
  assert.deepEqual(
    invalid.body.errors.map((error: { path: string }) => error.path).sort(),
    ["turns.1.content", "turns.1.extra", "turns.1.role"],
  );
  const tooMany = { turns: Array.from({ length: 501 }, () => ({ role: "user", content: "x" })) };
  assert.equal((await service.post(`/v1/session/${id}/turns`, tooMany)).status, 422);
  assert.equal((await service.get(`/v1/session/${id}`)).body.turnCount, 1);
});

session("turns that arrive at once get places without gaps, in the order of their batches", async (service) => {
  const id = await startSession(service);
  const batches = Array.from(
    { length: 8 },
    (_, batch) =>
      Array.from({ length: 25 }, (_, place) => ({ content: `turn ${batch} ${place}`, messageId: `${batch}-${place}` })),
  );
  await Promise.all(batches.map((turns) => addTurns(service, id, turns)));
  const listed: { position: number; messageId: string }[] = [];
  for (let cursor = ""; cursor !== null;) {
    const page = await service.get(`/v1/session/${id}/turns?limit=70${cursor && `&cursor=${cursor}`}`);
    listed.push(...page.body.data);
    cursor = page.body.nextCursor;
  }
  assert.deepEqual(listed.map((turn) => turn.position), Array.from({ length: 200 }, (_, place) => place));
  for (let start = 0; start < 200; start += 25) {
    const [batch] = listed[start]!.messageId.split("-");
    const expected = Array.from({ length: 25 }, (_, place) => `${batch}-${place}`);
    assert.deepEqual(listed.slice(start, start + 25).map((turn) => turn.messageId), expected);
  }
  const last = await service.get(`/v1/session/${id}/turns?order=desc&limit=1`);
  assert.equal(last.body.data[0].position, 199);
  // A cursor of one session says nothing about another.
  const other = await startSession(service);
  assert.equal((await service.get(`/v1/session/${other}/turns?order=desc&cursor=${last.body.nextCursor}`)).status, 422);
});

session("a full session takes no more, and a repeated turn is still recognised", async (service) => {
  const id = await startSession(service);
  await addTurns(service, id, [{ content: "x", messageId: "m1" }]);
  await service.operator().tx((tx) =>
    tx.sql`update session set token_count = 1000000 where workspace_id = ${tx.workspaceId} and id = ${id}`
  );
  const refused = await service.post(`/v1/session/${id}/turns`, { role: "user", content: "y" });
  assert.equal(refused.body.code, "conflict");
  const again = await service.post(`/v1/session/${id}/turns`, { role: "user", content: "x", messageId: "m1" });
  assert.equal(again.body.duplicate, true);
});

session("the same message sent twice at once is one turn", async (service) => {
  const id = await startSession(service);
  const turn = { role: "user", content: "once", messageId: "m" };
  const replies = await Promise.all(Array.from({ length: 6 }, () => service.post(`/v1/session/${id}/turns`, turn)));
  assert.deepEqual(replies.map((reply) => reply.status).sort(), [200, 200, 200, 200, 200, 201]);
  assert.equal(new Set(replies.map((reply) => reply.body.id)).size, 1);
});

session("a turn is pinned by either of its ids, and the pin can be taken away", async (service) => {
  const id = await startSession(service);
  await addTurns(service, id, [{ content: "keep", messageId: "m1" }, { content: "drop" }]);
  const pinned = await service.post(`/v1/session/${id}/pin`, { messageId: "m1" });
  assert.equal(pinned.body.pinned, true);
  assert.equal(pinned.body.version, 2);
  assert.equal((await service.post(`/v1/session/${id}/pin`, { turnId: pinned.body.id })).body.version, 2);
  const found = await service.get(`/v1/session/${id}/turns?pinned=true`);
  assert.deepEqual(found.body.data.map((turn: { messageId: string }) => turn.messageId), ["m1"]);
  assert.equal(
    (await service.post(`/v1/session/${id}/pin`, { turnId: pinned.body.id, pinned: false })).body.version,
    3,
  );
  assert.deepEqual((await service.get(`/v1/session/${id}/turns?pinned=true`)).body.data, []);

  assert.equal((await service.post(`/v1/session/${id}/pin`, { messageId: "nothing" })).status, 404);
  assert.equal((await service.post(`/v1/session/${id}/pin`, {})).status, 422);
  const both = await service.post(`/v1/session/${id}/pin`, { messageId: "m1", turnId: pinned.body.id });
  assert.equal(both.status, 422);
  const other = await startSession(service);
  assert.equal((await service.post(`/v1/session/${other}/pin`, { turnId: pinned.body.id })).status, 404);
});

session("the scratchpad is changed by merge patches under a version of its own", async (service) => {
  const id = await startSession(service, { scratchpad: { goal: "a", deep: { x: 1, y: 2 } } });
  const path = `/v1/session/${id}/scratch`;
  const patched = await service.post(path, { goal: null, deep: { x: null, z: [1] } }, {
    headers: { "content-type": "application/merge-patch+json", "if-match": '"1"' },
  });
  assert.equal(patched.status, 200);
  assert.deepEqual(patched.body, { sessionId: id, version: 2, content: { deep: { y: 2, z: [1] } } });
  assert.equal(patched.headers.get("etag"), '"2"');
  // Turns do not prevent this.
  await addTurns(service, id, [{ content: "x" }]);
  assert.equal((await service.post(path, { a: 1 }, { headers: { "if-match": '"2"' } })).body.version, 3);
  const stale = await service.post(path, { a: 2 }, { headers: { "if-match": '"2"' } });
  assert.equal(stale.body.code, "version_mismatch");
  assert.equal((await service.post(path, { a: 1 })).body.version, 3, "a patch that changes nothing is no new version");
  assert.equal((await service.post(path, [1])).status, 422);
  const odd = await service.post(path, `{"__proto__":{"b":1}}`);
  assert.equal(JSON.stringify(odd.body.content["__proto__"]), `{"b":1}`);
});

session("the scratchpad as a whole is bounded, not each patch alone", async (service) => {
  const id = await startSession(service);
  const half = "x".repeat(40_000);
  assert.equal((await service.post(`/v1/session/${id}/scratch`, { a: half })).status, 200);
  assert.equal((await service.post(`/v1/session/${id}/scratch`, { b: half })).status, 422);
  assert.equal((await service.post(`/v1/session/${id}/scratch`, { a: null, b: half })).status, 200);
  assert.equal((await service.post("/v1/session", { scratchpad: { a: half, b: half } })).status, 422);
});

session("a discarded session keeps no content and takes no more", async (service) => {
  const id = await startSession(service, { title: "gone", scratchpad: { secret: 1 } });
  await addTurns(service, id, [{ name: "Ann", content: "The zeppelin lands on Tuesday" }, { content: "Fine" }]);
  const stale = await service.delete(`/v1/session/${id}`, { headers: { "if-match": '"1"' } });
  assert.equal(stale.body.code, "version_mismatch");
  const discarded = await service.delete(`/v1/session/${id}`);
  assert.equal(discarded.status, 200);
  const { status, title, turnCount, participants, scratchpad, endedAt } = discarded.body;
  assert.deepEqual([status, title, turnCount, participants, scratchpad], ["discarded", "gone", 0, [], {}]);
  assert.notEqual(endedAt, null);
  assert.deepEqual((await service.get(`/v1/session/${id}/turns`)).body.data, []);
  assert.deepEqual((await service.delete(`/v1/session/${id}`)).body, discarded.body, "safe to repeat");

  const attempts = [
    await service.post(`/v1/session/${id}/turns`, { role: "user", content: "x" }),
    await service.post(`/v1/session/${id}/scratch`, { a: 1 }),
    await service.post(`/v1/session/${id}/pin`, { messageId: "x" }),
    await service.post(`/v1/session/${id}/collapse`),
  ];
  for (const reply of attempts) {
    assert.equal(reply.status, 409);
    assert.equal(reply.body.code, "invalid_transition");
    assert.match(reply.body.message, /discarded/);
  }
});

session("a discarded session's words leave the index, and those of others stay", async (service) => {
  const [gone, kept] = [await startSession(service), await startSession(service)];
  await addTurns(service, gone, [{ name: "Ann", content: "The zeppelin lands on Tuesday" }]);
  await addTurns(service, kept, [{ name: "Bob", content: "A zeppelin is a rigid airship" }]);
  await service.delete(`/v1/session/${gone}`);
  const rows = await service.operator().tx((tx) =>
    tx.sql<{ term: string; n: number }[]>`
      select term, sum(n)::int as n from posting where workspace_id = ${tx.workspaceId} group by term`
  );
  const count = new Map(rows.map((row) => [row.term, row.n]));
  assert.equal([...count.keys()].some((term) => term.includes("ann") || term.startsWith("tuesday")), false);
  assert.equal(count.get("zeppelin"), 1);
});

session("a session above the key's clearance does not exist for it, nor can it start one", async (service) => {
  const key = await service.createKey({ maxSensitivity: "internal" });
  const id = await startSession(service, { sensitivity: "restricted" });
  assert.equal((await service.get(`/v1/session/${id}`, { key })).status, 404);
  assert.equal((await service.post(`/v1/session/${id}/turns`, { role: "user", content: "x" }, { key })).status, 404);
  assert.deepEqual((await service.get("/v1/session", { key })).body.data, []);
  const refused = await service.post("/v1/session", { sensitivity: "restricted" }, { key });
  assert.equal(refused.status, 422);
  assert.deepEqual(refused.body.errors.map((error: { path: string }) => error.path), ["sensitivity"]);
});

session("a turn has the sensitivity of its session, however much its writer may see", async (service) => {
  const [key, high] = [
    await service.createKey({ maxSensitivity: "internal" }),
    await service.createKey({ maxSensitivity: "restricted" }),
  ];
  for (const sensitivity of ["internal", "restricted"]) {
    const id = (await service.post("/v1/session", { sensitivity }, { key: high })).body.id;
    const turn = { role: "user", name: "Mel", content: `the zeppelin is ${sensitivity}` };
    assert.equal((await service.post(`/v1/session/${id}/turns`, turn, { key: high })).status, 201);
  }
  const found = await service.post("/v1/memory/recall", { query: "zeppelin", types: ["turn"] }, { key });
  assert.deepEqual(found.body.results.map(({ text }: { text: string }) => text), ["the zeppelin is internal"]);
});

session("every change of a session is told by the change feed, without content", async (service) => {
  const id = await startSession(service);
  await addTurns(service, id, [{ content: "zeppelin", messageId: "m1" }, { content: "two" }]);
  await service.post(`/v1/session/${id}/pin`, { messageId: "m1" });
  await service.post(`/v1/session/${id}/scratch`, { note: "zeppelin" });
  await service.delete(`/v1/session/${id}`);
  const rows = await service.operator().tx((tx) =>
    tx.sql<{ kind: string; seq: number; payload: unknown }[]>`
      select kind, seq::int as seq, payload from change where workspace_id = ${tx.workspaceId} order by seq`
  );
  assert.deepEqual(rows.map((row) => row.kind), [
    "session.created",
    "turn.created",
    "turn.created",
    "turn.pinned",
    "session.scratched",
    "turn.deleted",
    "turn.deleted",
    "session.discarded",
  ]);
  assert.deepEqual(rows.map((row) => row.seq), rows.map((_, index) => index + 1));
  assert.equal(JSON.stringify(rows).includes("zeppelin"), false);
});
