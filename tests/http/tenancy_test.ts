/** Two workspaces on one service: neither sees, counts, links or hinders what is the other's. Security T6 to T9. */
import assert from "node:assert/strict";
import { POSTGRES } from "../_postgres.ts";
import { type Reply, startService, type TestService } from "../_service.ts";

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

const SEARCHES: readonly [path: string, body: unknown][] = [
  ["/v1/memory/recall", { query: QUERY }],
  ["/v1/memory/recall/hot", { query: QUERY }],
  ["/v1/memory/recall/unified", { query: QUERY }],
  ["/v1/memory/recall/explain", { query: QUERY }],
  ["/v1/memory/recall/batch", { queries: [{ query: QUERY }] }],
  ["/v1/recall", { query: QUERY }],
];

/** What a reply says without the question, which comes back in some. */
function textOf(reply: Reply): string {
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return JSON.stringify(reply.body).replaceAll(QUERY, "");
}

Deno.test({
  ...POSTGRES,
  name: "T8 no search in one workspace finds the other's text, in turns with the other one's own searches",
  async fn() {
    await using service = await startService();
    const stranger = await service.createKey({ workspaceId: await service.createWorkspace("stranger") });
    await fill(service, service.key);
    assertCreated(await service.post("/v1/memory/facts", { statement: "Bo keeps a conservatory." }, { key: stranger }));
    for (let round = 0; round < 25; round++) {
      await Promise.all(SEARCHES.flatMap(([path, body]) => [
        service.post(path, body).then((own) => assert.match(textOf(own), new RegExp(MARK), path)),
        service.post(path, body, { key: stranger }).then((reply) =>
          assert.doesNotMatch(textOf(reply), new RegExp(`${MARK}|Ada`), path)
        ),
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
    if (cited.status === 201) {
      const { body } = await service.get(`/v1/facts/${cited.body.id}/citations`, { key: stranger });
      assert.equal(body.data[0].turn, null);
    } else assert.ok([404, 422].includes(cited.status), JSON.stringify(cited.body));

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
  name: "T9 every number of one workspace stays while the other one writes",
  async fn() {
    await using service = await startService();
    const stranger = await service.createKey({ workspaceId: await service.createWorkspace("stranger") });
    await fill(service, stranger);
    const numbers = async () => {
      const replies = await Promise.all(
        ["/v1/health", "/v1/memory/health", "/v1/session", "/v1/memory/facts"].map((path) =>
          service.get(path, { key: stranger })
        ),
      );
      return replies.map((reply) => (assert.equal(reply.status, 200), reply.body));
    };
    const before = await numbers();
    const session = assertCreated(await service.post("/v1/session", { title: "Busy" }));
    for (let n = 0; n < 50; n++) {
      assertCreated(await service.post("/v1/memory/facts", { statement: `Number ${n} of the other workspace.` }));
    }
    const turns = Array.from({ length: 50 }, (_, n) => ({ ...TURN, messageId: `b-${n}` }));
    assert.ok((await service.post(`/v1/session/${session}/turns`, { turns })).status < 300);
    assert.deepEqual(await numbers(), before);
  },
});
