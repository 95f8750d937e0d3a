/** The background loops of recall: embedding waiting texts, re-embedding, joining postings, counting uses. */
import assert from "node:assert/strict";
import { POSTGRES } from "../_postgres.ts";
import { startService, type TestService } from "../_service.ts";
import type { Deps, OperationContext } from "../../src/context.ts";
import { createContext } from "../../src/context.ts";
import { findStretch, insertPostings, mergePostings } from "../../src/db/queries/postings.ts";
import type { UnitRow } from "../../src/db/queries/unit_columns.ts";
import type { EmbeddingProvider } from "../../src/providers/embeddings.ts";
import { EmbeddingError } from "../../src/providers/provider_error.ts";
import { compactPostings } from "../../src/domain/upkeep/compacting.ts";
import { flushUsage } from "../../src/domain/recall/noted/usage.ts";
import { embedWorkspace } from "../../src/domain/upkeep/embedding.ts";
import { decodePostings, encodeEntries, packOccurrence, postingAt } from "../../src/retrieval/terms/postings.ts";
import { unindexTexts } from "../../src/domain/unit/unindexing.ts";
import { addSession, addUnits, turn } from "./_memory.ts";

/** The same workspace with an embedding endpoint, by default one that makes the built-in vectors. */
function withProvider(service: TestService, provider: Partial<EmbeddingProvider>): OperationContext {
  const { embeddings } = service.deps;
  const model = provider.model ?? embeddings.model;
  const base = { model, comparable: [model], current: [model], dimension: embeddings.dimension };
  const deps: Deps = {
    ...service.deps,
    embeddings: { ...base, embed: (texts, options) => embeddings.embed(texts, options), ...provider },
  };
  const operator = service.operator();
  return createContext(deps, operator, {
    requestId: "test",
    operationId: "test",
    signal: new AbortController().signal,
  });
}

async function count(ctx: OperationContext, table: "embedding" | "embedding_pending", model?: string): Promise<number> {
  return await ctx.tx(async (tx) => {
    const of = model === undefined ? tx.sql`` : tx.sql`and model = ${model}`;
    const [row] = await tx.sql<[{ n: number }]>`
      select count(*)::int as n from ${tx.sql(table)} where workspace_id = ${tx.workspaceId} ${of}`;
    return row.n;
  });
}

Deno.test({
  ...POSTGRES,
  name: "texts of a large batch have vectors at once, and texts written while the provider was down are embedded later",
  async fn() {
    await using service = await startService();
    const ctx = service.operator();
    // The speaker has no name, and so is no entity.
    const reports = Array.from({ length: 150 }, (_, i) => turn("user", `Report ${i} about the guinea pig`));
    await addSession(service, reports);
    assert.deepEqual([await count(ctx, "embedding_pending"), await count(ctx, "embedding")], [0, 150]);
    const down = withProvider(service, {
      embed: () => Promise.reject(new EmbeddingError("unreachable", "Cannot embed the texts: the endpoint is down")),
    });
    await addUnits(down, [{ text: "The guinea pig is called Oscar" }]);
    assert.equal(await count(ctx, "embedding_pending"), 1);
    assert.equal(await embedWorkspace(down), "later");
    // After the failure, the worker leaves the provider alone for a time.
    assert.equal(await embedWorkspace(down), "later");
    assert.equal(await count(ctx, "embedding_pending"), 1);
    while (await embedWorkspace(ctx));
    assert.equal(await count(ctx, "embedding_pending"), 0);
    assert.equal(await count(ctx, "embedding"), 151);
    assert.equal(await embedWorkspace(ctx), false);
  },
});

Deno.test({
  ...POSTGRES,
  name: "a text that its provider refuses holds up no other workspace",
  async fn() {
    await using service = await startService();
    const refusing: EmbeddingProvider["embed"] = (texts, options) =>
      texts.some((text) => /walrus/.test(text))
        ? Promise.reject(new EmbeddingError("rejected", "Cannot embed the text: the endpoint refuses it with 400"))
        : service.deps.embeddings.embed(texts, options);
    const one = withProvider(service, { embed: refusing });
    const workspaceId = await service.createWorkspace("other");
    const other = createContext(one.deps, service.operator(workspaceId), one);
    await addUnits(one, [{ text: "The walrus sleeps" }]);
    const away = withProvider(service, {
      embed: () => Promise.reject(new EmbeddingError("unreachable", "Cannot embed the texts: the endpoint is down")),
    });
    await addUnits(createContext(away.deps, service.operator(workspaceId), away), [{ text: "The seal swims" }]);
    assert.deepEqual([await count(one, "embedding_pending"), await count(other, "embedding_pending")], [1, 1]);
    assert.ok(await embedWorkspace(one) instanceof Date, "the loop tries it again after a while");
    assert.equal(await count(one, "embedding"), 0);
    while (await embedWorkspace(other));
    assert.deepEqual([await count(other, "embedding_pending"), await count(other, "embedding")], [0, 1]);
  },
});

