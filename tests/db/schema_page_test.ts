/** The page that shows the schema. */
import assert from "node:assert/strict";
import postgres from "postgres";
import { describeTables, SCHEMA_FILE } from "../../scripts/gen/schema.ts";
import { createDatabase, POSTGRES } from "../_postgres.ts";

Deno.test({
  ...POSTGRES,
  name: "docs/reference/schema.sql shows every table as the migrations make it: deno run -A scripts/gen/schema.ts",
  async fn() {
    await using database = await createDatabase();
    const sql = postgres(database.superuserUrl, { max: 1, onnotice: () => {} });
    try {
      assert.equal(await Deno.readTextFile(SCHEMA_FILE), await describeTables(sql));
    } finally {
      await sql.end();
    }
  },
});
