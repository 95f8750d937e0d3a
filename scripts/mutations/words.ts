/** What may be told of words: none of a text that was erased or that the reader may not see. */
import type { Mutation } from "./mutation.ts";

export const MUTATIONS: readonly Mutation[] = [
  {
    name: "a word leaves the hot tier with its last text",
    file: "src/retrieval/memory_index.ts",
    defence: "    this.vocabulary.remove(term);\n",
    instead: "",
    test: "src/retrieval/vocabulary_test.ts",
    filter: "an index forgets a word",
  },
  {
    name: "the hot tier is read at the clearance that was asked for",
    file: "src/domain/recall/recall_hot.ts",
    defence: "hot.acquire(scoped)",
    instead: "hot.acquire(ctx)",
    test: "tests/recall/hot_test.ts",
    filter: "a fact that becomes more sensitive",
  },
  {
    name: "erasures of a word's last texts wait for each other",
    file: "src/db/queries/postings.ts",
    defence: "     order by term for update`;",
    instead: "     order by term`;",
    test: "tests/recall/indexing_test.ts",
    filter: "of two erasures at the same time",
  },
  {
    name: "the names of the ranker's features stay inside",
    file: "src/domain/recall/signs.ts",
    defence: "    const sign = SIGN_OF[feature];\n",
    instead: "    const sign = feature as unknown as RecallSign;\n",
    test: "tests/http/recall_test.ts",
    filter: "explain says why",
  },
  {
    name: "a hit of a recall tier is a result",
    file: "src/domain/recall/recall.ts",
    defence: "countHits(found.shown, tier)",
    instead: "candidates",
    test: "tests/http/recall_test.ts",
    filter: "explain says why",
  },
];
