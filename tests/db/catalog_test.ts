/** Lists that are written by hand agree with the database: the exported tables, the types of units. */
import assert from "node:assert/strict";
import postgres from "postgres";
import { referencePaths } from "../../src/domain/transfer/references.ts";
import { LINE_KINDS, NOT_EXPORTED } from "../../src/domain/transfer/registry.ts";
import { REGISTRY } from "../../src/domain/kinds/registry.ts";
import { UNIT_TYPES } from "../../src/schema/unit.ts";
import { TRANSFER_KINDS } from "../../src/schema/transfer.ts";
import { Decision } from "../../src/schema/decision.ts";
import { createDatabase, POSTGRES } from "../_postgres.ts";

Deno.test({
  ...POSTGRES,
  name: "the registry, the schema, the document and the database know the same types of units",
  async fn() {
    assert.deepEqual(Object.keys(REGISTRY).sort(), UNIT_TYPES.toSorted());
    const document = JSON.parse(await Deno.readTextFile(new URL("../openapi.json", import.meta.url)));
    assert.deepEqual(document.components.schemas.UnitType.enum, UNIT_TYPES);
    const shown = document.components.schemas.KnowledgeUnit.discriminator.mapping;
    assert.deepEqual(Object.keys(shown).sort(), UNIT_TYPES.toSorted());
    await using database = await createDatabase();
    const sql = postgres(database.superuserUrl, { max: 1, onnotice: () => {} });
    try {
      const checks = await sql<{ text: string }[]>`
        select pg_get_constraintdef(c.oid) as text from pg_constraint c
          join pg_attribute a on a.attrelid = c.conrelid and a.attname = 'type' and c.conkey = array[a.attnum]
         where c.conrelid = 'unit'::regclass and c.contype = 'c'`;
      const stored = checks.map(({ text }) => [...text.matchAll(/'(\w+)'::text/g)].map(([, name]) => name).sort());
      assert.deepEqual(stored, [UNIT_TYPES.toSorted()], "the constraint on unit.type: a new type is a new migration");
    } finally {
      await sql.end({ timeout: 5 });
    }
  },
});

Deno.test({
  ...POSTGRES,
  name: "every table with a workspace is exported, or listed with the reason why not",
  async fn() {
    await using database = await createDatabase();
    const sql = postgres(database.superuserUrl, { max: 1, onnotice: () => {} });
    try {
      const rows = await sql<{ name: string }[]>`
        select c.relname as name from pg_class c
          join pg_attribute a on a.attrelid = c.oid and a.attname = 'workspace_id' and not a.attisdropped
         where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace order by 1`;
      const tables = rows.map((row) => row.name);
      const exported = new Set([...LINE_KINDS.values()].flatMap((kind) => kind.tables));
      const forgotten = tables.filter((name) => !exported.has(name) && !(name in NOT_EXPORTED));
      assert.deepEqual(forgotten, [], "neither exported nor in NOT_EXPORTED of src/domain/transfer/registry.ts");
      const both = tables.filter((name) => exported.has(name) && name in NOT_EXPORTED);
      assert.deepEqual(both, [], "exported and in NOT_EXPORTED");
      const gone = [...exported, ...Object.keys(NOT_EXPORTED)].filter((name) => !tables.includes(name));
      assert.deepEqual(gone, [], "there is no such table");
    } finally {
      await sql.end({ timeout: 5 });
    }
  },
});

Deno.test("the kinds that can be asked for are those that are there, in the same order", () => {
  assert.deepEqual([...LINE_KINDS.keys()], [...TRANSFER_KINDS]);
});

Deno.test("ids in a body are found by its schema", () => {
  const paths = referencePaths(Decision).map((path) => path.join("."));
  assert.deepEqual(paths.sort(), ["derivedFrom.*", "evidenceIds.*", "id", "origin.id", "supersededBy", "supersedes"]);
});
