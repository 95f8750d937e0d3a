/** Postings that are kept in memory: a recall reads the same with them as without them. */
import assert from "node:assert/strict";
import postgres from "postgres";
import { POSTGRES } from "../_postgres.ts";
import { createContext, type OperationContext } from "../../src/context.ts";
import { uuidv7 } from "../../src/crypto/ids.ts";
import { findStretch, mergePostings, readPostings, type StoredPostings } from "../../src/db/queries/postings.ts";
import { PostingsCache, postingsCacheOf, type ReadPostings } from "../../src/domain/recall/database/postings_cache.ts";
import { recallWith } from "../../src/domain/recall/recall.ts";
import { type IndexedText, reclassifyTexts, unindexTexts } from "../../src/domain/unit/unindexing.ts";
import { KINDS } from "../../src/schema/common.ts";
import { RecallBody } from "../../src/schema/recall.ts";
import { startService } from "../_service.ts";
import { addSession, turn } from "./_memory.ts";
import { openWorkspace, writeWord } from "./_workspace.ts";

const KIND = KINDS.fact;

function write(ctx: OperationContext, word: string, count: number): Promise<IndexedText[]> {
  return ctx.tx((tx) => writeWord(ctx, tx, word, count));
}

/** Reads postings through a cache and returns how many rows the database sent with their entries. */
async function readBy(ctx: OperationContext, cache: PostingsCache, terms: readonly string[], entriesMax = 100_000) {
  let sent: StoredPostings[] = [];
  const rows = await ctx.tx(
    (tx) =>
      cache.read(tx, { terms, kinds: [KIND], entriesMax }, async (tx, wish) => sent = await readPostings(tx, wish)),
    {
      readOnly: true,
    },
  );
  return { rows: sorted(rows), sent: sent.filter(({ entries }) => entries !== null).length };
}

function sorted(rows: readonly ReadPostings[]): ReadPostings[] {
  return rows.toSorted((a, b) =>
    a.term < b.term ? -1 : a.term > b.term ? 1 : (a.entries?.[0] ?? 0) - (b.entries?.[0] ?? 0)
  );
}

Deno.test({
  ...POSTGRES,
  name: "postings from memory equal those from the database after every kind of change",
  async fn() {
    await using workspace = await openWorkspace();
    const { ctx, as } = workspace;
    const cache = new PostingsCache(10_000_000);
    const none = new PostingsCache(0);
    const terms = ["zanzibar", "quokka", "absent"];
    /** Reads twice, compares with a read without a cache, and returns how many rows the database sent each time. */
    const compare = async (reader = ctx): Promise<[number, number]> => {
      const plain = await readBy(reader, none, terms);
      const [first, second] = [await readBy(reader, cache, terms), await readBy(reader, cache, terms)];
      assert.deepEqual(first.rows, plain.rows);
      assert.deepEqual(second.rows, plain.rows);
      return [first.sent, second.sent];
    };
    const texts = await write(ctx, "Zanzibar", 600);
    await write(ctx, "Quokka", 300);
    assert.deepEqual(await compare(), [2, 0]);
    // A small row is sent each time.
    await write(ctx, "Quokka", 3);
    assert.deepEqual(await compare(), [1, 1]);
    // Each of these writes the large row anew.
    await ctx.tx((tx) => unindexTexts(tx, [texts[10]!]));
    assert.deepEqual(await compare(), [2, 1]);
    await ctx.tx((tx) => reclassifyTexts(tx, [texts[11]!], "restricted"));
    await compare();
    await ctx.tx((tx) => unindexTexts(tx, texts.slice(100, 200)));
    await compare();
    const more = await write(ctx, "Zanzibar", 300);
    await compare();
    // The row becomes small, and large again: texts that come back join the row that begins with the same text.
    await ctx.tx((tx) => unindexTexts(tx, more.slice(1, 101)));
    await compare();
    await ctx.tx((tx) => reclassifyTexts(tx, more.slice(101), "restricted"));
    await compare();
    await ctx.tx((tx) =>
      reclassifyTexts(
        tx,
        more.slice(101, 201).map((text) => ({ ...text, sensitivity: "restricted" as const })),
        "internal",
      )
    );
    await compare();
    await write(ctx, "Zanzibar", 1);
    await write(ctx, "Zanzibar", 1);
    await write(ctx, "Zanzibar", 1);
    await compare();
    await ctx.tx(async (tx) => mergePostings(tx, (await findStretch(tx, "", 1e6, 4_096)).scattered, 4_096));
    const [, small] = await compare();
    // A change that was rolled back changes no row.
    await assert.rejects(ctx.tx(async (tx) => {
      await unindexTexts(tx, [texts[12]!]);
      throw new Error("rolled back");
    }));
    assert.deepEqual(await compare(), [small, small]);
    // A lower clearance sees only its own rows, whatever a higher one has read before.
    await ctx.tx((tx) => reclassifyTexts(tx, texts.slice(200, 600), "restricted"));
    await compare();
    await compare(as("internal"));
    const low = await readBy(as("internal"), cache, terms);
    assert.ok(low.rows.every(({ entries }) => entries !== null && entries.length > 0));
    assert.equal(
      low.rows.filter(({ term }) => term === "zanzibar").flatMap(({ entries }) => [...entries!]).includes(
        texts[300]!.docNo,
      ),
      false,
    );
    await ctx.tx((tx) =>
      unindexTexts(tx, texts.slice(200, 600).map((text) => ({ ...text, sensitivity: "restricted" as const })))
    );
    await compare();
    await compare(as("internal"));
  },
});

