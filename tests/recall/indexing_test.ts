import assert from "node:assert/strict";
import { POSTGRES } from "../_postgres.ts";
import { waitFor } from "../_wait.ts";
import type { OperationContext } from "../../src/context.ts";
import { uuidv7 } from "../../src/crypto/ids.ts";
import type { Tx } from "../../src/db/tx.ts";
import { allocateDocNos, indexTexts, prepareTexts } from "../../src/domain/unit/indexing.ts";
import { type IndexedText, reclassifyTexts, unindexTexts } from "../../src/domain/unit/unindexing.ts";
import { decodePostings, postingAt } from "../../src/retrieval/terms/postings.ts";
import { openWorkspace, writeWord } from "./_workspace.ts";

async function dump(ctx: OperationContext) {
  return await ctx.tx(async (tx) => ({
    postings: (await tx
      .sql`select term, sensitivity, first_doc::float8 as first, n, entries from posting where workspace_id = ${tx.workspaceId} order by term, sensitivity, first_doc`)
      .map((r) => ({
        term: r.term,
        sensitivity: r.sensitivity,
        n: r.n,
        docs: Array.from({ length: r.n }, (_, i) => postingAt(decodePostings(r.entries), i).doc),
      })),
    vocabulary:
      (await tx.sql`select term, sensitivity from vocabulary where workspace_id = ${tx.workspaceId} order by 1, 2`).map(
        (r) => `${r.term}/${r.sensitivity}`,
      ),
    size: (await tx
      .sql`select sum(docs)::int as docs, sum(tokens)::int as tokens, sum(groups)::int as groups from corpus_size where workspace_id = ${tx.workspaceId}`)[
        0
      ],
    embeddings: Number((await tx.sql`select count(*) as n from embedding where workspace_id = ${tx.workspaceId}`)[0].n),
    pending: Number(
      (await tx.sql`select count(*) as n from embedding_pending where workspace_id = ${tx.workspaceId}`)[0].n,
    ),
  }));
}

Deno.test({
  ...POSTGRES,
  name: "an indexed text leaves nothing behind once it is taken out",
  async fn() {
    await using workspace = await openWorkspace();
    const { ctx } = workspace;
    const texts = ["Caroline adopted a guinea pig", "Melanie painted a sunrise", "The guinea pig likes Melanie"];
    const prepared = await prepareTexts(
      ctx,
      texts.map((text, i) => ({
        kind: "turn",
        sensitivity: "internal",
        text,
        speaker: i === 1 ? "Melanie" : "Caroline",
      })),
    );
    const docs = await ctx.tx(async (tx) => {
      const docNos = await allocateDocNos(tx, 3);
      await indexTexts(
        tx,
        docNos.map((docNo, position) => ({ docNo, groupNo: 7, position, prepared: prepared[position] })),
      );
      return docNos;
    });
    const full = await dump(ctx);
    assert.deepEqual(full.postings.find((p) => p.term === "guinea")?.docs, [docs[0], docs[2]]);
    assert.deepEqual(full.postings.find((p) => p.term === "@p:caroline")?.docs, [docs[0]]);
    assert.deepEqual(full.size, { docs: 3, tokens: 11, groups: 1 });
    assert.equal(full.embeddings, 3);
    const row = (i: number) => ({
      docNo: docs[i],
      kind: "turn" as const,
      sensitivity: "internal" as const,
      text: texts[i],
      speaker: i === 1 ? "Melanie" : "Caroline",
    });
    await ctx.tx((tx) => unindexTexts(tx, [row(2)]));
    const less = await dump(ctx);
    assert.deepEqual(less.postings.find((p) => p.term === "guinea")?.docs, [docs[0]]);
    assert.equal(less.vocabulary.includes("like/internal"), false);
    assert.equal(less.vocabulary.includes("guinea/internal"), true);
    await ctx.tx((tx) => reclassifyTexts(tx, [row(0)], "restricted"));
    const moved = await dump(ctx);
    assert.equal(moved.postings.find((p) => p.term === "guinea")?.sensitivity, "restricted");
    assert.equal(moved.vocabulary.includes("guinea/internal"), false);
    await ctx.tx((tx) =>
      unindexTexts(tx, [{ ...row(0), sensitivity: "restricted" }, { ...row(1), firstOfGroup: true }])
    );
    assert.deepEqual(await dump(ctx), {
      postings: [],
      vocabulary: [],
      size: { docs: 0, tokens: 0, groups: 0 },
      embeddings: 0,
      pending: 0,
    });
  },
});

