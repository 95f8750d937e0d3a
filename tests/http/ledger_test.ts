/** Every writer of a unit has the same effects: on units that rest on it, on contested facts, on recall. */
import assert from "node:assert/strict";
import { POSTGRES } from "../_postgres.ts";
import { type Reply, startService, type TestService } from "../_service.ts";
import { FACTS, LIVES_IN } from "./_facts.ts";
import { lockNames } from "../../src/db/queries/units.ts";
import { nameKey } from "../../src/language/names.ts";
import { waitFor, within } from "../_wait.ts";
import { exportAll, JSONL, type Line, makeFile } from "./_transfer.ts";

type Body = Reply["body"];

/** A workspace with a fact, a fact that it keeps contested, and a decision that rests on it. */
interface Scene {
  readonly source: Body;
  readonly contested: Body;
  readonly decision: Body;
  send(method: string, path: string, body?: unknown): Promise<Body>;
  export(): Promise<{ header: Line; lines: Line[] }>;
  import(text: string): Promise<Body>;
  /** Imports a file and breaks off when its lines are written, but before their consequences are. */
  breakOff(text: string): Promise<void>;
}

async function setScene(service: TestService): Promise<Scene> {
  const workspaceId = await service.createWorkspace();
  const key = await service.createKey({ workspaceId });
  const send = async (method: string, path: string, body?: unknown): Promise<Body> => {
    const reply = await service.call(method, path, { key, ...(body !== undefined && { body }) });
    assert.ok(reply.status < 300, `${method} ${path}: ${JSON.stringify(reply.body)}`);
    return reply.body;
  };
  const state = (object: string, attribution: string) =>
    send("POST", FACTS, { statement: `Caroline lives in ${object}.`, ...LIVES_IN, object, attribution });
  const source = await state("Lisbon", "agent_stated");
  const contested = await state("Oslo", "unverified");
  assert.equal(contested.conflict.outcome, "contested");
  const decision = await send("POST", "/v1/memory/decisions", {
    title: "Visit her",
    decision: "We fly to Portugal.",
    derivedFrom: [source.id],
  });
  return {
    source,
    contested,
    decision,
    send,
    export: () => exportAll(service, key),
    async import(text) {
      const headers = { "content-type": "application/x-ndjson" };
      const { status, body } = await service.call("POST", "/v1/import?format=svc", { body: text, key, headers });
      assert.deepEqual([status, body.errors], [200, []]);
      return body;
    },
    async breakOff(text) {
      const operator = service.operator(workspaceId);
      const [held, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      // Releasing contested facts waits for others who write about the same triple; the lines of a file do not wait.
      const holding = operator.tx(async (tx) => {
        await lockNames(tx, [`fact:triple:${JSON.stringify([LIVES_IN.subject, LIVES_IN.predicate].map(nameKey))}`]);
        held.resolve();
        await done.promise;
      }, { deadlineMs: 60_000 });
      try {
        await Promise.race([held.promise, holding]);
        const running = service.call("POST", "/v1/import?format=svc", { body: text, key, headers: JSONL });
        await waitFor("the import to wait", () =>
          operator.tx(async (tx) => {
            const [row] = await tx.sql<{ is: boolean }[]>`
              select pg_cancel_backend(l.pid) as is from pg_locks l join pg_database d on d.oid = l.database
               where l.locktype = 'advisory' and not l.granted and d.datname = current_database()`;
            return row?.is === true;
          }));
        assert.ok((await within("the import to end", running)).status >= 500);
      } finally {
        done.resolve();
        await holding;
      }
      assert.equal((await send("GET", `${FACTS}/${contested.id}`)).status, "contested", "it was broken off");
    },
  };
}

/** A file with a version that retracts the source. */
async function retraction({ export: read, source }: Scene): Promise<string> {
  const { header, lines } = await read();
  const line = lines.find(({ kind, id }: Line) => kind === "fact" && id === source.id);
  const at = new Date(Date.parse(line.revision.recordedAt) + 1).toISOString();
  const revision = { ...line.revision, event: "retracted", recordedAt: at };
  const next = { ...line, version: line.version + 1, status: "retracted", retractedAt: at, updatedAt: at, revision };
  return makeFile(header, [next]);
}

/** A file that says that the source was erased, and perhaps the new state of the fact that it kept contested. */
async function erasure({ export: read, source, contested }: Scene, tellsRelease = false): Promise<string> {
  const { header, lines } = await read();
  const erased = { kind: "deletion", id: source.id, resourceType: "fact", originInstance: source.origin.instance };
  const by = { sensitivity: source.sensitivity, erasedAt: source.recordedAt, erasedBy: source.createdBy, receipt: {} };
  const line = lines.find(({ kind, id }: Line) => kind === "fact" && id === contested.id);
  const at = new Date(Date.parse(line.revision.recordedAt) + 1).toISOString();
  const revision = { ...line.revision, event: "released", reason: "nothing contradicts it there", recordedAt: at };
  const released = { ...line, version: line.version + 1, status: "active", updatedAt: at, revision };
  return makeFile(header, [{ ...erased, ...by }, ...(tellsRelease ? [released] : [])]);
}

/** Ways to take a fact out of force, each by another writer, with the outcome of the review of the contested fact. */
const WRITERS: Readonly<Record<string, { outcome: string; write: (scene: Scene) => Promise<unknown> }>> = {
  "a batch that states the contested one again, trusted more": {
    outcome: "stated again as user_stated",
    async write({ send, contested: { statement, object, id } }) {
      const fact = { statement, ...LIVES_IN, object, attribution: "user_stated" };
      const { results: [result] } = await send("POST", `${FACTS}/batch`, { facts: [fact] });
      assert.deepEqual([result.fact.id, result.fact.status, result.fact.conflict.outcome], [
        id,
        "active",
        "superseded",
      ]);
    },
  },
  "a new fact that says what the contested one does": {
    outcome: "no live fact contradicts it any more",
    write: ({ send }) =>
      send("POST", FACTS, {
        statement: "Caroline moved to Oslo for good.",
        ...LIVES_IN,
        object: "Oslo",
        attribution: "user_stated",
      }),
  },
  "a revision": {
    outcome: "no live fact contradicts it any more",
    write: ({ send, source }) => send("PATCH", `${FACTS}/${source.id}`, { status: "retracted" }),
  },
  "an import": {
    outcome: "no live fact contradicts it any more",
    write: async (scene) => assert.equal((await scene.import(await retraction(scene))).updated, 1),
  },
  "an import that is broken off before that and sent again": {
    outcome: "no live fact contradicts it any more",
    async write(scene) {
      const file = await retraction(scene);
      await scene.breakOff(file);
      assert.equal((await scene.import(file)).unchanged, 1);
    },
  },
  "an erasure": {
    outcome: "no live fact contradicts it any more",
    write: ({ send, source }) => send("POST", `/v1/facts/${source.id}/forget`, { mode: "erase" }),
  },
  "an erasure that a file brings": {
    outcome: "no live fact contradicts it any more",
    write: async (scene) => assert.equal((await scene.import(await erasure(scene))).created, 1),
  },
  "an erasure that a file brings, broken off before that and sent again": {
    outcome: "no live fact contradicts it any more",
    async write(scene) {
      const file = await erasure(scene);
      await scene.breakOff(file);
      assert.equal((await scene.import(file)).unchanged, 1);
    },
  },
  "an erasure that a file brings with what followed from it where it comes from": {
    outcome: "nothing contradicts it there",
    async write(scene) {
      const { created, updated } = await scene.import(await erasure(scene, true));
      assert.deepEqual([created, updated], [1, 1]);
    },
  },
  "one that gains trust and supersedes, and holds at another time than the contested one": {
    outcome: "no live fact contradicts it any more",
    async write({ send, contested }) {
      const in2040 = { validFrom: "2040-01-01T00:00:00.000Z", validTo: "2041-01-01T00:00:00.000Z" };
      assert.equal((await send("PATCH", `${FACTS}/${contested.id}`, in2040)).status, "contested");
      const winner = await send("POST", FACTS, {
        statement: "Caroline lives in Rome.",
        ...LIVES_IN,
        object: "Rome",
        attribution: "unverified",
        validTo: "2039-01-01T00:00:00.000Z",
      });
      assert.equal(winner.conflict.outcome, "contested");
      const { conflict } = await send("PATCH", `${FACTS}/${winner.id}`, { attribution: "user_stated" });
      assert.equal(conflict.outcome, "superseded");
    },
  },
  "a self-edit": {
    outcome: "no live fact contradicts it any more",
    write: ({ send, source }) =>
      send("POST", "/v1/self/edit", {
        reason: "She moved.",
        mode: "atomic",
        operations: [{ op: "retract", id: source.id }],
      }),
  },
};

Deno.test({
  ...POSTGRES,
  name: "standing, release of what was contested and its review follow a fact out of force, whoever writes",
  async fn(t) {
    await using service = await startService();
    for (const [name, { outcome, write }] of Object.entries(WRITERS)) {
      await t.step(name, async () => {
        const scene = await setScene(service);
        await write(scene);
        const { send, contested, decision } = scene;
        assert.equal((await send("GET", `${FACTS}/${contested.id}`)).status, "active", "it is released");
        const item = await send("GET", `/v1/review/${contested.conflict.reviewItemId}`);
        assert.deepEqual([item.status, item.resolution?.outcome], ["resolved", outcome]);
        assert.equal((await send("GET", `/v1/memory/decisions/${decision.id}`)).stale, true);
        const { data: [stale] } = await send("GET", `/v1/review?kind=stale_dependant&unitId=${decision.id}`);
        assert.equal(stale.subjectId, decision.id, "a person is asked");
      });
    }
  },
});

Deno.test({
  ...POSTGRES,
  name: "what an import reinstates makes fresh what rests on it, and its new text is recalled",
  async fn() {
    await using service = await startService();
    const { send, export: read, import: bring, source, decision } = await setScene(service);
    const { header, lines } = await read();
    const line = lines.find(({ kind, id }: Line) => kind === "fact" && id === source.id);
    await send("PATCH", `${FACTS}/${source.id}`, { status: "retracted" });
    assert.equal((await send("GET", `/v1/memory/decisions/${decision.id}`)).stale, true);
    const at = new Date().toISOString();
    const body = { ...line.body, statement: "Caroline keeps her flat in Lisbon near the aqueduct." };
    const revision = { ...line.revision, event: "restored", recordedAt: at };
    const next = { ...line, version: line.version + 2, body, updatedAt: at, revision };
    assert.equal((await bring(makeFile(header, [next]))).updated, 1);
    assert.equal((await send("GET", `/v1/memory/decisions/${decision.id}`)).stale, false);
    const { results } = await send("POST", "/v1/memory/recall", { query: "flat near the aqueduct" });
    assert.equal(results[0].id, source.id);
  },
});
