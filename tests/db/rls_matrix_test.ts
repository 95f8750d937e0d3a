/**
 * Row-level security on every table, generated from the catalog: tables × operations × workspaces, tables with a
 * sensitivity × clearances. A table that the tests do not know fails them, and so does every policy that is removed or
 * opened. docs/reference/guarantees.md T1 to T4.
 */
import assert from "node:assert/strict";
import postgres from "postgres";
import { createDatabase, POSTGRES } from "../_postgres.ts";
import { type Expectation, findLeaks, findUncleared, readTables, type Sql, type Table } from "./_rls.ts";
import { findUncovered, ROW_MAKERS, seed } from "./_rows.ts";

const REQUEST: Expectation = {
  role: "svc_test_request",
  crossWorkspace: new Set(),
  aboveClearance: {
    // An operation reports to others what it did to rows that it cannot see; it cannot read that report.
    change: ["insert"],
    // An erased id stays taken for every caller; the domain decides who may know of it.
    deletion_log: ["select", "insert"],
  },
};

/** The owner of the SECURITY DEFINER functions: each of its policies stands for one need. */
const DEFINER_ALL = new Set([
  "workspace",
  "api_key",
  "api_key_former_secret",
  "console_admin_session",
  "console_session",
  "federation_cursor",
  "federation_erasure",
  "federation_peer",
  "feed_head",
  "job",
  "loop_round",
  "loop_timer",
  "oauth_secret",
  "stream_ticket",
  "svc_tenant",
  "svc_audit_checkpoint",
  "svc_audit_head",
  "webhook_delivery",
  "webhook_endpoint",
]);
const DEFINER_BOUND = new Set([
  "procedural_playbook",
  "procedural_rule",
  "procedural_source",
  "procedural_trajectory",
  "procedural_version",
  "self_edit",
  "self_edit_content",
  "self_edit_operation",
  "idempotent_reply",
  "mention",
  "reasoning_entry",
  "recall_entry",
  "recall_shown",
  "reasoning_precondition",
  "reasoning_vector",
  "relation",
  "relation_participant",
  "relation_source",
  "review_item",
  "session",
  "unit",
  "unit_revision",
  "unit_source",
]);
const DEFINER: Expectation = {
  role: "svc_definer",
  crossWorkspace: DEFINER_ALL,
  aboveClearance: {
    // Jobs of exchange run whatever the clearance of the caller who asked for them.
    job: ["select"],
    // An erasure also reaches the replies to callers with a higher clearance, and the diary of their recalls.
    idempotent_reply: ["select", "update"],
    recall_entry: ["select", "update", "delete"],
    recall_shown: ["select", "delete"],
    // Mentions are deleted with their text, even those of entities that the caller must not know.
    mention: ["select", "update", "delete"],
    // Relations follow their ends, whichever caller changes these.
    relation: ["select", "update", "delete"],
    relation_participant: ["select", "update"],
    // A unit that becomes stale opens a review for a person who is cleared for it, whichever caller caused it.
    review_item: ["select", "insert", "update"],
    // A session that the caller must not know may have taken the caller's own name for a session.
    session: ["select"],
    unit: ["select", "update"],
    // The number of versions is known at every clearance, the versions are not. A self edit's reason is erased with it.
    unit_revision: ["select", "update"],
    // Rows that came from an erased resource are erased with it, whoever may see them.
    procedural_playbook: ["select", "update"],
    procedural_rule: ["select", "update"],
    procedural_source: ["select", "delete"],
    procedural_trajectory: ["select", "update"],
    procedural_version: ["select", "insert", "update"],
    self_edit: ["select", "update"],
    // A chain is erased with its preconditions, whoever may see it.
    reasoning_entry: ["select", "update", "delete"],
    reasoning_precondition: ["select", "update"],
    reasoning_vector: ["select", "delete"],
    // Reads the due endpoints and the number of waiting deliveries over all workspaces.
    webhook_delivery: ["select"],
    webhook_endpoint: ["select"],
  },
  // The gauges of the metrics page count over all workspaces; a request is always inside one.
  outside: { unit: ["select"], embedding: ["select"], embedding_pending: ["select"], newer_cursor: ["select"] },
  blind: (table) => !DEFINER_ALL.has(table) && !DEFINER_BOUND.has(table),
};

