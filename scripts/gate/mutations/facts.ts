/** What becomes of facts that are patched, or whose rivals leave force. */
import type { Mutation } from "./mutation.ts";

const TEST = "tests/http/facts_revised_test.ts";

export const MUTATIONS: readonly Mutation[] = [
  {
    name: "planned ends found by what gave them",
    file: "src/domain/kinds/facts/ending.ts",
    defence: "fact.body.supersedes !== null || (worldTime(fact) ?? fact.recordedAt) > tx.now",
    instead: "fact.tripleKey !== null && fact.body.predicate === null && (worldTime(fact) ?? fact.recordedAt) > tx.now",
    test: TEST,
    filter: "a planned end goes when its successor leaves force",
  },
  {
    name: "planned ends moved with the day of the successor",
    file: "src/domain/kinds/facts/update.ts",
    defence: "...await listEndedBy(tx, [fact])]",
    instead: "...(await listEndedBy(tx, [fact])).slice(0, 0)]",
    test: TEST,
    filter: "a planned end goes when its successor leaves force",
  },
  {
    name: "a relation's day of a planned end kept",
    file: "src/domain/kinds/facts/update.ts",
    defence: "if (row.validTo?.getTime() !== dayOf(before) || dayOf(after)",
    instead: "if (dayOf(after)",
    test: TEST,
    filter: "a planned end that a relation gave",
  },
  {
    name: "contested facts held by what contradicts any claim",
    file: "src/domain/kinds/facts/settle.ts",
    defence: "settled.about(fact).some((other) => contradicts(fact, other))",
    instead: "settled.about(fact).some((other) => other.tripleKey === fact.tripleKey && contradicts(fact, other))",
    test: TEST,
    filter: "a contested fact is released",
  },
  {
    name: "contested facts found by the reviews that name what left force",
    file: "src/db/queries/contested_facts.ts",
    defence: "and other_id = any(${ids as string[]}::uuid[]) and kind",
    instead: "and other_id = any(${ids.slice(0, 0) as string[]}::uuid[]) and kind",
    test: TEST,
    filter: "a contested fact is released",
  },
  {
    name: "reworded facts mark what they likely outdate",
    file: "src/domain/kinds/facts/update.ts",
    defence: "const saysElse = byClaims && isReworded(fact, next);",
    instead: "const saysElse = byClaims && isReworded(fact, next) && fact.version > 1e9;",
    test: TEST,
    filter: "a fact that is reworded likely outdates",
  },
  {
    name: "reworded facts are outdated no more",
    file: "src/domain/kinds/facts/update.ts",
    defence: "if (row.body.outdates?.includes(reworded.id) !== true) return [];",
    instead: "if (row.version > 0 || row.body.outdates?.includes(reworded.id) !== true) return [];",
    test: TEST,
    filter: "an outdated fact that is reworded",
  },
  {
    name: "a workspace's predicates hold for plain statements",
    file: "src/domain/kinds/facts/inferred.ts",
    defence: "own ?? exclusiveOfClaim(claim, settings)",
    instead: "own ?? exclusiveOfClaim(claim, { ...settings && {} })",
    test: TEST,
    filter: "what a workspace says of a predicate",
  },
  {
    name: "the latest of what many say in the same words",
    file: "migrations/0113_latest_claims.sql",
    defence: "order by u.recorded_at desc limit p_most",
    instead: "order by u.recorded_at desc",
    test: TEST,
    filter: "of what many say in the same words",
  },
  {
    name: "the latest of a respect, by their index in a new database",
    file: "migrations/0113_latest_claims.sql",
    defence: "set enable_sort = off",
    instead: "set enable_sort = on",
    test: "tests/db/plans_test.ts",
    filter: "the latest facts are read by their index also before",
  },
];
