/** Statements that use an index under row-level security, which they do only if its condition is leakproof. */
import assert from "node:assert/strict";
import postgres from "postgres";
import { findPublished, listBuckets, readBuckets } from "../../src/db/queries/federation_versions.ts";
import { listSpokenDocs } from "../../src/db/queries/name_work.ts";
import { readLikelySuccessors, readSuccessors } from "../../src/db/queries/recall_slots.ts";
import { listStoredTexts } from "../../src/db/queries/stem_work.ts";
import type { Tx } from "../../src/db/tx.ts";
import { createDatabase, POSTGRES } from "../_postgres.ts";
import { waitFor } from "../_wait.ts";

/** More than the planner would read for two names. */
const FACTS = 15_000;

/**
 * Runs with a connection to a database with facts, of which each has a name of its own and half say "I use …". `isNew`: Postgres
 * has not analysed the table since it was empty.
 */
async function withFacts(
  run: (sql: postgres.Sql, workspaceId: string, url: string) => Promise<void>,
  { isNew = false } = {},
): Promise<void> {
  await using database = await createDatabase();
  const sql = postgres(database.superuserUrl, { max: 1, onnotice: () => {} });
  try {
    const workspaceId = crypto.randomUUID();
    await sql`insert into workspace (workspace_id, name, region) values (${workspaceId}, 'plans', 'us-east-1')`;
    await sql.unsafe(
      `insert into unit (workspace_id, id, type, status, attribution, trust_score, confidence, content_hash,
                         origin_instance, origin_id, text, doc_no, body, triple_key, recorded_at, created_at, updated_at,
                         created_by)
       select $1, i.id, 'fact', 'active', 'agent_stated', 60, 0.8, md5(n::text), 'instance:test', i.id, 'text ' || n,
              nextval('doc_no'), jsonb_build_object('externalId', 'k' || n), case when n % 2 = 0 then '["user","uses"]' else repeat('a long key ', 20) || n end,
              now() + n * interval '1 second', now(), now(), 'test'
         from generate_series(1, $2::int) as n cross join lateral (select ('01890000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid as id) i`,
      [workspaceId, FACTS],
    );
    if (!isNew) await sql`analyze unit`;
    await run(sql, workspaceId, database.superuserUrl);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** The plan of a statement for a role, under some settings. */
async function planFor(
  sql: postgres.Sql,
  role: string,
  workspaceId: string,
  statement: string,
  settings: readonly string[] = [],
): Promise<string> {
  const rows = await sql.begin(async (tx) => {
    await tx.unsafe(`set local role ${role}`);
    for (const setting of settings) await tx.unsafe(`set local ${setting}`);
    await tx`select set_config('app.workspace_id', ${workspaceId}, true), set_config('app.max_sensitivity', 'restricted', true)`;
    return await tx.unsafe<{ "QUERY PLAN": string }[]>(`explain (costs off) ${statement}`);
  });
  return rows.map((row) => row["QUERY PLAN"]).join("\n");
}

Deno.test({
  ...POSTGRES,
  name: "a fact's external id is looked up by its index, under the policies of the role that looks it up",
  fn: () =>
    withFacts(async (sql, workspaceId) => {
      const [{ text }] = await sql<[{ text: string }]>`
        select prosrc as text from pg_proc where proname = 'find_external_ids'`;
      const statement = text.replaceAll("p_type", "'fact'").replaceAll("p_ids", "array['k1', 'k2']");
      const plan = await planFor(sql, "svc_definer", workspaceId, statement);
      assert.match(plan, /unit_external\b[^\n]*\n\s+Index Cond: [^\n]*external_id = ANY/, plan);
    }),
});

/** Fails unless indexes find the facts to compare a new one with, and only the latest facts of a respect are read. */
async function checkRivals(sql: postgres.Sql, workspaceId: string): Promise<void> {
  const [found] = await sql<[{ text: string; settings: string[] }]>`
    select prosrc as text, proconfig as settings from pg_proc where proname = 'rival_units'`;
  const [same, said, latest] = [...found.text.matchAll(/return query\s+(select[^;]+);/g)].map(([, query]) => query!);
  const statuses = "array['active']";
  const execute = [
    { query: same!, types: "text, text[], text[]", values: `'fact', ${statuses}, array['one', 'two']` },
    { query: said!, types: "text, text[], text[]", values: `'fact', ${statuses}, array['one', 'two']` },
    {
      query: latest!,
      types: "text, text[], text[], integer[]",
      values: `'fact', ${statuses}, array['one', 'two'], array[200, null]`,
    },
  ];
  const plans: string[] = [];
  for (const [i, { query, types, values }] of execute.entries()) {
    // The statement in the form that plpgsql keeps: planned without its values.
    const parameters = ["p_type", "p_statuses", ...[["p_hashes"], ["p_said"], ["p_keys", "p_most"]][i]!];
    const kept = parameters.reduce((text, name, n) => text.replace(name, `$${n + 1}`), query);
    await sql.unsafe(`prepare rivals_${i} (${types}) as ${kept}`);
    plans.push(await planFor(sql, "svc_app", workspaceId, `execute rivals_${i} (${values})`, found.settings));
  }
  assert.match(plans[0]!, /Index Scan using unit_content_hash\b[^\n]*\n\s+Index Cond: [^\n]*content_hash >=/, plans[0]);
  assert.match(plans[1]!, /Index Scan using unit_said\b[^\n]*\n\s+Index Cond: [^\n]*said_key >=/, plans[1]);
  assert.match(plans[2]!, /Index Scan Backward using unit_triple_latest\b[^\n]*\n\s+Index Cond: [^\n]*triple_key/);
  assert.doesNotMatch(plans.join(), /Sort Key/, "what is not the latest is not read");
}

Deno.test({
  ...POSTGRES,
  name: "what a new fact is compared with is found by its indexes, and of a respect only the latest facts",
  fn: () => withFacts(checkRivals),
});

Deno.test({
  ...POSTGRES,
  name: "what a new fact is compared with is found by its indexes also before Postgres knows anything of the table",
  fn: () => withFacts(checkRivals, { isNew: true }),
});

/** The plan that Postgres keeps for a statement: made without its values, on tables that it has not analysed yet. */
async function keptPlan(url: string, workspaceId: string, run: (tx: Tx) => Promise<unknown>): Promise<string> {
  const seen: { text: string; parameters: unknown[]; types: number[] }[] = [];
  const sql = postgres(url, {
    max: 1,
    onnotice: () => {},
    debug: (_connection, text, parameters, types) =>
      void seen.push({ text, parameters: parameters as unknown[], types: types as number[] }),
  });
  try {
    return await sql.begin(async (raw) => {
      await raw`select set_config('app.workspace_id', ${workspaceId}, true), set_config('app.max_sensitivity', 'restricted', true)`;
      await raw`set local role svc_app`;
      await raw`set local plan_cache_mode = force_generic_plan`;
      await run({ sql: raw, workspaceId } as unknown as Tx);
      const { text, parameters, types } = seen.at(-1)!;
      const typed = parameters.map((value, i) => raw.typed(value as never, types[i]!));
      const rows = await raw.unsafe<{ "QUERY PLAN": string }[]>(`explain (costs off) ${text}`, typed as never[], {
        prepare: true,
      });
      return rows.map((row) => row["QUERY PLAN"]).join("\n");
    }) as string;
  } finally {
    await sql.end({ timeout: 5 });
  }
}

Deno.test({
  ...POSTGRES,
  name: "speakers are looked up by their index, also before Postgres knows anything of the tables",
  async fn() {
    await using database = await createDatabase();
    const sql = postgres(database.superuserUrl, { max: 1, onnotice: () => {} });
    const workspaceId = crypto.randomUUID();
    await sql`insert into workspace (workspace_id, name, region) values (${workspaceId}, 'plans', 'us-east-1')`;
    await sql.end({ timeout: 5 });
    const plan = (run: (tx: Tx) => Promise<unknown>) => keptPlan(database.superuserUrl, workspaceId, run);
    const speaker = { sessionId: crypto.randomUUID(), name: "Mel" };
    const turns = await plan((tx) => listSpokenDocs(tx, [speaker], 0, 10));
    assert.match(turns, /turn_speaker on turn\n\s+Index Cond: [^\n]*name = s\.name[^\n]*doc_no > /, turns);
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "entries of a peer's register are looked up by bucket and by origin, and a digest reads their index alone, under the policies of who looks them up",
  async fn() {
    await using database = await createDatabase();
    const sql = postgres(database.superuserUrl, { max: 1, onnotice: () => {} });
    const workspaceId = crypto.randomUUID();
    await sql`insert into workspace (workspace_id, name, region) values (${workspaceId}, 'plans', 'us-east-1')`;
    await sql`
      insert into federation_version (
        workspace_id, origin_instance, origin_id, writer, type, version, updated_at, hash, sensitivity, least_sensitivity,
        seq, key, leaf, withdrawn_leaf, verdict)
      select ${workspaceId}, 'instance:a', overlay(overlay(md5(n::text) placing '7' from 13) placing '8' from 17)::uuid,
             'instance:a', 'fact', 1, now(), h, 'internal', 'internal', n, substr(h, 1, 8), h, h, 'own'
        from generate_series(1, 5000) as n cross join lateral (select sha256(n::text::bytea) as h) digest`;
    // While autovacuum works on the database, a page may not be marked as visible to all, and an index alone is no
    // help.
    await waitFor("every page is visible to all", async () => {
      await sql`vacuum analyze federation_version`;
      const [row] = await sql<[{ isVisible: boolean }]>`
        select relallvisible = relpages as "isVisible" from pg_class where oid = 'federation_version'::regclass`;
      return row.isVisible;
    });
    await sql.end({ timeout: 5 });
    const plan = (run: (tx: Tx) => Promise<unknown>) => keptPlan(database.superuserUrl, workspaceId, run);
    const side = { writer: "instance:a", clearance: "restricted" } as const;
    const buckets = await plan((tx) => listBuckets(tx, side, ["00fd", "a000"]));
    assert.match(buckets, /federation_version_digest\b[^\n]*\n\s+Index Cond: [^\n]*bucket = ANY/, buckets);
    const digest = await plan((tx) => readBuckets(tx, side));
    assert.match(digest, /Index Only Scan using federation_version_digest\b/, digest);
    const published = await plan((tx) => findPublished(tx, "restricted", [crypto.randomUUID()]));
    assert.match(published, /federation_version_origin\b[^\n]*\n\s+Index Cond: [^\n]*origin_id = ANY/, published);
  },
});

Deno.test({
  ...POSTGRES,
  name:
    "units that the body of another names are looked up by their ids, under the policies of the role that looks them up",
  fn: () =>
    withFacts(async (_sql, workspaceId, url) => {
      const plan = (run: (tx: Tx) => Promise<unknown>) => keptPlan(url, workspaceId, run);
      for (
        const found of [
          await plan((tx) => readSuccessors(tx, [1, 2])),
          await plan((tx) => readLikelySuccessors(tx, ["one", "two"])),
        ]
      ) {
        assert.match(found, /unit_pkey on unit\b[^\n]*\n\s+Index Cond: [^\n]*\bid = \w+\.(?:id|next)\b/, found);
        assert.doesNotMatch(found, /Seq Scan on unit\b/, found);
      }
    }),
});

Deno.test({
  ...POSTGRES,
  name: "the next texts that may lack stems are read in the order of their numbers, and none of those after them",
  fn: () =>
    withFacts(async (sql, workspaceId, url) => {
      await sql`
        insert into unit_revision (workspace_id, id, version, doc_no, sensitivity, recorded_at, changed_by, event, snapshot)
        select workspace_id, id, version, doc_no, sensitivity, recorded_at, created_by, 'created', jsonb_build_object('text', text)
          from unit`;
      await sql`analyze unit_revision`;
      const plan = await keptPlan(url, workspaceId, (tx) => listStoredTexts(tx, 0, 500, 131_072));
      assert.match(
        plan,
        /Unique\n[^\n]*Result\n[^\n]*One-Time[^\n]*\n[^\n]*Index (?:Only )?Scan using unit_revision_doc\b/,
        plan,
      );
      assert.doesNotMatch(plan, /version DESC/, plan);
    }),
});
