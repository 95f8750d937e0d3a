/** `GET /v1/memory/changes`: the change feed as a list. */
import assert from "node:assert/strict";
import { SCOPES } from "../../src/schema/scopes.ts";
import { POSTGRES } from "../_postgres.ts";
import { type Reply, startService, type TestService } from "../_service.ts";

const PATH = "/v1/memory/changes";

async function addFact(service: TestService, statement: string, more: Record<string, unknown> = {}): Promise<string> {
  const reply = await service.post("/v1/memory/facts", { statement, ...more });
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  return reply.body.id;
}

async function list(service: TestService, query = "", key = service.key): Promise<Reply["body"]> {
  const reply = await service.get(`${PATH}${query}`, { key });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}

/** Every page from the first on. */
async function listAll(service: TestService, query: string, key = service.key): Promise<Reply["body"][]> {
  const all: Reply["body"][] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const page: Reply["body"] = await list(service, `?${query}${cursor && `&cursor=${cursor}`}`, key);
    all.push(...page.data);
    cursor = page.nextCursor;
  }
  return all;
}

Deno.test({
  ...POSTGRES,
  name: "the change feed tells each change once and in order, by cursor",
  async fn() {
    await using service = await startService();
    const first = await list(service);
    assert.deepEqual([first.data, first.nextCursor], [[], null]);
    const id = await addFact(service, "The barn is red.");
    const changed = await service.patch(`/v1/memory/facts/${id}`, { statement: "The barn is blue." });
    assert.equal(changed.status, 200, JSON.stringify(changed.body));
    for (let n = 1; n <= 7; n++) await addFact(service, `The tower has ${n} floors and a number.`);
    await service.post("/v1/memory/tasks", { title: "Paint the barn" });

    const ascending = await listAll(service, "limit=3");
    assert.deepEqual(ascending.map(({ seq }) => seq), ascending.map((_, i) => i + 1));
    const descending = await listAll(service, "limit=3&order=desc");
    assert.deepEqual(descending, ascending.toReversed());
    const [created] = ascending;
    assert.deepEqual({ ...created, cursor: "", recordedAt: "", actor: "" }, {
      seq: 1,
      kind: "fact.created",
      resourceType: "fact",
      resourceId: id,
      version: 1,
      sensitivity: "internal",
      actor: "",
      recordedAt: "",
      payload: { status: "active" },
      cursor: "",
    });
    assert.ok(!JSON.stringify(ascending).includes("barn"), "references, never content");

    const own = await listAll(service, `resourceId=${id}`);
    assert.deepEqual(own.map(({ kind, version }) => [kind, version]), [["fact.created", 1], ["fact.updated", 2]]);
    const facts = await listAll(service, "kind=fact.&limit=2");
    assert.deepEqual(facts, ascending.filter(({ kind }) => kind.startsWith("fact.")));
    assert.deepEqual((await listAll(service, "kind=task.created&kind=fact.updated")).length, 2);
    assert.deepEqual(await listAll(service, "kind=none."), []);

    // Following the feed: from the end of one read to the end of the next.
    const since = await listAll(service, `since=${ascending[3].cursor}&limit=2`);
    assert.deepEqual(since, ascending.slice(4));
    assert.deepEqual(await listAll(service, `since=${ascending[3].cursor}&order=desc&limit=2`), since.toReversed());
    const { endCursor } = await list(service);
    assert.deepEqual((await list(service, `?since=${endCursor}`)).data, []);
    await addFact(service, "The moat is dry.");
    const after = await list(service, `?since=${endCursor}`);
    assert.deepEqual(after.data.map(({ seq }: { seq: number }) => seq), [ascending.length + 1]);
  },
});

Deno.test({
  ...POSTGRES,
  name: "T9 the change feed shows a key what its clearance and scopes allow, and takes no cursor of another workspace",
  async fn() {
    await using service = await startService();
    await addFact(service, "The gate is open.");
    await addFact(service, "The vault holds gold.", { sensitivity: "restricted" });
    await service.post("/v1/memory/tasks", { title: "Close the gate" });
    await service.post("/v1/memory/events", { type: "gate.closed" });
    const all = await listAll(service, "");
    const low = await service.createKey({ maxSensitivity: "confidential" });
    const shownToLow = await listAll(service, "limit=1", low);
    assert.deepEqual(shownToLow, all.filter(({ sensitivity }) => sensitivity !== "restricted"));
    const noTasks = await service.createKey({ scopes: SCOPES.filter((scope) => scope !== "tasks:read") });
    const shown = await listAll(service, "limit=1", noTasks);
    assert.deepEqual(shown, all.filter(({ resourceType }) => resourceType !== "task" && resourceType !== "event"));
    for (const kind of ["task.", "event.recorded"]) {
      const reply = await service.get(`${PATH}?kind=${kind}`, { key: noTasks });
      assert.deepEqual([reply.status, reply.body.code], [403, "insufficient_scope"], kind);
    }

    const other = await service.createWorkspace();
    const stranger = await service.createKey({ workspaceId: other });
    assert.deepEqual(await listAll(service, "", stranger), []);
    const { endCursor } = await list(service, "", stranger);
    const beyond = btoa(JSON.stringify([`changes ${service.workspaceId}`, "asc", 10 ** 9]));
    const page = await list(service, "?limit=1&order=desc");
    for (const cursor of [endCursor, beyond, page.nextCursor, "x", btoa("[1]"), "A".repeat(1_000)]) {
      const reply = await service.get(`${PATH}?since=${encodeURIComponent(cursor)}`);
      assert.deepEqual([reply.status, reply.body.errors?.[0].path], [422, "since"], cursor);
    }
    const foreign = await service.get(`${PATH}?cursor=${endCursor}`);
    assert.deepEqual([foreign.status, foreign.body.errors?.[0].path], [422, "cursor"]);
  },
});

Deno.test({
  ...POSTGRES,
  name: "F5 a page of the change feed looks at a bounded stretch: a filter that finds little goes on over several",
  async fn() {
    await using service = await startService();
    await addFact(service, "The first of all.");
    const { operator, workspaceId } = { operator: service.operator(), workspaceId: service.workspaceId };
    await operator.tx(async (tx) => {
      await tx.sql`
        insert into change (workspace_id, seq, kind, resource_type, resource_id, version, sensitivity, actor, recorded_at)
        select ${workspaceId}, n, 'fact.revalued', 'fact', ${crypto.randomUUID()}, 1, 'internal', 'cli', ${tx.now}
          from generate_series(2, 25000) n`;
      await tx.sql`update feed_head set seq = 25000 where workspace_id = ${workspaceId}`;
    });
    await addFact(service, "The last of all.");
    for (const order of ["asc", "desc"]) {
      const pages: number[] = [];
      const found: string[] = [];
      for (let cursor: string | null = ""; cursor !== null;) {
        const page: Reply["body"] = await list(
          service,
          `?kind=fact.created&order=${order}${cursor && `&cursor=${cursor}`}`,
        );
        pages.push(page.data.length);
        found.push(...page.data.map(({ seq }: { seq: number }) => String(seq)));
        cursor = page.nextCursor;
      }
      assert.deepEqual(pages, [1, 0, 1], order);
      assert.deepEqual(found, order === "asc" ? ["1", "25001"] : ["25001", "1"]);
    }
  },
});