/** The owner of the functions that erase a workspace. It sees what requests see, and deletes what they only append. */
const ERASER: Expectation = {
  ...REQUEST,
  role: "svc_eraser",
  aboveClearance: {
    ...REQUEST.aboveClearance,
    change: ["select", "insert", "delete"],
    deletion_log: ["select", "insert", "delete"],
  },
};

/** A database with a row of every kind in two workspaces; `inside` runs as the superuser and is rolled back. */
async function prepare() {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createDatabase());
  const superuser = postgres(database.superuserUrl, { max: 1, onnotice: () => {} });
  stack.defer(() => superuser.end({ timeout: 5 }));
  const { tables, workspaces } = await superuser.begin(async (sql) => {
    const tables: readonly Table[] = await readTables(sql);
    assert.equal(findUncovered(tables), undefined);
    return { tables, workspaces: await seed(sql) };
  });
  const owned = stack.move();
  return {
    tables,
    workspaces,
    async inside<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
      const undo = new Error("undo");
      let result: T;
      await superuser.begin(async (sql) => {
        result = await work(sql);
        throw undo;
      }).catch((error) => {
        if (error !== undo) throw error;
      });
      return result!;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

Deno.test({
  ...POSTGRES,
  name: "every table with a workspace_id is covered, and one that is added fails until it is",
  async fn() {
    await using prepared = await prepare();
    assert.ok(prepared.tables.length >= 15);
    const complaint = await prepared.inside(async (sql) => {
      await sql`create table forgotten (workspace_id uuid)`;
      return findUncovered(await readTables(sql));
    });
    assert.match(complaint!, /^Cannot check forgotten: .* needs a row-maker in tests\/db\/_rows\.ts$/);
  },
});

Deno.test({
  ...POSTGRES,
  name: "T1 requests reach the rows of their own workspace, nobody else's, and nothing without one",
  async fn() {
    await using prepared = await prepare();
    const { tables, workspaces } = prepared;
    assert.deepEqual(await prepared.inside((sql) => findLeaks(sql, REQUEST, tables, workspaces)), []);
  },
});

Deno.test({
  ...POSTGRES,
  name: "requests reach rows up to their clearance and none above, in every table with a sensitivity",
  async fn() {
    await using prepared = await prepare();
    const { tables, workspaces } = prepared;
    assert.deepEqual(await prepared.inside((sql) => findUncleared(sql, REQUEST, tables, workspaces.own)), []);
  },
});

Deno.test({
  ...POSTGRES,
  name: "the definer functions' role reaches what its policies name and is blind everywhere else",
  async fn() {
    await using prepared = await prepare();
    const { tables, workspaces } = prepared;
    assert.deepEqual(await prepared.inside((sql) => findLeaks(sql, DEFINER, tables, workspaces)), []);
  },
});

Deno.test({
  ...POSTGRES,
  name: "the role that erases a workspace reaches the rows of the transaction's own alone",
  async fn() {
    await using prepared = await prepare();
    const { workspaces } = prepared;
    // Rows that others refer to go after these.
    const tables = prepared.tables.filter(({ name }) =>
      !["api_key", "oauth_grant", "svc_admin", "svc_admin_key", "workspace"].includes(name)
    );
    assert.deepEqual(await prepared.inside((sql) => findLeaks(sql, ERASER, tables, workspaces)), []);
    assert.deepEqual(await prepared.inside((sql) => findUncleared(sql, ERASER, tables, workspaces.own)), []);
  },
});

Deno.test({
  ...POSTGRES,
  name: "T2 a connection that served a workspace shows nothing without one, and does not fail",
  async fn() {
    await using database = await createDatabase();
    const superuser = postgres(database.superuserUrl, { max: 1, onnotice: () => {} });
    const { own } = await superuser.begin(seed).finally(() => superuser.end({ timeout: 5 }));
    const sql = postgres(database.requestUrl, { max: 1, onnotice: () => {} });
    const count = async (tx: Sql | postgres.Sql, name: string) =>
      (await tx<[{ n: number }]>`select count(*)::int as n from ${tx(name)}`)[0].n;
    try {
      await sql.begin(async (tx) => {
        await tx`
          select set_config('app.workspace_id', ${own}, true), set_config('app.max_sensitivity', 'restricted', true)`;
        for (const name of Object.keys(ROW_MAKERS)) assert.ok(await count(tx, name) > 0, `${name} inside`);
      });
      for (const name of Object.keys(ROW_MAKERS)) assert.equal(await count(sql, name), 0, name);
    } finally {
      await sql.end({ timeout: 5 });
    }
  },
});

interface Policy {
  readonly table: string;
  readonly name: string;
  readonly role: string;
  readonly using: string | null;
  readonly check: string | null;
  /** Whether the role may write the columns that the policy checks; otherwise its check has no effect. */
  readonly writes: boolean;
}

async function readPolicies(sql: Sql): Promise<Policy[]> {
  return await sql<Policy[]>`
    select p.polrelid::regclass::text as table, p.polname as name, p.polroles[1]::regrole::text as role,
           pg_get_expr(p.polqual, p.polrelid) as using, pg_get_expr(p.polwithcheck, p.polrelid) as check,
           has_table_privilege(p.polroles[1], p.polrelid, 'insert')
             or has_column_privilege(p.polroles[1], p.polrelid, 'workspace_id', 'update') as writes
      from pg_policy p order by 1, 2`;
}

/** Each way to break a policy, with its statement; ways that would change nothing are left out. */
function mutate(policy: Policy): Record<string, string> {
  const on = `policy "${policy.name}" on ${policy.table}`;
  const mutations: Record<string, string> = { dropped: `drop ${on}` };
  const open: string[] = [];
  if (policy.using !== null && policy.using !== "true") open.push(`using (true)`);
  if (policy.writes && policy.check !== null && policy.check !== "true") open.push(`with check (true)`);
  for (const clause of open) mutations[`opened ${clause}`] = `alter ${on} ${clause}`;
  const bound = "workspace_id = (select current_workspace())";
  if (policy.using?.includes("current_clearance")) {
    mutations["using without clearance"] = `alter ${on} using (${bound})`;
  }
  if (policy.check?.includes("current_clearance")) {
    mutations["check without clearance"] = `alter ${on} with check (${bound})`;
  }
  return mutations;
}

Deno.test({
  ...POSTGRES,
  name: "T4 the matrix notices every policy that is dropped, opened or loses its clearance",
  async fn(t) {
    await using prepared = await prepare();
    const { tables, workspaces } = prepared;
    const policies = await prepared.inside(readPolicies);
    assert.ok(policies.length >= tables.length);
    for (const policy of policies) {
      await t.step(`${policy.table}: ${policy.name}`, async () => {
        const expected = policy.role === "svc_definer" ? DEFINER : policy.role === "svc_eraser" ? ERASER : REQUEST;
        const table = tables.filter(({ name }) => name === policy.table);
        for (const [how, statement] of Object.entries(mutate(policy))) {
          const found = await prepared.inside(async (sql) => {
            await sql.unsafe(statement);
            return [
              ...await findLeaks(sql, expected, table, workspaces),
              ...await findUncleared(sql, expected, table, workspaces.own),
            ];
          });
          assert.notDeepEqual(found, [], `${policy.name} ${how}: nothing turned red`);
        }
      });
    }
  },
});

Deno.test({
  ...POSTGRES,
  name: "T4 the matrix notices a table without row-level security, and one where it is not forced on the owner",
  async fn() {
    await using prepared = await prepare();
    const { tables, workspaces } = prepared;
    for (const table of tables) {
      const found = await prepared.inside(async (sql) => {
        await sql.unsafe(`alter table ${table.name} disable row level security`);
        return await findLeaks(sql, REQUEST, [table], workspaces);
      });
      assert.notDeepEqual(found, [], table.name);
    }
    // The owner is a member of svc_definer, so only the tables that no policy of that role names prove anything.
    const owner: Expectation = { ...REQUEST, role: "svc_test_owner", blind: () => true };
    const forced = tables.filter(({ name }) => DEFINER.blind!(name) && DEFINER.outside![name] === undefined);
    assert.deepEqual(await prepared.inside((sql) => findLeaks(sql, owner, forced, workspaces)), []);
    for (const table of forced) {
      const found = await prepared.inside(async (sql) => {
        await sql.unsafe(`alter table ${table.name} no force row level security`);
        return await findLeaks(sql, owner, [table], workspaces);
      });
      assert.notDeepEqual(found, [], table.name);
    }
  },
});
