/**
 * Two workspaces on one service: neither sees, counts, links or hinders data of the other one. docs/reference/guarantees.md T6 to T9,
 * T11, T12, T23.
 */
import assert from "node:assert/strict";
import { pathOf } from "../../src/http/app.ts";
import { ENDPOINTS } from "../../src/http/endpoints.ts";
import { SCOPES } from "../../src/schema/scopes.ts";
import { POSTGRES } from "../_postgres.ts";
import { type Reply, startService, type TestService } from "../_service.ts";
import { Tables } from "./_tables.ts";
import { emptyWorkspace, exportAll, importText } from "./_transfer.ts";
import { buildWorld, isTold, repliesOf } from "./_world.ts";

const MARK = "quetzalcoatlus";
const TURN = { role: "user", name: "Ada", messageId: "m-1", content: `Ada keeps a ${MARK} in the conservatory.` };
const FACT = { statement: `Ada keeps a ${MARK}.`, subject: "Ada", predicate: "keeps", object: MARK };
const QUERY = `What does Ada keep, a ${MARK}?`;

function assertCreated(reply: Reply): string {
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  return reply.body.id;
}

async function fill(service: TestService, key: string): Promise<{ session: string; fact: string }> {
  const session = assertCreated(await service.post("/v1/session", { title: "Zoo" }, { key }));
  assertCreated(await service.post(`/v1/session/${session}/turns`, TURN, { key }));
  const fact = assertCreated(
    await service.post("/v1/memory/facts", { ...FACT, citations: [{ messageId: TURN.messageId }] }, { key }),
  );
  return { session, fact };
}

/** All that has any sign: a text of the other workspace would be found however little it fits. */
const ALL = { query: QUERY, minScore: 0 };
const SEARCHES: readonly [path: string, body: unknown][] = [
  ["/v1/memory/recall", ALL],
  ["/v1/memory/recall/hot", ALL],
  ["/v1/memory/recall/unified", ALL],
  ["/v1/memory/recall/explain", ALL],
  ["/v1/memory/recall/batch", { queries: [ALL] }],
  ["/v1/recall", ALL],
];

/** The text of a reply without the question, which some replies repeat. */
function textOf(reply: Reply): string {
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return JSON.stringify(reply.body).replaceAll(QUERY, "");
}

Deno.test({
  ...POSTGRES,
  name: "T8 in a thousand searches by turns neither workspace finds the other's text, the hot tier and caches included",
  async fn() {
    await using service = await startService();
    const stranger = await service.createKey({ workspaceId: await service.createWorkspace("stranger") });
    await fill(service, service.key);
    const own = "archaeopteryx";
    assertCreated(await service.post("/v1/memory/facts", { statement: `Bo keeps an ${own} too.` }, { key: stranger }));
    let calls = 0;
    const search = async (key: string, [path, body]: typeof SEARCHES[number], found: RegExp, hidden: RegExp) => {
      const text = textOf(await service.post(path, body, { key }));
      assert.match(text, found, path);
      assert.doesNotMatch(text, hidden, path);
      calls++;
    };
    while (calls < 1_000) {
      await Promise.all(SEARCHES.flatMap((asked) => [
        search(service.key, asked, new RegExp(MARK), new RegExp(own)),
        search(stranger, asked, new RegExp(own), new RegExp(`${MARK}|Ada`)),
      ]));
    }
  },
});

Deno.test({
  ...POSTGRES,
  name: "T7 T6 the same ids and statements exist twice, and nothing is linked across",
  async fn() {
    await using service = await startService();
    const stranger = await service.createKey({ workspaceId: await service.createWorkspace("stranger") });
    const own = await fill(service, service.key);
    const theirs = await fill(service, stranger);
    assert.notEqual(own.fact, theirs.fact);
    const { body } = await service.get(`/v1/memory/facts/${theirs.fact}`, { key: stranger });
    assert.deepEqual([body.status, body.corroborationCount ?? 0], ["active", 0]);

    const cited = await service.post("/v1/memory/facts", {
      statement: "Somebody said so.",
      citations: [{ messageId: TURN.messageId, sessionId: own.session }],
    }, { key: stranger });
    assert.equal(cited.status, 422, JSON.stringify(cited.body));

    const derived = await service.post(
      "/v1/memory/facts",
      { statement: "It follows.", derivedFrom: [own.fact] },
      { key: stranger },
    );
    assert.ok([404, 422].includes(derived.status), `a link to another workspace's fact: ${derived.status}`);
  },
});

