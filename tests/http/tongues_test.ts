/** Facts and turns in other languages than English are recalled by other forms of their words, also those of an earlier build. */
import assert from "node:assert/strict";
import { decodePostings, ENTRY_WORDS } from "../../src/retrieval/mod.ts";
import { startService, type TestService } from "../_service.ts";

const FACTS = "/v1/memory/facts";
const FULL = "/v1/memory/recall", HOT = "/v1/memory/recall/hot";

const STATEMENTS = [
  "Die Rechnungen liegen im grünen Ordner",
  "Die Rechnung vom Mai ist bezahlt",
  "회의는 서울에 있습니다",
  "Совещание перенесли на март",
  "القطارات تنطلق في السابعة",
  "The invoice of May is paid",
  "Zoë and Łukasz pinned v1.10.2 for ABC-1234 👍",
  "Will collects stamps",
];
/** A query, and the statements that it finds. */
const QUERIES = [
  ["Rechnung", [0, 1]],
  ["Wo sind meine Rechnungen?", [0, 1]],
  ["서울", [2]],
  ["совещания", [3]],
  ["قطار", [4]],
  ["invoices", [5]],
  ["Zoe", [6]],
  ["What did Lukasz pin?", [6]],
  ["1.10.2", [6]],
  ["ABC1234", [6]],
  ["👍🏽", [6]],
  ["Who is Will?", [7]],
] as const;

async function createFacts(service: TestService): Promise<string[]> {
  const ids: string[] = [];
  for (const statement of STATEMENTS) {
    const { status, body } = await service.post(FACTS, { statement });
    assert.equal(status, 201, JSON.stringify(body));
    ids.push(body.id);
  }
  return ids;
}

async function recall(service: TestService, path: string, query: string): Promise<string[]> {
  const { status, body } = await service.post(path, { query, types: ["fact"] });
  assert.equal(status, 200, JSON.stringify(body));
  return body.results.map((result: { id: string }) => result.id);
}

async function checkFound(service: TestService, path: string, ids: readonly string[]): Promise<void> {
  for (const [query, wanted] of QUERIES) {
    const found = await recall(service, path, query);
    assert.deepEqual(wanted.filter((place) => !found.includes(ids[place]!)), [], `${path}: ${query}`);
  }
}

/** The texts that hold each stem, by term, kind and sensitivity. */
async function readStems(service: TestService): Promise<Record<string, number[]>> {
  return await service.operator().tx(async (tx) => {
    const rows = await tx.sql<{ key: string; entries: Uint8Array }[]>`
      select term || ' ' || kind || ' ' || sensitivity as key, entries from posting
       where workspace_id = ${tx.workspaceId} and term like '@s:%' order by term, kind, sensitivity, first_doc`;
    const held: Record<string, number[]> = {};
    for (const { key, entries } of rows) {
      const words = [...decodePostings(entries)];
      (held[key] ??= []).push(...words.filter((_, i) => i % ENTRY_WORDS === 0));
    }
    return held;
  });
}

/** Puts the index into the state in which a build without stems left it. */
async function forgetStems(service: TestService): Promise<void> {
  await service.operator().tx(async (tx) => {
    await tx.sql`delete from posting where workspace_id = ${tx.workspaceId} and term like '@s:%'`;
    await tx.sql`update stem_cursor set rule = 0, after_doc = 0 where workspace_id = ${tx.workspaceId}`;
  });
}

async function finish(service: TestService): Promise<void> {
  while (await service.step("stems"));
}

Deno.test("other forms of a word find facts in other languages; the worker gives an earlier build's texts the same stems, once", async (t) => {
  await using service = await startService({ embedded: true });
  const ids = await createFacts(service);
  const session = await service.post("/v1/session", {});
  const turns = await service.post(`/v1/session/${session.body.id}/turns`, {
    turns: [{ role: "user", content: "Wann kommen die Handwerker?" }, {
      role: "user",
      content: "Die Handwerkerin kommt am Montag mit den Leitern",
    }],
  });
  assert.equal(turns.status, 201, JSON.stringify(turns.body));
  await t.step("the hot and the full recall agree", async () => {
    await checkFound(service, FULL, ids);
    await checkFound(service, HOT, ids);
  });
  const written = await readStems(service);
  assert.ok(Object.keys(written).length > 10);

  await t.step("texts of an earlier build are found by their words until the worker has come to them", async () => {
    await finish(service);
    await forgetStems(service);
    assert.ok((await recall(service, FULL, "Rechnungen")).includes(ids[0]!));
    assert.deepEqual(await readStems(service), {});
    await finish(service);
    assert.deepEqual(await readStems(service), written);
    await checkFound(service, FULL, ids);
  });

  await t.step("a second pass adds nothing", async () => {
    await service.operator().tx((tx) =>
      tx.sql`update stem_cursor set after_doc = 0 where workspace_id = ${tx.workspaceId}`
    );
    await finish(service);
    assert.deepEqual(await readStems(service), written);
  });

  await t.step("a text of which only some stems are there gets the others", async () => {
    const term = Object.keys(written)[0]!.split(" ")[0]!;
    await service.operator().tx(async (tx) => {
      await tx.sql`delete from posting where workspace_id = ${tx.workspaceId} and term = ${term}`;
      await tx.sql`update stem_cursor set after_doc = 0 where workspace_id = ${tx.workspaceId}`;
    });
    await finish(service);
    assert.deepEqual(await readStems(service), written);
  });

  await t.step("an older build leaves alone what a later rule has done", async () => {
    const later = { rule: 99, after: 1 };
    await service.operator().tx((tx) =>
      tx.sql`update stem_cursor set rule = ${later.rule}, after_doc = ${later.after} where workspace_id = ${tx.workspaceId}`
    );
    await finish(service);
    const [row] = await service.operator().tx((tx) =>
      tx.sql<{ rule: number; after: number }[]>`
        select rule, after_doc::float8 as after from stem_cursor where workspace_id = ${tx.workspaceId}`
    );
    assert.deepEqual({ ...row }, later);
    await service.operator().tx((tx) =>
      tx.sql`update stem_cursor set rule = 0, after_doc = 0 where workspace_id = ${tx.workspaceId}`
    );
  });

  await t.step("an erased text leaves no stem behind, whether its writer or the worker made it", async () => {
    for (const id of ids) {
      const { status, body } = await service.post(`/v1/facts/${id}/forget`, { mode: "erase" });
      assert.equal(status, 200, JSON.stringify(body));
    }
    const discarded = await service.delete(`/v1/session/${session.body.id}`);
    assert.equal(discarded.status, 200, JSON.stringify(discarded.body));
    assert.deepEqual(await readStems(service), {});
    await finish(service);
    assert.deepEqual(await readStems(service), {});
  });
});
