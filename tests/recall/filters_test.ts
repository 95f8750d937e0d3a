import assert from "node:assert/strict";
import postgres from "postgres";
import { createDatabase, POSTGRES } from "../_postgres.ts";
import { compileFilter, matchesFilter } from "../../src/domain/recall/search/filters.ts";
import type { RecallFilter } from "../../src/schema/recall_filter.ts";

const VALUES = ["alpha", "al", "", 'quo"te', "a.b*c", "Ünï", 1, 2.5, -3, true, false, null, ["alpha", 1], [], [
  2.5,
  "x",
]];
const OPERANDS = ["alpha", "al", 'o"t', ".b*", "Ü", 1, 2.5, true, null];
const FIELDS = ["metadata.a", "metadata.b", "metadata.n.a", "tags", "subject", 'metadata.q"x', "validFrom"];

/** A small seeded generator (mulberry32). */
function seeded(seed: number): () => number {
  return () => {
    seed = seed + 0x6d2b79f5 | 0;
    let t = Math.imul(seed ^ seed >>> 15, 1 | seed);
    t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t;
    return ((t ^ t >>> 14) >>> 0) / 2 ** 32;
  };
}

function makeCase(random: () => number): { filter: RecallFilter; document: Record<string, unknown> } {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)];
  const metadata: Record<string, unknown> = {};
  for (const key of ["a", "b", 'q"x']) if (random() < 0.7) metadata[key] = pick(VALUES);
  if (random() < 0.5) metadata["n"] = pick([{ a: pick(VALUES) }, [{ a: pick(VALUES) }, { a: pick(VALUES) }], "text"]);
  const document: Record<string, unknown> = { metadata, tags: pick([[], ["alpha"], ["al", "x"]]) };
  if (random() < 0.5) document["subject"] = pick(["alpha", null]);
  document["validFrom"] = pick([null, "2024-01-01T00:00:00.000Z", "2025-06-01T12:00:00.000Z"]);
  const condition = (field: string): Record<string, unknown> => {
    if (field === "validFrom") return { [pick(["gt", "lte", "eq", "ne"])]: "2024-01-01T01:00:00+01:00" };
    const operator = pick(["eq", "ne", "gt", "gte", "lt", "lte", "in", "contains"]);
    if (operator === "in") return { in: [pick(OPERANDS), pick(OPERANDS)] };
    if (/^[gl]/.test(operator)) return { [operator]: pick(["alpha", "al", 1, 2.5]) };
    return { [operator]: pick(OPERANDS) };
  };
  const node = (depth: number): RecallFilter => {
    const roll = depth > 2 ? 0 : random();
    if (roll < 0.55) {
      const field = pick(FIELDS);
      return { [field]: condition(field) };
    }
    if (roll < 0.7) return { AND: [node(depth + 1), node(depth + 1)] };
    if (roll < 0.85) return { OR: [node(depth + 1), node(depth + 1)] };
    return { NOT: node(depth + 1) };
  };
  return { filter: node(0), document };
}

Deno.test({
  ...POSTGRES,
  name: "the database and the hot tier decide every filter alike",
  async fn() {
    await using database = await createDatabase({ migrated: false });
    const sql = postgres(database.requestUrl, { max: 1 });
    try {
      const random = seeded(20_261_121);
      const cases = Array.from({ length: 2_000 }, () => makeCase(random));
      const rows = cases.map(({ filter, document }) => ({ document, ...compileFilter(filter) }));
      const answers = await sql<{ holds: boolean | null }[]>`
        select jsonb_path_match(document, path::jsonpath, vars) as holds
          from jsonb_to_recordset(${sql.json(rows as never)}) as c(document jsonb, path text, vars jsonb)`;
      assert.equal(answers.length, cases.length);
      for (const [i, { filter, document }] of cases.entries()) {
        assert.equal(matchesFilter(filter, document), answers[i].holds, JSON.stringify({ filter, document }));
      }
      const held = answers.filter((row) => row.holds).length;
      assert.ok(held > 200 && held < 1_800, `${held} of 2,000 hold: the cases say too little`);
    } finally {
      await sql.end({ timeout: 5 });
    }
  },
});

Deno.test("a member's name cannot leave its place in the predicate", () => {
  const { path, vars } = compileFilter({ 'metadata.x") || (1 == 1': { eq: "$v9" } });
  assert.equal(path, '(exists($."metadata"."x\\") || (1 == 1" ? (@ == $v0)))');
  assert.deepEqual(vars, { v0: "$v9" });
});
