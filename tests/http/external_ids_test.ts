/** The names that callers' own systems have for sessions and facts. */
import assert from "node:assert/strict";
import { type Reply, startService, type TestService } from "../_service.ts";
import { POSTGRES } from "../_postgres.ts";
import { callRpc, clientOf, invoke } from "../rpc/_client.ts";
import { SvcService } from "../../src/gen/svc/v1/svc_pb.ts";
import { FACTS, test } from "./_facts.ts";
import { Tables } from "./_tables.ts";
import { emptyWorkspace, exportAll, importText, makeFile } from "./_transfer.ts";

interface As {
  readonly key?: string;
  readonly headers?: HeadersInit;
}

const pathOf = (externalId: string) => `${FACTS}/by-external-id/${encodeURIComponent(externalId)}`;

function put(service: TestService, externalId: string, body: object, as: As = {}): Promise<Reply> {
  return service.call("PUT", pathOf(externalId), { body, ...as });
}

function start(service: TestService, body: object, as: As = {}): Promise<Reply> {
  return service.post("/v1/session", body, as);
}

function expect(reply: Reply, status: number, code?: string): Reply["body"] {
  assert.deepEqual([reply.status, reply.body.code], [status, code], JSON.stringify(reply.body));
  return reply.body;
}

const BAD = ["", " ", " a", "a ", ".", "..", "a\nb", "a\u0000b", "a\u0085", "\u2028", "x".repeat(201)];
const ODD = [
  "a/b",
  "../up",
  "...",
  "%2F",
  "%",
  "a?b#c&d=e",
  "Zürich ☃ 😀",
  "revisions",
  "batch",
  "a\\b",
  "☃".repeat(200),
];

test("a session is started once under its external id, and found from then on", async (service) => {
  const body = { externalId: "claude/4711", title: "Weekly", agentId: "bot", tags: ["a"], metadata: { cwd: "/x" } };
  const made = expect(await start(service, body), 201);
  assert.equal(made.externalId, "claude/4711");
  for (const again of [body, { externalId: "claude/4711" }, { externalId: "claude/4711", tags: ["a", "a"] }]) {
    assert.deepEqual(expect(await start(service, again), 200), made);
  }
  assert.deepEqual(expect(await service.get(`/v1/session/${made.id}`), 200), made);
  assert.equal(expect(await start(service, { title: "Weekly" }), 201).externalId, null);
  const listed = expect(await service.get("/v1/session?externalId=claude%2F4711"), 200).data;
  assert.deepEqual(listed.map(({ id }: { id: string }) => id), [made.id]);
  assert.deepEqual(expect(await service.get("/v1/session?externalId=other"), 200).data, []);
  expect(await service.post(`/v1/session/${made.id}/collapse`), 200);
  const over = expect(await start(service, { externalId: "claude/4711" }), 200);
  assert.deepEqual([over.id, over.status], [made.id, "collapsed"]);
});

test("what a found session has otherwise is refused by name, and nothing of it changes", async (service) => {
  const made = expect(await start(service, { externalId: "s", title: "One", metadata: { a: 1 } }), 201);
  const other = {
    title: "Two",
    agentId: "bot",
    sensitivity: "public",
    tags: ["b"],
    metadata: { a: 2 },
    scratchpad: { b: 1 },
    startedAt: "2020-01-01T00:00:00Z",
  };
  const refused = expect(await start(service, { externalId: "s", ...other }), 409, "conflict");
  assert.deepEqual(refused.errors.map(({ path }: { path: string }) => path).sort(), Object.keys(other).sort());
  assert.equal(refused.sessionId, made.id);
  assert.deepEqual(expect(await service.get(`/v1/session/${made.id}`), 200), made);
});

test("of many who start a session under one external id at once, one starts it", async (service) => {
  const replies = await Promise.all(Array.from({ length: 8 }, () => start(service, { externalId: "race" })));
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 200, 200, 200, 200, 200, 200, 201]);
  assert.equal(new Set(replies.map(({ body }) => body.id)).size, 1);
});

