/** What a batch costs, and that it leaves what its items leave one by one. */
import type { Mutation } from "./mutation.ts";

export const MUTATIONS: readonly Mutation[] = [
  {
    name: "reviews that a batch opens are one statement",
    file: "src/domain/unit/review_item.ts",
    defence: "  await insertReviewItems(tx, drafts);",
    instead: "  for (const draft of drafts) await insertReviewItems(tx, [draft]);",
    test: "tests/http/fact_batches_test.ts",
    filter: "a batch of facts takes as many statements",
  },
  {
    name: "what a batch made of its facts is stored in set statements",
    file: "src/domain/kinds/facts/write.ts",
    defence: "  const rows = await writeUnits(tx, ledger.writes(), { followUps, record: () => ledger.record() });\n",
    instead:
      "  const rows = [];\n  for (const one of ledger.writes()) rows.push(...await writeUnits(tx, [one], { followUps, record() {} }));\n  ledger.record();\n",
    test: "tests/http/fact_batches_test.ts",
    filter: "a batch of facts takes as many statements",
  },
  {
    name: "a fact of a batch is held against those before it",
    file: "src/domain/kinds/facts/ledger.ts",
    defence: "    this.#live.put(fact);\n",
    instead: "",
    test: "tests/http/fact_batches_test.ts",
    filter: "a batch of facts leaves what its items leave",
  },
  {
    name: "what rests on a fact that a batch closed is marked",
    file: "src/domain/kinds/facts/write.ts",
    defence: "  const followed = await followUps.run(tx);\n",
    instead: "  const followed = { current: <T>(row: T) => row };\n",
    test: "tests/http/fact_batches_test.ts",
    filter: "what a batch has rest on a fact that it closes",
  },
  {
    name: "the review of a fact that is no longer contested is closed, whoever wrote the fact",
    file: "src/domain/kinds/facts/rules.ts",
    defence: "    await settleReviews(tx, changes);\n",
    instead: "",
    test: "tests/http/ledger_test.ts",
    filter: "standing, release of what was contested",
  },
  {
    name: "what only a fact out of force contradicted is released, whoever wrote the fact",
    file: "src/domain/kinds/facts/rules.ts",
    defence: "    return await releaseContested(tx, changes.filter(leavesForce).map(({ before }) => before));\n",
    instead: "    return changes.length < 0 ? await releaseContested(tx, []) : [];\n",
    test: "tests/http/ledger_test.ts",
    filter: "standing, release of what was contested",
  },
  {
    name: "what rests on a unit follows its standing, whoever wrote the unit",
    file: "src/domain/unit/follow_ups.ts",
    defence: "  return (await settleDependants(tx, moved)).marked;\n",
    instead: "  return (await settleDependants(tx, moved.slice(moved.length))).marked;\n",
    test: "tests/http/ledger_test.ts",
    filter: "standing, release of what was contested",
  },
  {
    name: "an import has the kinds of its units do what follows",
    file: "src/domain/transfer/import.ts",
    defence: "  await followAll(importing);\n",
    instead: "  void followAll;\n",
    test: "tests/http/ledger_test.ts",
    filter: "standing, release of what was contested",
  },
];
