/** What recall and its hot tier show, and to whom. */
import type { Mutation } from "./mutation.ts";

export const MUTATIONS: readonly Mutation[] = [
  {
    name: "hot tier hears of commits",
    file: "src/app.ts",
    defence: "    hotTierOf(deps).noteSeq(workspaceId, seq);\n",
    instead: "",
    test: "tests/recall/hot_test.ts",
    filter: "the hot tier follows every change",
  },
  {
    name: "hot tier hears of another process",
    file: "src/app.ts",
    defence: "          noteSeq(workspaceId, Number(seq));\n",
    instead: "",
    test: "tests/recall/hot_test.ts",
    filter: "another process's write",
  },
  {
    name: "hot tier after a gap",
    file: "src/app.ts",
    defence: "        hotTierOf(deps).noteGap();\n",
    instead: "",
    test: "tests/fault/listener_test.ts",
    filter: "F10 T15",
  },
  {
    name: "hot tier follows the feed",
    file: "src/domain/recall/hot.ts",
    defence: "    while (entry.index === undefined || entry.seq < head || entry.gap < gap) {",
    instead: "    while (entry.index === undefined || entry.gap < gap) {",
    test: "tests/recall/hot_test.ts",
    filter: "the hot tier follows every change",
  },
  {
    name: "hot tier asks for the head after a gap",
    file: "src/domain/recall/hot.ts",
    defence: "    while (entry.index === undefined || entry.seq < head || entry.gap < gap) {",
    instead: "    while (entry.index === undefined || entry.seq < head) {",
    test: "tests/recall/hot_test.ts",
    filter: "another process's write",
  },
  {
    name: "hot tier per clearance",
    file: "src/domain/recall/hot.ts",
    defence: "const key = `${workspaceId} ${maxSensitivity}`;",
    instead: "const key = workspaceId;",
    test: "tests/recall/hot_test.ts",
    filter: "a fact that becomes more sensitive",
  },
  {
    name: "an erased alias leaves the index",
    file: "src/domain/unit/unindexing.ts",
    defence: "addAliases(analyseText(row.text), row.beside ?? [])",
    instead: "addAliases(analyseText(row.text), [])",
    test: "tests/http/aliases_test.ts",
    filter: "T9 an alias above the clearance",
  },
  {
    name: "a fact that is trusted more is not superseded by what names it",
    file: "src/domain/kinds/facts/replaceable.ts",
    defence: '  if (old.trustScore <= by.trustScore || ctx.scopes.has("memory:admin")) return;\n',
    instead: "  if (old.trustScore >= 0 || by.trustScore >= 0) return;\n",
    test: "tests/http/succession_test.ts",
    filter: "a fact that is not there, not in force, or trusted more",
  },
];