test("names that a path or a log cannot show as they are, are refused; all others are taken as they are", async (service) => {
  for (const externalId of BAD) {
    expect(await start(service, { externalId }), 422, "validation_failed");
    expect(await service.post(FACTS, { statement: "It is so.", externalId }), 422, "validation_failed");
    if (["", ".", ".."].includes(externalId)) continue;
    const reply = await put(service, externalId, { statement: "It is so." });
    assert.ok([400, 422].includes(reply.status), `${JSON.stringify(externalId)}: ${reply.status}`);
  }
  for (const [i, externalId] of ODD.entries()) {
    const made = expect(await put(service, externalId, { statement: `Odd name ${i}.` }), 201);
    assert.equal(made.externalId, externalId);
    assert.equal(expect(await service.get(pathOf(externalId)), 200).id, made.id, externalId);
    const query = `${FACTS}?externalId=${encodeURIComponent(externalId)}`;
    assert.deepEqual(expect(await service.get(query), 200).data.map(({ id }: { id: string }) => id), [made.id]);
    expect(await start(service, { externalId }), 201);
  }
});

test(
  "a fact is created and revised by its external id; what changes nothing makes no revision",
  async (service, clock) => {
    const body = {
      statement: "Ada lives in Rome.",
      subject: "Ada",
      predicate: "lives in",
      object: "Rome",
      tags: ["crm"],
    };
    const made = expect(await put(service, "k1", body), 201);
    assert.deepEqual([made.version, made.externalId, made.conflict.outcome], [1, "k1", "none"]);
    const again = await put(service, "k1", body);
    assert.deepEqual([expect(again, 200).version, again.headers.get("etag")], [1, '"1"']);
    clock.step(1_000);
    const moved = { ...body, statement: "Ada lives in Oslo.", object: "Oslo" };
    const revised = expect(await put(service, "k1", moved), 200);
    assert.deepEqual([revised.id, revised.version, revised.statement, revised.tags], [
      made.id,
      2,
      moved.statement,
      ["crm"],
    ]);
    const kept = expect(await put(service, "k1", { statement: moved.statement, tags: [], object: null }), 200);
    assert.deepEqual([kept.version, kept.subject, kept.object, kept.tags], [3, "Ada", null, []]);
    const revisions = expect(await service.get(`${FACTS}/${made.id}/revisions`), 200).data;
    assert.deepEqual(revisions.map(({ fact }: Reply["body"]) => [fact.version, fact.externalId]), [
      [3, "k1"],
      [2, "k1"],
      [1, "k1"],
    ]);
    const stale = { headers: { "if-match": '"2"' } };
    expect(await put(service, "k1", { statement: "Ada lives in Bergen." }, stale), 412, "version_mismatch");
    expect(await put(service, "none", { statement: "Ada lives in Bergen." }, stale), 412, "version_mismatch");
    const current = { headers: { "if-match": '"3"' } };
    assert.equal(expect(await put(service, "k1", { statement: "Ada lives in Bergen." }, current), 200).version, 4);
    assert.equal(expect(await service.patch(`${FACTS}/${made.id}`, { tags: ["x"] }), 200).externalId, "k1");
    for (
      const bad of [{}, { statement: " " }, { statement: "x", externalId: "k2" }, { statement: "x", stale: false }]
    ) {
      expect(await put(service, "k1", bad), 422, "validation_failed");
    }
    expect(await service.get(pathOf("nobody")), 404, "not_found");
  },
);

test(
  "an upsert finds conflicts as creating does: it supersedes, contests, and joins what says the same",
  async (service, clock) => {
    const lives = (object: string) => ({
      statement: `Bob lives in ${object}.`,
      subject: "Bob",
      predicate: "lives in",
      object,
    });
    const rome = expect(await put(service, "bob/1", { ...lives("Rome"), attribution: "user_stated" }), 201);
    clock.step(1_000);
    const weak = expect(await put(service, "bob/2", { ...lives("Oslo"), attribution: "unverified" }), 201);
    assert.equal(weak.conflict.outcome, "contested");
    clock.step(1_000);
    const paris = expect(await put(service, "bob/3", { ...lives("Paris"), attribution: "user_stated" }), 201);
    assert.equal(paris.conflict.outcome, "superseded");
    const old = expect(await service.get(pathOf("bob/1")), 200);
    assert.deepEqual([old.id, old.status], [rome.id, "superseded"]);
    // A fact without a name takes it; one with a name keeps its own.
    const plain = expect(await service.post(FACTS, { statement: "Tea is served at four." }), 201);
    const joined = expect(await put(service, "tea", { statement: "Tea is served at four." }), 200);
    assert.deepEqual([joined.id, joined.externalId, joined.corroborationCount], [plain.id, "tea", 1]);
    const second = expect(await put(service, "tea/2", { statement: "Tea is served at four." }), 409, "conflict");
    assert.equal(second.factId, plain.id);
    expect(await service.get(pathOf("tea/2")), 404, "not_found");
    assert.equal(
      expect(await service.get(`${FACTS}/${plain.id}`), 200).corroborationCount,
      1,
      "what is refused counts nothing",
    );
  },
);

