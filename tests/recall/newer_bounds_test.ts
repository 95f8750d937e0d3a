/** What links of newer statements cost, whatever is told: how many there are, and how much is read to find them. */
import { equal, ok } from "node:assert/strict";
import postgres from "postgres";
import { linkStatements, readRarePostings } from "../../src/db/queries/newer_links.ts";
import type { Tx } from "../../src/db/tx.ts";
import { POSTGRES } from "../_postgres.ts";
import { startService } from "../_service.ts";

const FACTS = 1_500, BATCH = 500;
/** Links of one statement, and rows that one statement reads, in a workspace of any size. */
const LINKS_MAX = 5, READS_MAX = 1_000;
const LIMITS = {
  most: 5,
  strengthMin: 0.3,
  wordsWeight: 0.4,
  withoutVector: 0.25,
  window: 128,
  nearest: 8,
  pauseMs: 1,
};
const MODEL = "made-many";

async function rowsRead(tx: Tx): Promise<number> {
  const [row] = await tx.sql<[{ n: number }]>`
    select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::float8 as n from pg_stat_xact_user_tables`;
  return row.n;
}

Deno.test({
  ...POSTGRES,
  name: "statements that share every word, or correct each other, get few links, found by few reads",
  async fn() {
    await using service = await startService();
    const say = async (statements: readonly string[], from: number) => {
      const day = (n: number) => new Date(Date.UTC(2020, 0, 1 + from + n)).toISOString();
      const facts = statements.map((statement, n) => ({ statement, validFrom: day(n) }));
      const { status, body } = await service.post("/v1/memory/facts/batch", { facts });
      equal(status, 200, JSON.stringify(body).slice(0, 300));
    };
    for (let from = 0; from < FACTS; from += BATCH) {
      const words = "The blue depot of Lyon opens its northern gate for lorries";
      await say(Array.from({ length: BATCH }, (_, n) => `${words} ${from + n} times`), from);
    }
    for (const [n, gate] of ["west", "east", "south", "west"].entries()) {
      await say([`The blue depot of Lyon opens its ${gate} gate for lorries`], FACTS + n);
    }
    const superuser = postgres(service.database!.superuserUrl, { max: 1, onnotice: () => {} });
    try {
      const [{ links }] = await superuser<[{ links: number }]>`select count(*)::int as links from newer_link`;
      ok(links <= LINKS_MAX * (FACTS + 4), `${links} links`);
      // Vectors of one model and none of another one that could be compared with them.
      await superuser`
        insert into embedding (workspace_id, doc_no, kind, sensitivity, model, vector)
        select workspace_id, doc_no, 1, sensitivity, ${MODEL}, '[1,2,3]'::vector from unit
            on conflict (workspace_id, doc_no) do update set model = excluded.model, vector = excluded.vector`;
      await superuser`analyze`;
    } finally {
      await superuser.end({ timeout: 5 });
    }
    await service.operator().tx(async (tx) => {
      const [unit] = await tx.sql<{ id: string; docNo: number }[]>`
        select id, doc_no::float8 as "docNo" from unit order by doc_no desc limit 1`;
      const { id, docNo } = unit!;
      const told = { id, docNo, isTurn: false, at: new Date(), speaker: null, sessionId: null };
      const vector = Float32Array.of(1, 2, 3);
      const before = await rowsRead(tx);
      const terms = ["blue", "depot", "lyon", "opens", "gate", "lorries"];
      await readRarePostings(tx, terms, [1, 2], {
        sensitivity: "internal",
        dfMax: 400,
        entriesMax: 1_200,
      });
      const models = [MODEL, "made-none"];
      await linkStatements(
        tx,
        [{ ...told, vector }],
        [],
        { models, sensitivity: "internal", areStored: false },
        LIMITS,
      );
      const reads = await rowsRead(tx) - before;
      ok(reads > 100 && reads <= READS_MAX, `${reads} rows are read for one statement`);
    });
  },
});