Deno.test({
  ...POSTGRES,
  name: "a change of the model embeds everything anew, and recall compares no vectors of two models",
  async fn() {
    await using service = await startService();
    await addUnits(service.operator(), [{ text: "Interest rates rose" }, { text: "The guinea pig sleeps" }]);
    const vector = (place: number) => Float32Array.from({ length: 384 }, (_, i) => i === place ? 1 : 0);
    const other = withProvider(service, {
      model: "other-model",
      // It gives questions about zorbles the vector of guinea pigs, although they have no word in common.
      embed: (texts) => Promise.resolve(texts.map((text) => vector(/guinea|zorble/.test(text) ? 1 : 2))),
    });
    const { recall } = await import("../../src/domain/recall/recall.ts");
    const { RecallBody } = await import("../../src/schema/recall.ts");
    const body = RecallBody.parse({ query: "Which zorble do we have?" });
    assert.deepEqual((await recall(other, body)).results, []);
    while (await embedWorkspace(other));
    assert.equal(await count(other, "embedding", "other-model"), 2);
    const reply = await recall(other, body);
    assert.deepEqual(reply.results.map((one) => [one.text, one.tier]), [["The guinea pig sleeps", "semantic"]]);
  },
});

Deno.test({
  ...POSTGRES,
  name: "joined postings answer as before, and an erasure still finds every entry",
  async fn() {
    await using service = await startService();
    const ctx = service.operator();
    const units: UnitRow[] = [];
    for (let i = 0; i < 70; i++) units.push(...await addUnits(ctx, [{ text: `Report ${i}: the guinea pig eats hay` }]));
    const rows = async () =>
      await ctx.tx(async (tx) => {
        const [row] = await tx.sql<[{ n: number; entries: number; sizes: number }]>`
          select count(*)::int as n, sum(n)::int as entries,
                 (select count(*)::int from corpus_size where workspace_id = ${tx.workspaceId}) as sizes
            from posting where workspace_id = ${tx.workspaceId} and term = 'guinea'`;
        return row;
      });
    const query = { query: "guinea pig hay", limit: 100 };
    const before = await service.post("/v1/memory/recall", query);
    assert.deepEqual(await rows(), { n: 70, entries: 70, sizes: 70 });
    let steps = 0;
    while (await compactPostings(ctx)) assert.ok(++steps < 100);
    assert.deepEqual(await rows(), { n: 1, entries: 70, sizes: 1 });
    const after = await service.post("/v1/memory/recall", query);
    assert.deepEqual(after.body.results, before.body.results);
    await ctx.tx((tx) =>
      unindexTexts(tx, units.map(({ docNo, text }) => ({ docNo, text, kind: "fact", sensitivity: "internal" })))
    );
    assert.equal((await rows()).entries, null);
    assert.equal(await compactPostings(ctx), false);
  },
});