test("an upsert that creates supersedes the fact that it names; one that revises applies nothing if it names another", async (service) => {
  const statusOf = async (id: string) => {
    const { status, supersededBy } = expect(await service.get(`${FACTS}/${id}`), 200);
    return [status, supersededBy];
  };
  const old = expect(await service.post(FACTS, { statement: "The wifi is called Basement." }), 201);
  const other = expect(await service.post(FACTS, { statement: "The printer is called Roof." }), 201);
  const body = { statement: "The wifi is called Attic.", supersedes: old.id };
  const made = expect(await put(service, "wifi", body), 201);
  assert.deepEqual([made.supersedes, made.conflict.outcome], [old.id, "superseded"]);
  assert.deepEqual(await statusOf(old.id), ["superseded", made.id]);
  assert.equal(expect(await put(service, "wifi", body), 200).version, 1, "the same body can be sent again");
  assert.equal(expect(await put(service, "wifi", { ...body, tags: ["net"] }), 200).version, 2);
  const never = { ...body, tags: ["lost"], supersedes: "0197a000-0000-7000-8000-000000000000" };
  assert.equal(expect(await put(service, "wifi", never), 422, "validation_failed").errors[0].path, "supersedes");
  for (const supersedes of [other.id, made.id]) {
    const refused = expect(await put(service, "wifi", { ...body, tags: ["lost"], supersedes }), 409, "conflict");
    assert.deepEqual([refused.errors[0].path, refused.factId], ["supersedes", made.id]);
  }
  const kept = expect(await service.get(pathOf("wifi")), 200);
  assert.deepEqual([kept.version, kept.tags, kept.supersedes], [2, ["net"], old.id]);
  assert.deepEqual(await statusOf(other.id), ["active", null]);
  expect(await service.post(`/v1/facts/${old.id}/restore`), 200);
  expect(await put(service, "wifi", body), 409, "conflict");
  // The checks are those of creating: a fact that is not in force, or is trusted more, is not superseded.
  const writer = { key: await service.createKey({ scopes: ["memory:read", "memory:write"] }) };
  const trusted = expect(
    await service.post(FACTS, { statement: "The door is oak.", attribution: "user_stated" }),
    201,
  );
  const refused = await put(service, "door", { statement: "The door is pine.", supersedes: trusted.id }, writer);
  assert.equal(expect(refused, 422, "validation_failed").errors[0].path, "supersedes");
  expect(await service.get(pathOf("door")), 404, "not_found");
  assert.deepEqual(await statusOf(trusted.id), ["active", null]);
  // If a fact in force says the same, it gets the name, and supersedes the other.
  const known = expect(await service.post(FACTS, { statement: "The printer is called Hall." }), 201);
  const joined = expect(
    await put(service, "printer", { statement: "The printer is called Hall.", supersedes: other.id }),
    200,
  );
  assert.deepEqual([joined.id, joined.supersedes], [known.id, other.id]);
  assert.deepEqual(await statusOf(other.id), ["superseded", known.id]);
  // What was erased since is named by nothing; telling the same again is the same request.
  expect(await service.post(`/v1/facts/${other.id}/forget`, { mode: "erase", reason: "test" }), 200);
  const retold = { statement: "The printer is called Hall.", supersedes: other.id };
  assert.equal(expect(await put(service, "printer", retold), 200).supersedes, null);
});

