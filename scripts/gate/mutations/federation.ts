/** What instances tell each other: which version is shown, and what is taken from whom. */
import type { Mutation } from "./mutation.ts";

const MODEL = {
  test: "tests/federation/judge_test.ts",
  filter: "F21 the decision which version is shown is the model's after every message",
} as const;

export const MUTATIONS: readonly Mutation[] = [
  {
    name: "who takes another's version says so",
    file: "src/domain/federation/judge.ts",
    defence: `return this.#affirm(head, "taken");`,
    instead: `return "again";`,
    ...MODEL,
  },
  {
    name: "who keeps a version says so",
    file: "src/domain/federation/judge.ts",
    defence: `if (head.affirms !== "kept") return this.#affirm(head, "kept");\n        this.#settle`,
    instead: "this.#settle",
    ...MODEL,
  },
  {
    name: "an adopted version brings its own context alone",
    file: "src/domain/federation/judge.ts",
    defence: "      context: withItself(entry),",
    instead: "      context: mergeSeen(context, withItself(entry)),",
    ...MODEL,
  },
  {
    name: "trust decides between copies alone",
    file: "src/domain/federation/judge.ts",
    defence: "this.#shown!.isOwn || current === undefined || this.#live().some(({ writer }) => writer === instance)",
    instead: "instance === undefined || current === undefined",
    ...MODEL,
  },
  {
    name: "an item is judged until nothing changes",
    file: "src/domain/federation/judge.ts",
    defence: "if (!decision.step()) return",
    instead: "if (!decision.step() || turn === 0) return",
    ...MODEL,
  },
  {
    name: "no policy replaces what a person stated",
    file: "src/domain/federation/judge.ts",
    defence: `if (isProtected) return strategy === "ours_wins" ? "next" : "contested";`,
    instead: "",
    ...MODEL,
  },
  {
    name: "nobody tells another instance's word",
    file: "src/domain/federation/receive.ts",
    defence: "if (other !== undefined || ",
    instead: "if (",
    test: "tests/federation/receive_test.ts",
    filter: "",
  },
  {
    name: "versions jump by 100 at first sight too",
    file: "src/domain/federation/receive.ts",
    defence: "body.version <= VERSION_JUMP_MAX && ",
    instead: "",
    test: "tests/federation/receive_test.ts",
    filter: "",
  },
  {
    name: "what was erased here is turned away",
    file: "src/domain/federation/item_states.ts",
    defence: "isErased: erased.has(unitId),",
    instead: "isErased: false,",
    test: "tests/federation/tombstone_test.ts",
    filter: "",
  },
  {
    name: "no peer erases what began here",
    file: "src/domain/federation/tombstones.ts",
    defence: "  if (state.name.instance === instanceId) return await askAboutErasure(settling, state);\n",
    instead: "",
    test: "tests/federation/tombstone_test.ts",
    filter: "",
  },
  {
    name: "one instance alone wins no vote",
    file: "src/domain/federation/vote.ts",
    defence: "same.length >= INSTANCES_MIN && ",
    instead: "",
    test: "src/domain/federation/vote_test.ts",
    filter: "T37 one instance alone",
  },
  {
    name: "half of the weight votes",
    file: "src/domain/federation/vote.ts",
    defence: "  if (2 * sum(cast.map(({ voter }) => voter.weight)) < possible) return { winner: null, votes };\n",
    instead: "",
    test: "src/domain/federation/vote_test.ts",
    filter: "T37 nothing is won",
  },
];