/**
 * A workspace, and a function that writes a text of one word into it, by default always the same.
 * @param onCommitting runs in each transaction with changes, right before its commit
 */
async function writing(onCommitting?: (tx: Tx) => Promise<undefined>) {
  const workspace = await openWorkspace(onCommitting);
  const { ctx } = workspace;
  const write = async (tx: Tx, word = "Zanzibar"): Promise<IndexedText> => (await writeWord(ctx, tx, word, 1))[0]!;
  return { ctx, write, [Symbol.asyncDispose]: () => workspace[Symbol.asyncDispose]() };
}

Deno.test({
  ...POSTGRES,
  name: "two transactions that meet the same new words in opposite orders do not deadlock",
  async fn() {
    await using world = await writing();
    const { ctx, write } = world;
    let [begun, wrote] = [0, 0];
    const bothWrote = Promise.withResolvers<void>();
    const writeInOrder = (words: readonly [string, string]) =>
      ctx.tx(async (tx) => {
        begun++;
        await write(tx, words[0]);
        if (++wrote === 2) bothWrote.resolve();
        await bothWrote.promise;
        await write(tx, words[1]);
      });
    await Promise.all([writeInOrder(["Zanzibar", "Quokka"]), writeInOrder(["Quokka", "Zanzibar"])]);
    assert.deepEqual((await dump(ctx)).vocabulary, ["quokka/internal", "zanzibar/internal"]);
    assert.equal(begun, 2, "Postgres ended one of the transactions to break a deadlock, and it ran again");
  },
});