Deno.test({
  ...POSTGRES,
  name: "postings beyond the budget of a recall are left out, also where they are in memory",
  async fn() {
    await using workspace = await openWorkspace();
    const { ctx } = workspace;
    const cache = new PostingsCache(10_000_000);
    await write(ctx, "Zanzibar", 600);
    await write(ctx, "Quokka", 300);
    const terms = ["zanzibar", "quokka"];
    assert.deepEqual((await readBy(ctx, cache, terms)).sent, 2);
    const { rows, sent } = await readBy(ctx, cache, terms, 300);
    assert.equal(sent, 0);
    assert.deepEqual(rows.map(({ term, df, entries }) => [term, df, entries?.length]), [
      ["quokka", 300, 900],
      ["zanzibar", 600, undefined],
    ]);
    // Rows that one recall left out are still in memory for the next.
    assert.equal((await readBy(ctx, cache, terms)).sent, 0);
  },
});

Deno.test({
  ...POSTGRES,
  name: "the memory for postings is bounded, and the terms that were read last stay",
  async fn() {
    await using workspace = await openWorkspace();
    const { ctx } = workspace;
    for (const word of ["Zanzibar", "Quokka", "Axolotl"]) await write(ctx, word, 300);
    // A row of 300 entries takes 3,600 bytes and a little more: two fit.
    const cache = new PostingsCache(9_000);
    for (const term of ["zanzibar", "quokka", "zanzibar", "axolotl"]) await readBy(ctx, cache, [term]);
    assert.ok(cache.bytes > 7_200 && cache.bytes <= 9_000);
    assert.equal((await readBy(ctx, cache, ["zanzibar"])).sent, 0);
    assert.equal((await readBy(ctx, cache, ["axolotl"])).sent, 0);
    assert.equal((await readBy(ctx, cache, ["quokka"])).sent, 1);
    await write(ctx, "Quokka", 600);
    // Rows that do not fit at all are not kept, and those of other terms stay.
    assert.equal((await readBy(ctx, cache, ["quokka"])).sent, 1);
    assert.equal((await readBy(ctx, cache, ["quokka"])).sent, 2);
    assert.equal((await readBy(ctx, cache, ["axolotl"])).sent, 0);
  },
});