test("creating a fact under a name that another has is refused; stating the same again corroborates it", async (service) => {
  const made = expect(await service.post(FACTS, { statement: "The lift is broken.", externalId: "lift" }), 201);
  assert.equal(
    expect(await service.post(FACTS, { statement: "The lift is broken.", externalId: "lift" }), 200).id,
    made.id,
  );
  const other = expect(await service.post(FACTS, { statement: "The lift runs.", externalId: "lift" }), 409, "conflict");
  assert.equal(other.factId, made.id);
  const batch = expect(
    await service.post(`${FACTS}/batch`, {
      facts: [
        { statement: "One is one.", externalId: "n1" },
        { statement: "Two is two.", externalId: "n1" },
        { statement: "One is one.", externalId: "n2" },
        { statement: "One is one.", externalId: "n1" },
        { statement: "Three is three.", externalId: "lift" },
        { statement: "The lift is broken.", externalId: "n3" },
        { statement: "Four is four." },
        { statement: "Four is four.", externalId: "n4" },
      ],
    }),
    200,
  );
  assert.deepEqual(batch.results.map(({ status }: { status: number }) => status), [
    ...[201, 409, 409, 200, 409, 409, 201, 200],
  ]);
  assert.equal(batch.results[7].fact.externalId, "n4");
  const edit = {
    reason: "noted",
    mode: "atomic",
    operations: [{ op: "add", type: "fact", body: { statement: "Six is six.", externalId: "lift" } }],
  };
  const edited = await service.post("/v1/self/edit", edit);
  assert.ok(JSON.stringify(edited.body).includes("conflict"), JSON.stringify(edited.body));
});

test("a fact that is not in force stays as it is: the same body is answered, another one is refused until it is restored", async (service) => {
  const forget = (id: string, mode: string) => service.post(`/v1/facts/${id}/forget`, { mode, reason: "test" });
  const archived = expect(await put(service, "a", { statement: "The door is red." }), 201);
  expect(await forget(archived.id, "archive"), 200);
  const same = expect(await put(service, "a", { statement: "The door is red." }), 200);
  assert.deepEqual([same.id, same.status], [archived.id, "archived"]);
  expect(await put(service, "a", { statement: "The door is blue." }), 409, "invalid_transition");
  expect(await service.post(FACTS, { statement: "The door is red.", externalId: "a" }), 409, "conflict");
  expect(await service.post(`/v1/facts/${archived.id}/restore`), 200);
  assert.equal(expect(await put(service, "a", { statement: "The door is blue." }), 200).id, archived.id);
  const wrong = expect(await put(service, "b", { statement: "The roof is flat." }), 201);
  expect(await service.patch(`${FACTS}/${wrong.id}`, { status: "retracted" }), 200);
  assert.equal(expect(await put(service, "b", { statement: "The roof is flat." }), 200).status, "retracted");
  expect(await put(service, "b", { statement: "The roof is steep." }), 409, "invalid_transition");
  const erased = expect(await put(service, "c", { statement: "The cellar is wet." }), 201);
  expect(await forget(erased.id, "erase"), 200);
  expect(await service.get(pathOf("c")), 404, "not_found");
  const fresh = expect(await put(service, "c", { statement: "The cellar is dry." }), 201);
  assert.notEqual(fresh.id, erased.id);
});

test("a batch names a fact that says what an ended one said: the ended one stays as it is, and nothing is refused", async (service) => {
  const lives = (object: string, validFrom: string) => ({
    ...{ statement: `Eve lives in ${object}.`, subject: "Eve", predicate: "lives in" },
    ...{ object, validFrom, attribution: "user_stated" },
  });
  const rome = lives("Rome", "2020-01-01T00:00:00.000Z");
  const ended = expect(await service.post(FACTS, rome), 201);
  expect(await service.post(FACTS, lives("Oslo", "2022-01-01T00:00:00.000Z")), 201);
  assert.equal(expect(await service.get(`${FACTS}/${ended.id}`), 200).status, "superseded");
  const facts = [{ ...rome, externalId: "eve/rome" }, { statement: "Eve keeps bees." }];
  const batch = expect(await service.post(`${FACTS}/batch`, { facts }), 200);
  assert.deepEqual(batch.results.map(({ status }: { status: number }) => status), [201, 201], JSON.stringify(batch));
  const named = expect(await service.get(pathOf("eve/rome")), 200);
  assert.deepEqual([named.status, named.id === ended.id], ["superseded", false]);
  assert.equal(expect(await service.get(`${FACTS}/${ended.id}`), 200).corroborationCount, 0);
  assert.equal(expect(await put(service, "eve/rome", rome), 200).id, named.id);
});

