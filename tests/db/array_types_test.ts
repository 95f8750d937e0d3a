/** Arrays through the door: the driver does not ask for their types by itself. */
import assert from "node:assert/strict";
import { POSTGRES } from "../_postgres.ts";
import { openDoor } from "./_door.ts";

const ARRAYS: Readonly<Record<string, readonly unknown[]>> = {
  "text[]": [
    "plain",
    "",
    "NULL",
    "null",
    'a "quoted" \\ back',
    "comma,brace{}",
    " spaces ",
    "line\nbreak",
    "é🙂",
    null,
  ],
  "varchar[]": ["x"],
  "uuid[]": ["0190a0b0-0000-7000-8000-000000000001"],
  "bigint[]": ["9007199254740993", "-1"],
  "integer[]": [1, -2, null],
  "smallint[]": [3],
  "real[]": [0.5],
  "double precision[]": [0.1, 1e300],
};

Deno.test({
  ...POSTGRES,
  name: "every array type that statements use goes to the database and back",
  async fn() {
    await using door = await openDoor({ max: 1 });
    for (const [type, values] of Object.entries(ARRAYS)) {
      for (const sent of [values, []]) {
        const [row] = await door.db.system((sql) =>
          sql<[{ back: unknown[]; n: number }]>`
            select x as back, cardinality(x) as n from (select ${sent as string[]}::${sql.unsafe(type)} as x) as t`
        );
        assert.deepEqual([...row.back], sent, type);
        assert.equal(row.n, sent.length);
      }
    }
    const [row] = await door.db.system((sql) =>
      sql<[{ flags: unknown; times: unknown }]>`
        select array[true, false, null] as flags, array['2026-01-02T03:04:05.678Z'::timestamptz] as times`
    );
    assert.deepEqual(row, { flags: [true, false, null], times: [new Date("2026-01-02T03:04:05.678Z")] });
  },
});

Deno.test({
  ...POSTGRES,
  name: "an array with a hole or another array in it is refused",
  async fn() {
    await using door = await openDoor({ max: 1 });
    for (const bad of [["a", undefined], [["a"]]]) {
      await assert.rejects(
        door.db.system((sql) => sql`select ${bad as string[]}::text[]`),
        /Cannot send an array/,
      );
    }
    // The same after another statement that is under way on the same connection.
    await assert.rejects(
      door.db.tx(
        door.a,
        (tx) => Promise.all([tx.sql`select pg_sleep(0)`, tx.sql`select ${["a", undefined] as string[]}::text[]`]),
      ),
      /Cannot send an array/,
    );
    assert.equal(await door.db.system(async (sql) => (await sql`select 1`).length), 1);
  },
});