Deno.test({
  ...POSTGRES,
  name: "postings from memory are those of the row, also when Postgres has moved the rows of the table",
  async fn() {
    await using workspace = await openWorkspace();
    const { ctx, database } = workspace;
    const cache = new PostingsCache(10_000_000);
    const first = await write(ctx, "Aardvark", 300);
    for (let i = 0; i < 8; i++) await write(ctx, "Quokka", 300);
    const superuser = postgres(database.superuserUrl, { max: 1, onnotice: () => {} });
    await using _ = { [Symbol.asyncDispose]: () => superuser.end({ timeout: 5 }) };
    await superuser`vacuum full posting`;
    assert.ok((await readBy(ctx, cache, ["quokka"])).sent > 1);
    await ctx.tx((tx) => unindexTexts(tx, first));
    await superuser`vacuum full posting`;
    const [plain, cached] = [
      await readBy(ctx, new PostingsCache(0), ["quokka"]),
      await readBy(ctx, cache, ["quokka"]),
    ];
    assert.deepEqual(cached.rows, plain.rows);
    assert.equal(cached.sent, 0);
  },
});

Deno.test({
  ...POSTGRES,
  name: "recalls that read at the same time leave what each of them read in memory",
  async fn() {
    await using workspace = await openWorkspace();
    const { ctx } = workspace;
    const cache = new PostingsCache(10_000_000);
    await write(ctx, "Zanzibar", 600);
    const arrived = Promise.withResolvers<void>();
    /** Reads with a budget of no entries, but gets its reply only after the other recall got its own. */
    const late = ctx.tx((tx) =>
      cache.read(tx, { terms: ["zanzibar"], kinds: [KIND], entriesMax: 0 }, async (tx, wish) => {
        const rows = await readPostings(tx, wish);
        await arrived.promise;
        return rows;
      })
    );
    assert.equal((await readBy(ctx, cache, ["zanzibar"])).sent, 1);
    arrived.resolve();
    assert.deepEqual((await late).map(({ entries }) => entries), [null]);
    assert.equal((await readBy(ctx, cache, ["zanzibar"])).sent, 0);
  },
});

Deno.test({
  ...POSTGRES,
  name: "a row that comes without its entries fails the recall, which would lack them",
  async fn() {
    await using workspace = await openWorkspace();
    const { ctx } = workspace;
    const cache = new PostingsCache(10_000_000);
    await write(ctx, "Zanzibar", 300);
    assert.equal((await readBy(ctx, cache, ["zanzibar"])).sent, 1);
    await assert.rejects(
      ctx.tx((tx) =>
        cache.read(
          tx,
          { terms: ["zanzibar"], kinds: [KIND], entriesMax: 1_000 },
          async (tx, wish) => (await readPostings(tx, wish)).map((row) => ({ ...row, stamp: uuidv7(new Date()) })),
        )
      ),
      /came without its entries/,
    );
  },
});

Deno.test({
  ...POSTGRES,
  name: "a recall with postings in memory replies as one without, and sees what was written and erased since",
  async fn() {
    await using service = await startService();
    const ctx = service.operator();
    const config = { ...service.deps.config, postingsBytesMax: 0 };
    const plain = createContext({ ...service.deps, config }, service.operator(), {
      requestId: "test",
      operationId: "test",
      signal: new AbortController().signal,
    });
    const ask = async (from: OperationContext) => {
      const body = RecallBody.parse({ query: "Which Zanzibar report is about parrot 17?", limit: 20 });
      const { results, evidenceConfidence } = await recallWith(from, body, undefined, "database");
      return { results, evidenceConfidence };
    };
    const report = (i: number) => turn("Vera", `Zanzibar report ${i}: the parrot ${i % 30} is ill`);
    const { sessionId } = await addSession(service, Array.from({ length: 300 }, (_, i) => report(i)));
    await addSession(service, Array.from({ length: 300 }, (_, i) => report(300 + i)));
    const cache = postingsCacheOf(service.deps);
    const first = await ask(ctx);
    assert.ok(cache.bytes > 600 * 12);
    assert.equal(postingsCacheOf(plain.deps).bytes, 0);
    assert.deepEqual(first, await ask(plain));
    assert.deepEqual(await ask(ctx), first);
    await addSession(service, [turn("Vera", "Zanzibar report 900: the parrot 17 is well")]);
    assert.equal((await service.delete(`/v1/session/${sessionId}`)).status, 200);
    const then = await ask(ctx);
    assert.deepEqual(then, await ask(plain));
    assert.ok(then.results.some(({ text }) => text.includes("report 900")));
    assert.ok(first.results.some((result) => result.sessionId === sessionId));
    assert.ok(then.results.every((result) => result.sessionId !== sessionId));
  },
});