test("no version takes a fact's name away: not what a revert brings back, nor a later version in a file", async (service) => {
  const said = expect(await service.post(FACTS, { statement: "The gate is shut." }), 201);
  const edit = expect(
    await service.post("/v1/self/edit", {
      reason: "opened",
      mode: "atomic",
      operations: [{ op: "update", id: said.id, patch: { statement: "The gate is open." } }],
    }),
    201,
  );
  assert.equal(expect(await put(service, "gate", { statement: "The gate is open." }), 200).id, said.id);
  expect(await service.post(`/v1/self/edits/${edit.id}/revert`, { reason: "was wrong", force: true }), 201);
  const back = expect(await service.get(pathOf("gate")), 200);
  assert.deepEqual([back.id, back.statement], [said.id, "The gate is shut."]);

  const target = await emptyWorkspace(service);
  await importText(service, (await exportAll(service)).text, { key: target.key });
  expect(await put(service, "gate", { statement: "The gate is gone." }), 200);
  const { header, lines } = await exportAll(service);
  for (const externalId of ["door", undefined]) {
    const renamed = lines.map((line) => line.body?.externalId ? { ...line, body: { ...line.body, externalId } } : line);
    const report = await importText(service, makeFile(header, renamed), { key: target.key });
    assert.deepEqual(report.errors, []);
    const kept = expect(await service.get(pathOf("gate"), target), 200);
    assert.deepEqual([kept.id, kept.statement], [said.id, "The gate is gone."]);
    expect(await service.get(pathOf("door"), target), 404, "not_found");
  }
});

test("of many who write under one external id at once, one creates the fact, and none is lost", async (service) => {
  const count = 8;
  const puts = await Promise.all(
    Array.from({ length: count }, (_, i) => put(service, "race", { statement: `Runner ${i} has won.` })),
  );
  assert.deepEqual(puts.map(({ status }) => status).sort(), [...Array(count - 1).fill(200), 201]);
  const { id, version } = expect(await service.get(pathOf("race")), 200);
  assert.equal(version, count, "each is a revision");
  assert.deepEqual(new Set(puts.map(({ body }) => body.id)), new Set([id]));
  const posts = await Promise.all(
    Array.from(
      { length: count },
      (_, i) => service.post(FACTS, { statement: `Swimmer ${i} has won.`, externalId: "pool" }),
    ),
  );
  assert.deepEqual(posts.map(({ status }) => status).sort(), [201, ...Array(count - 1).fill(409)]);
  const known = expect(await service.post(FACTS, { statement: "The pool is open." }), 201);
  const names = await Promise.all(
    Array.from({ length: count }, (_, i) => put(service, `name/${i}`, { statement: "The pool is open." })),
  );
  assert.deepEqual(names.map(({ status }) => status).sort(), [200, ...Array(count - 1).fill(409)]);
  const named = expect(await service.get(`${FACTS}/${known.id}`), 200);
  assert.deepEqual(named.externalId, names.find(({ status }) => status === 200)!.body.externalId);
});

test("who is not cleared for a fact or a session learns of its external id that it is taken, and nothing else", async (service) => {
  const low = { key: await service.createKey({ workspaceId: service.workspaceId, maxSensitivity: "internal" }) };
  const fact = expect(
    await put(service, "vault", { statement: "The code is 4711.", sensitivity: "confidential" }),
    201,
  );
  const session = expect(
    await start(service, { externalId: "vault", title: "4711", sensitivity: "confidential" }),
    201,
  );
  const refusals = [
    expect(await put(service, "vault", { statement: "The code is 4711." }, low), 409, "conflict"),
    expect(await put(service, "vault", { statement: "Something else." }, low), 409, "conflict"),
    expect(await service.post(FACTS, { statement: "The code is 4711.", externalId: "vault" }, low), 409, "conflict"),
    expect(await start(service, { externalId: "vault" }, low), 409, "conflict"),
    expect(await service.get(pathOf("vault"), low), 404, "not_found"),
  ];
  for (const body of refusals) {
    const text = JSON.stringify(body);
    for (const told of [fact.id, session.id, "4711", "confidential"]) assert.ok(!text.includes(told), text);
  }
  assert.deepEqual(expect(await service.get(`${FACTS}?externalId=vault`, low), 200).data, []);
  assert.deepEqual(expect(await service.get("/v1/session?externalId=vault", low), 200).data, []);
  const reader = { key: await service.createKey({ workspaceId: service.workspaceId, scopes: ["memory:read"] }) };
  expect(await put(service, "new", { statement: "It is new." }, reader), 403, "insufficient_scope");
});

