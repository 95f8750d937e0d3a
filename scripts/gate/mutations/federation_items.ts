/** Items of other instances: which pages are taken, what is published and served to whom. */
import type { Mutation } from "./mutation.ts";

const ENVELOPE = { file: "src/domain/federation/envelope.ts", test: "tests/federation/envelope_test.ts" } as const;
const SERVED = {
  test: "tests/federation/publish_test.ts",
  filter: "an instance without keys publishes each version once",
} as const;

export const MUTATIONS: readonly Mutation[] = [
  {
    ...ENVELOPE,
    name: "no plain page of a peer with keys",
    defence: "  if (hasKeys && alg === undefined) throw refuse(",
    instead: "  if (hasKeys && alg === null) throw refuse(",
    filter: "T29 with both keys",
  },
  {
    ...ENVELOPE,
    name: "signature of a page",
    defence: "|| !verifySignature(bytes, sha256(canonicalJson(items)), key)",
    instead: "",
    filter: "T29 a page is refused unless",
  },
  {
    ...ENVELOPE,
    name: "a nonce once in a page",
    defence: "if (seen.has(mark)) throw",
    instead: "if (mark === undefined) throw",
    filter: "T29 a page is refused unless",
  },
  {
    ...ENVELOPE,
    name: "hash of an item",
    defence: "if (hash !== item.hash) throw",
    instead: "if (item.hash === undefined) throw",
    filter: "T32 a body must have the header's",
  },
  {
    ...ENVELOPE,
    name: "a version is the word of who sends it",
    defence: "if (body.writer !== page.from) throw",
    instead: "if (body.writer === undefined) throw",
    filter: "T32 a body must have the header's",
  },
  {
    ...ENVELOPE,
    name: "one text for one body",
    defence: "if (canonicalJson(value) === new TextDecoder().decode(bytes)) return value;",
    instead: "return value;",
    filter: "T33 a body has one text",
  },
  {
    ...ENVELOPE,
    name: "nothing but a projection from another region",
    defence:
      `expected.isAbroad ? form === "sealed" || form === "plain" || page.alg !== undefined : form === "projected"`,
    instead: "expected.isAbroad === undefined",
    filter: "T12 from a peer in another region",
  },
  {
    name: "no peer tells what is each instance's own",
    file: "src/domain/federation/shared_form.ts",
    defence: "if (untold !== undefined) throw",
    instead: "if (untold === null) throw",
    test: "tests/federation/shared_form_test.ts",
    filter: "T37 a form",
  },
  {
    ...SERVED,
    name: "nothing is published for nobody",
    file: "src/domain/federation/publish.ts",
    defence: "if (!await queries.hasPeer(tx)) return false;",
    instead: "",
  },
  {
    ...SERVED,
    name: "a root is made from the rows",
    file: "src/domain/federation/digest.ts",
    defence: "if (!isRoot && kept?.seq === seq",
    instead: "if (kept?.seq === seq",
  },
  {
    ...SERVED,
    name: "another workspace is not found",
    file: "src/domain/federation/reader.ts",
    defence: "if (workspace !== undefined && workspace !== ctx.workspaceId) {",
    instead: "if (workspace === undefined && ctx.workspaceId === undefined) {",
  },
  {
    name: "facts alone cross a border",
    file: "src/domain/federation/projection.ts",
    defence: `entries.filter(({ type, isDeleted }) => type === "fact" && !isDeleted)`,
    instead: "entries.filter(({ isDeleted }) => !isDeleted)",
    test: "tests/federation/publish_test.ts",
    filter: "an instance with keys seals what it serves",
  },
];
