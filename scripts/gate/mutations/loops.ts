/** Which workspaces the background loops visit, and how soon they come back. */
import type { Mutation } from "./mutation.ts";

const TEST = "src/workers/visits_test.ts";

export const MUTATIONS: readonly Mutation[] = [
  {
    name: "a workspace where something changed is visited at once",
    file: "src/workers/visits.ts",
    defence: " || known.activity !== this.#activity.of(id)",
    instead: "",
    test: TEST,
    filter: "a loop comes back at once to the workspace whose feed has moved",
  },
  {
    name: "a quiet workspace is visited once in a minute",
    file: "src/workers/visits.ts",
    defence: "Math.min(2 * before.awayMs, STAY_AWAY_MS_MAX)",
    instead: "2 * before.awayMs",
    test: TEST,
    filter: "a loop visits a quiet workspace ever more seldom",
  },
  {
    name: "what changes while a loop looks is not taken for seen",
    file: "src/workers/visits.ts",
    defence: "    const activity = this.#activity.of(workspaceId);\n    return (foundNothing) => {",
    instead: "    return (foundNothing) => {\n      const activity = this.#activity.of(workspaceId);",
    test: TEST,
    filter: "a loop comes back at once to what changed while it looked",
  },
  {
    name: "the loops are told of a write, whichever process made it",
    file: "src/app.ts",
    defence: "    activityOf(deps).note(workspaceId);\n",
    instead: "",
    test: "tests/fault/listener_test.ts",
    filter: "F10 T15 what is written and revoked while",
  },
  {
    name: "the loops are told that notifications may have been lost",
    file: "src/app.ts",
    defence: "          activityOf(deps).noteGap();\n",
    instead: "",
    test: "tests/fault/listener_test.ts",
    filter: "F10 T15 what is written and revoked while",
  },
];