test("T7 the same external id in two workspaces is two facts and two sessions", async (service) => {
  const other = await emptyWorkspace(service);
  const here = expect(await put(service, "same", { statement: "Here it rains." }), 201);
  const there = expect(await put(service, "same", { statement: "There it snows." }, other), 201);
  assert.notEqual(here.id, there.id);
  assert.equal(expect(await service.get(pathOf("same"), other), 200).statement, "There it snows.");
  expect(await start(service, { externalId: "same" }), 201);
  expect(await start(service, { externalId: "same" }, other), 201);
});

test("an export and an import carry external ids; one that is taken is left out, and the report counts it", async (service) => {
  expect(await put(service, "f1", { statement: "The sea is cold." }), 201);
  expect(await put(service, "f1", { statement: "The sea is warm." }), 200);
  expect(await start(service, { externalId: "s1", title: "Sea" }), 201);
  const file = await exportAll(service);
  const target = await emptyWorkspace(service);
  const first = await importText(service, file.text, { key: target.key });
  assert.deepEqual([first.withheld["externalId"], first.errors], [undefined, []]);
  const fact = expect(await service.get(pathOf("f1"), target), 200);
  assert.deepEqual([fact.statement, fact.version], ["The sea is warm.", 2]);
  assert.equal(expect(await start(service, { externalId: "s1" }, target), 200).title, "Sea");
  await importText(service, file.text, { key: target.key });
  assert.equal(expect(await service.get(pathOf("f1"), target), 200).id, fact.id);
  const taken = await emptyWorkspace(service);
  const own = expect(await put(service, "f1", { statement: "The lake is deep." }, taken), 201);
  const talk = expect(await start(service, { externalId: "s1", title: "Lake" }, taken), 201);
  for (const round of ["first", "again"]) {
    const report = await importText(service, file.text, { key: taken.key });
    assert.deepEqual(report.errors, [], round);
    if (round === "first") assert.ok(report.withheld["externalId"]! >= 2, JSON.stringify(report.withheld));
  }
  assert.equal(expect(await service.get(pathOf("f1"), taken), 200).id, own.id);
  assert.equal(expect(await start(service, { externalId: "s1" }, taken), 200).id, talk.id);
  const all = expect(await service.get(FACTS, taken), 200).data;
  assert.deepEqual(all.map(({ statement, externalId }: Reply["body"]) => [statement, externalId]).sort(), [
    ["The lake is deep.", "f1"],
    ["The sea is warm.", null],
  ]);
});

test("RPC messages carry external ids: Remember names a fact, Session finds what has the name", async (service) => {
  const said = { statement: "The bridge is closed.", externalId: "bridge" };
  const { fact, created } = (await callRpc(service, "Remember", said)).body;
  assert.deepEqual([fact.externalId, created], ["bridge", true]);
  assert.equal(expect(await service.get(pathOf("bridge")), 200).id, fact.id);
  const session = expect(await start(service, { externalId: "talk" }), 201);
  const reply = await invoke(clientOf(service, { key: service.key }), SvcService.method.session, {
    start: { externalId: "talk" },
  });
  assert.ok(
    JSON.stringify(reply, (_, value) => typeof value === "bigint" ? String(value) : value).includes(session.id),
  );
});

Deno.test({
  ...POSTGRES,
  name: "erasing a fact leaves its external id in no row",
  async fn() {
    await using service = await startService();
    await using tables = new Tables(service);
    const name = `person-${crypto.randomUUID()}`;
    const { id } = expect(await put(service, name, { statement: "Eve owes money." }), 201);
    expect(await put(service, name, { statement: "Eve owes nothing." }), 200);
    assert.notDeepEqual(await tables.naming(service.workspaceId, [name]), []);
    expect(await service.post(`/v1/facts/${id}/forget`, { mode: "erase", reason: "asked" }), 200);
    assert.deepEqual(await tables.naming(service.workspaceId, [name]), []);
  },
});