Deno.test({
  ...POSTGRES,
  name: "an erasure without a change of its own waits for a writer that has written its words and is about to commit",
  async fn() {
    let pidOfWriter = 0;
    await using world = await writing(async (tx) => {
      // The commit is sent right behind this statement, which waits for the lock that the test holds.
      await tx.sql`select pg_advisory_xact_lock(1)`;
      return undefined;
    });
    const { ctx, write } = world;
    const old = await ctx.tx((tx) => write(tx));
    const [isLocked, letCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const locker = ctx.tx(async (tx) => {
      await tx.sql`select pg_advisory_xact_lock(1)`;
      isLocked.resolve();
      await letCommit.promise;
    });
    locker.catch(isLocked.reject);
    await isLocked.promise;
    const writer = ctx.tx(async (tx) => {
      pidOfWriter = await backendOf(tx);
      await write(tx);
      recordChange(tx);
    });
    let pid = 0;
    let isErased = false;
    let erasure: Promise<void> | undefined;
    try {
      await waitFor("the writer is about to commit", () => isWaiting(ctx, pidOfWriter));
      erasure = ctx.tx(async (tx) => {
        pid = await backendOf(tx);
        await unindexTexts(tx, [old]);
      }).finally(() => isErased = true);
      await waitFor("the erasure waits, or is done", async () => isErased || await isWaiting(ctx, pid));
    } finally {
      letCommit.resolve();
      await Promise.all([locker, writer, erasure]);
    }
    assert.deepEqual((await dump(ctx)).vocabulary, ["zanzibar/internal"]);
  },
});

Deno.test({
  ...POSTGRES,
  name: "a writer and an erasure that wait for the end of the feed write their words behind it, whichever comes first",
  async fn() {
    await using world = await writing();
    const { ctx, write } = world;
    for (const isWriterFirst of [true, false]) {
      for (const chained of [false, true]) {
        const old = await ctx.tx((tx) => {
          recordChange(tx);
          return write(tx);
        });
        let fresh!: IndexedText;
        const pids = { writer: 0, erasure: 0 };
        const writer = async (tx: Tx) => {
          pids.writer = await backendOf(tx);
          fresh = await write(tx);
          recordChange(tx, chained);
        };
        const erasure = async (tx: Tx) => {
          pids.erasure = await backendOf(tx);
          await unindexTexts(tx, [old]);
          recordChange(tx, chained);
        };
        const running: Promise<void>[] = [];
        await ctx.tx(async (tx) => {
          await tx.sql`select from feed_head where workspace_id = ${tx.workspaceId} for update`;
          for (const which of isWriterFirst ? ["writer", "erasure"] as const : ["erasure", "writer"] as const) {
            const one = ctx.tx(which === "writer" ? writer : erasure);
            one.catch(() => {});
            running.push(one);
            await waitFor(`the ${which} waits for the end of the feed`, () => isWaiting(ctx, pids[which]));
          }
        }).finally(() => Promise.all(running));
        const what = `the writer is first: ${isWriterFirst}; several chains: ${chained}`;
        assert.deepEqual((await dump(ctx)).vocabulary, ["zanzibar/internal"], what);
        await ctx.tx((tx) => unindexTexts(tx, [fresh]));
        assert.deepEqual((await dump(ctx)).vocabulary, [], what);
      }
    }
  },
});

Deno.test({
  ...POSTGRES,
  name: "a transaction whose audit row names its chains writes its words, too",
  async fn() {
    await using world = await writing();
    const { ctx, write } = world;
    const text = await ctx.tx((tx) => {
      recordChange(tx, true);
      return write(tx);
    });
    assert.deepEqual((await dump(ctx)).vocabulary, ["zanzibar/internal"]);
    await ctx.tx(async (tx) => {
      recordChange(tx, true);
      await unindexTexts(tx, [text]);
    });
    assert.deepEqual((await dump(ctx)).vocabulary, []);
  },
});

/** Records a change of a fact; if `chained`, its audit row names its chains itself. */
function recordChange(tx: Tx, chained = false): void {
  const resourceId = uuidv7(new Date());
  tx.record({ kind: "fact.created", resourceType: "fact", resourceId, version: 1, sensitivity: "internal" });
  if (chained) tx.audit({ eventType: "write.test", chains: [tx.workspaceId] });
}

async function backendOf(tx: Tx): Promise<number> {
  const [{ pid }] = await tx.sql<[{ pid: number }]>`select pg_backend_pid() as pid`;
  return pid;
}

/** Whether a backend waits for a lock; false for 0, which stands for a backend that is not known yet. */
async function isWaiting(ctx: OperationContext, pid: number): Promise<boolean> {
  return (await ctx.tx((tx) => tx.sql`select from pg_locks where pid = ${pid} and not granted`)).length > 0;
}

/** Runs `first`, and before its commit starts `second`, until `second` waits for it or is done. */
async function meet(
  ctx: OperationContext,
  first: (tx: Tx) => Promise<unknown>,
  second: (tx: Tx) => Promise<unknown>,
): Promise<void> {
  const [isWritten, commit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const one = ctx.tx(async (tx) => {
    await first(tx);
    isWritten.resolve();
    await commit.promise;
  });
  one.catch(isWritten.reject);
  let pid = 0;
  let isDone = false;
  const two = isWritten.promise.then(() =>
    ctx.tx(async (tx) => {
      pid = await backendOf(tx);
      await second(tx);
    })
  ).finally(() => isDone = true);
  try {
    await waitFor("the second waits, or is done", async () => isDone || await isWaiting(ctx, pid));
  } finally {
    commit.resolve();
    await Promise.all([one, two]);
  }
}

Deno.test({
  ...POSTGRES,
  name: "of two erasures at the same time that take a word's last two texts, the second takes the word",
  async fn() {
    await using world = await writing();
    const { ctx, write } = world;
    const [one, two] = [await ctx.tx((tx) => write(tx)), await ctx.tx((tx) => write(tx))];
    await meet(ctx, (tx) => unindexTexts(tx, [one]), (tx) => unindexTexts(tx, [two]));
    assert.deepEqual((await dump(ctx)).vocabulary, []);
  },
});
