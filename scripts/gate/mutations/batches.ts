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
    defence: "  await storeHistories(tx, ledger.histories());",
    instead: "  for (const history of ledger.histories()) await storeHistories(tx, [history]);",
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
    defence: "new Set((await markFallen(tx, fallen.map(({ row }) => row.id))).marked)",
    instead: "new Set(fallen.map(({ row }) => `not ${row.id}`))",
    test: "tests/http/fact_batches_test.ts",
    filter: "what a batch has rest on a fact that it closes",
  },
];