Deno.test({
  ...POSTGRES,
  name: "joined rows hold what the small ones held, and large rows, few rows and other terms stay as they are",
  async fn() {
    await using service = await startService();
    const ctx = service.operator();
    const MAX = 20;
    /** Rows in the order of their key, each with the documents of its entries. */
    const read = () =>
      ctx.tx(async (tx) =>
        (await tx.sql<
          { term: string; kind: number; sensitivity: string; first: number; n: number; entries: Uint8Array }[]
        >`
          select term, kind, sensitivity, first_doc::int as first, n, entries from posting
           where workspace_id = ${tx.workspaceId} order by term, kind, sensitivity, first_doc`)
          .map(({ term, kind, sensitivity, first, n, entries }) => {
            const words = decodePostings(entries);
            assert.equal(words.length, 3 * n);
            const docs = Array.from({ length: n }, (_, i) => postingAt(words, i).doc);
            return { group: `${term} ${kind} ${sensitivity}`, first, docs };
          })
      );
    const groups = [
      { term: "quokka", kind: 1, sensitivity: "internal", sizes: [1, 2, 12, 3, 1, 1, 4, 9, 2, 2, 25, 1, 1, 5] },
      { term: "quokka", kind: 1, sensitivity: "restricted", sizes: [1, 1, 1] },
      { term: "quokka", kind: 2, sensitivity: "internal", sizes: [1, 1, 1, 1, 1] },
      { term: "rhino", kind: 1, sensitivity: "internal", sizes: [7, 7, 7, 7, 7, 7, 7, 7] },
      { term: "zanzibar", kind: 1, sensitivity: "internal", sizes: [1, 1, 1, 1, 1] },
    ] as const;
    let doc = 1;
    for (const { term, kind, sensitivity, sizes } of groups) {
      const rows = sizes.map((n) => Array.from({ length: n }, () => doc++));
      await ctx.tx((tx) =>
        insertPostings(tx, {
          kind,
          sensitivity,
          terms: rows.map(() => term),
          firstDocs: rows.map((docs) => docs[0]!),
          lastDocs: rows.map((docs) => docs.at(-1)!),
          counts: rows.map((docs) => docs.length),
          entries: encodeEntries(rows.flat().flatMap((doc) => [doc, 0, packOccurrence(0, 1, 3)])),
        })
      );
    }
    const before = await read();
    const find = (rows: number) => ctx.tx((tx) => findStretch(tx, "", rows, MAX));
    // Terms are examined as a whole, and those whose rows cannot be joined are left out.
    assert.deepEqual(await find(1), { end: "quokka", scattered: ["quokka"] });
    assert.deepEqual(await find(100), { end: "zanzibar", scattered: ["quokka", "rhino", "zanzibar"] });
    const gone = await ctx.tx((tx) => mergePostings(tx, ["quokka", "rhino"], MAX));
    const after = await read();
    const docsOf = (rows: typeof before, group: string) =>
      rows.filter((row) => row.group === group).flatMap(({ docs }) => docs).sort((a, b) => a - b);
    for (const { group } of before) assert.deepEqual(docsOf(after, group), docsOf(before, group));
    const sizesOf = (group: string) => after.filter((row) => row.group === group).map(({ docs }) => docs.length);
    // The rows with 12 and 25 entries are large. If a term has four small rows or more, every 20 of their entries begin
    // a new row.
    assert.deepEqual(sizesOf("quokka 1 internal"), [21, 12, 11, 25]);
    assert.deepEqual(sizesOf("quokka 1 restricted"), [1, 1, 1]);
    assert.deepEqual(sizesOf("quokka 2 internal"), [5]);
    assert.deepEqual(sizesOf("rhino 1 internal"), [21, 21, 14]);
    assert.deepEqual(sizesOf("zanzibar 1 internal"), [1, 1, 1, 1, 1]);
    assert.equal(gone, before.length - after.length);
    // What was joined is not found again.
    assert.deepEqual(await find(100), { end: "zanzibar", scattered: ["zanzibar"] });
  },
});

Deno.test({
  ...POSTGRES,
  name: "an erasure and a compaction at the same time leave no entry behind",
  async fn() {
    await using service = await startService();
    const ctx = service.operator();
    const units: UnitRow[] = [];
    for (let i = 0; i < 70; i++) units.push(...await addUnits(ctx, [{ text: `Report ${i}: the guinea pig eats hay` }]));
    const erase = units.filter((_, i) => i % 2 === 0).map(({ docNo, text }) => ({
      docNo,
      text,
      kind: "fact" as const,
      sensitivity: "internal" as const,
    }));
    const compact = async () => {
      for (let i = 0; i < 20; i++) await compactPostings(ctx);
    };
    await Promise.all([compact(), ...erase.map((row) => ctx.tx((tx) => unindexTexts(tx, [row])))]);
    const left = await ctx.tx(async (tx) => {
      const [row] = await tx.sql<[{ n: number }]>`
        select sum(n)::int as n from posting where workspace_id = ${tx.workspaceId} and term = 'guinea'`;
      return row.n;
    });
    assert.equal(left, 35);
  },
});

Deno.test({
  ...POSTGRES,
  name: "recalls and the units that they return are counted in batches",
  async fn() {
    await using service = await startService();
    const ctx = service.operator();
    const [unit] = await addUnits(ctx, [{ text: "The guinea pig sleeps" }]);
    for (const query of ["guinea pig", "guinea pig", "database"]) await service.post("/v1/memory/recall", { query });
    await flushUsage(ctx);
    await flushUsage(ctx);
    const counted = await ctx.tx(async (tx) => {
      const uses = await tx.sql`select use_count from unit where workspace_id = ${tx.workspaceId} and id = ${unit.id}`;
      const names = await tx
        .sql`select name, value::int from usage_counter where workspace_id = ${tx.workspaceId} order by name`;
      return { uses: uses[0].use_count, ...Object.fromEntries(names.map((row) => [row.name, row.value])) };
    });
    assert.deepEqual(counted, { uses: 2, recall: 3, recall_hit: 2 });
  },
});