Deno.test({
  ...POSTGRES,
  name: "T7 every name, key and id that is taken in one workspace is free in another: a second world word for word",
  async fn(t) {
    await using service = await startService();
    const workspaceId = await service.createWorkspace("stranger");
    const stranger = await service.createKey({ workspaceId });
    const first = await buildWorld(service, { mark: MARK });
    const second = await buildWorld(service, { mark: MARK, key: stranger, workspaceId });
    assert.deepEqual(Object.values(first.ids).filter((id) => isTold(id, second)), [], "an id of the other workspace");

    await t.step("an Idempotency-Key", async () => {
      const once = (key: string) =>
        service.post("/v1/memory/facts", { statement: "Once." }, { key, headers: { "idempotency-key": "the-same" } });
      const [own, theirs] = [await once(service.key), await once(stranger)];
      assert.deepEqual([own.status, theirs.status], [201, 201]);
      assert.notEqual(own.body.id, theirs.body.id);
      assert.equal(theirs.headers.get("idempotency-replayed"), null);
    });
    await t.step("ids of an import, which stay what they are", async () => {
      const target = await emptyWorkspace(service);
      const { text, lines } = await exportAll(service);
      const report = await importText(service, text, target);
      assert.deepEqual([report.errors, report.mapped], [[], 0]);
      assert.equal(report.created + report.updated, lines.length);
      for (const path of [`/v1/facts/${first.ids.facts}`, `/v1/entities/${first.ids.entities}`]) {
        assert.equal((await service.get(path, { key: target.key })).status, 200);
        assert.equal((await service.get(path, { key: stranger })).status, 404);
      }
    });
  },
});

Deno.test({
  ...POSTGRES,
  name: "T9 no reply in one workspace changes, no count and no score, while the other one writes a hundred rows",
  async fn(t) {
    const now = new Date();
    await using service = await startService({ clock: () => now });
    const workspaceId = await service.createWorkspace("stranger");
    const stranger = await service.createKey({ workspaceId });
    const world = await buildWorld(service, { mark: MARK, key: stranger, workspaceId });
    const before = await repliesOf(service, world, stranger);
    await buildWorld(service, { mark: MARK });
    const facts = Array.from({ length: 50 }, (_, n) => ({ statement: `Number ${n} of the ${MARK} is in the vault.` }));
    assert.equal((await service.post("/v1/memory/facts/batch", { facts })).body.created, 50);
    const session = assertCreated(await service.post("/v1/session", { title: "Busy" }));
    const turns = Array.from({ length: 50 }, (_, n) => ({ ...TURN, messageId: `b-${n}` }));
    assert.ok((await service.post(`/v1/session/${session}/turns`, { turns })).status < 300);
    const after = await repliesOf(service, world, stranger);
    for (const [name, reply] of before) {
      await t.step(name, () => assert.deepEqual(after.get(name)?.split("\n"), reply.split("\n")));
    }
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "T11 T12 another workspace's export, imported, is all the importer's own: nothing there changes, nothing is verified",
  async fn() {
    await using service = await startService();
    await using tables = new Tables(service);
    assertCreated(await service.post("/v1/memory/facts", { statement: "It is so.", attribution: "verified" }));
    await buildWorld(service, { mark: MARK });
    const { text, lines } = await exportAll(service);
    const before = await tables.digest(service.workspaceId);
    const scopes = SCOPES.filter((scope) => !scope.startsWith("memory:admin"));
    const target = await emptyWorkspace(service, scopes);
    // Lines that claim to belong to another workspace are not believed.
    const foreign = text.replaceAll(target.workspaceId, service.workspaceId);
    const report = await importText(service, foreign, target);
    assert.equal(report.lines, lines.length);
    assert.deepEqual(await tables.digest(service.workspaceId), before, "the source's rows changed");
    const copy = await exportAll(service, target.key);
    const units = copy.lines.filter((line) => line.attribution !== undefined);
    assert.ok(units.length > 10);
    assert.deepEqual(units.filter((line) => !LOW.has(line.attribution)), [], "trust that an import may not bring");
    assert.ok(!copy.text.includes(service.workspaceId), "the copy names the source's workspace");
  },
});

const LOW = new Set(["imported", "federation_received", "unverified"]);

Deno.test({
  ...POSTGRES,
  name: "T23 who is not known learns no region: 401 everywhere, and 403 wrong_region only with a valid key",
  async fn() {
    await using service = await startService({ env: { SVC_REGION: "us-east-1" } });
    const elsewhere = await service.createWorkspace("elsewhere", "eu-west-1");
    const key = await service.createKey({ workspaceId: elsewhere, scopes: ["memory:read"] });
    const other = await service.createKey({ workspaceId: elsewhere });
    await using tables = new Tables(service);
    const before = await tables.digest(elsewhere);
    const wrong = `${key.slice(0, 20)}${key.slice(20, -6).split("").reverse().join("")}${key.slice(-6)}`;
    for (const endpoint of ENDPOINTS.filter(({ scope, bearer }) => scope !== "public" && bearer === "key")) {
      const path = pathOf(endpoint).replaceAll(/\{\w+\}/g, elsewhere);
      const method = endpoint.route.method.toUpperCase();
      for (const stranger of [null, wrong, "svc_live_nobody"]) {
        const reply = await service.call(method, path, { key: stranger });
        assert.deepEqual([reply.status, reply.body.code, reply.body.homeRegion], [401, "unauthenticated", undefined]);
      }
      // This is refused before the scope, the body and the existence of the resource are checked.
      for (const known of [key, other]) {
        const reply = await service.call(method, path, { key: known, body: method === "GET" ? undefined : "{" });
        assert.deepEqual([reply.status, reply.body.code, reply.body.homeRegion], [403, "wrong_region", "eu-west-1"]);
      }
    }
    assert.deepEqual(await tables.digest(elsewhere), before);
  },
});
