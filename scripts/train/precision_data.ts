/**
 * The hand-written cases of tests/data/precision: small stores, what is asked of them, and what should come back. For the
 * fit of relevance, which uses one half of the stores, and for the bench, which reports on the other.
 */

import {
  analyseText,
  type Lexicon,
  MemoryIndex,
  planQuery,
  prescore,
  type Prescored,
  type StoredData,
  unknownTerms,
  withPrevious,
} from "../../src/retrieval/mod.ts";

import facts from "../../src/retrieval/testdata/facts.json" with { type: "json" };

const FOLDER = new URL("../../tests/data/precision/", import.meta.url);
const FILES = ["people", "work", "crowds", "talks"];
/** Queries of so many words or more are long messages. */
export const LONG_WORDS = 60;

/** A turn: its id, who speaks, what is said. */
export type CaseTurn = readonly [id: string, speaker: string, text: string];

export interface CaseStore {
  readonly id: string;
  readonly about: string;
  /** Statements by id; absent where the store is made of sessions. */
  readonly facts?: Readonly<Record<string, string>>;
  readonly sessions?: readonly { readonly at: string; readonly turns: readonly CaseTurn[] }[];
  readonly cases: readonly Case[];
}

export interface Case {
  readonly id: string;
  readonly query: string;
  /** Ids of what should come back; none where the store does not answer. */
  readonly wanted: readonly string[];
}

/** A query with its candidates, and which documents should come back. */
export interface Asked {
  readonly candidates: Prescored;
  readonly stored: readonly (StoredData | undefined)[];
  readonly wanted: ReadonlySet<number>;
}

export function readCaseStores(): CaseStore[] {
  return FILES.flatMap((name) => JSON.parse(Deno.readTextFileSync(new URL(`${name}.json`, FOLDER))) as CaseStore[]);
}

/** The facts of the engine's own tests with their queries, as one more store to fit on. */
export function readTestStore(): CaseStore {
  const queries = facts.queries as [string, number[]][];
  return {
    id: "testdata",
    about: "Facts of a team and its user",
    facts: Object.fromEntries(facts.facts.map((statement, i) => [String(i), statement])),
    cases: [...queries, ...facts.strangers.map((query): [string, number[]] => [query, []])].map((
      [query, wanted],
      i,
    ) => ({
      id: `testdata-${i}`,
      query,
      wanted: wanted.map(String),
    })),
  };
}

/** Messages with a gap for a question, so that questions about other data can be asked at length. */
export function readChatter(): string[] {
  return JSON.parse(Deno.readTextFileSync(new URL("chatter.json", FOLDER)));
}

/** Whether a store is for reporting alone: the lowest bit of its id's FNV-1a hash. */
export function isHeld({ id }: Pick<CaseStore, "id">): boolean {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(id)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return (hash & 1) === 1;
}

export function isLong({ query }: Pick<Case, "query">): boolean {
  return query.split(/\s+/).length >= LONG_WORDS;
}

const TURN = 0, FACT = 1;
/** Cases of another store that are asked of a store. */
const STRANGERS_MAX = 10;

/** Puts a store into an index of its own; documents are numbered from 1 by id. */
export function indexStore(store: CaseStore): { index: MemoryIndex; docOf: Map<string, number> } {
  const index = new MemoryIndex();
  const docOf = new Map<string, number>();
  for (const [id, statement] of Object.entries(store.facts ?? {})) {
    const doc = docOf.size + 1;
    docOf.set(id, doc);
    const text = analyseText(statement);
    index.add({ doc, kind: FACT, group: 0, position: 0, text, bits: text.bits });
  }
  for (const [group, { at, turns }] of (store.sessions ?? []).entries()) {
    const seen = new Set<string>();
    let previous: { bits: number; speaker: string } | undefined;
    for (const [position, [id, speaker, content]] of turns.entries()) {
      const doc = docOf.size + 1;
      docOf.set(id, doc);
      const text = analyseText(content, seen);
      const before = previous && { bits: previous.bits, sameSpeaker: previous.speaker === speaker };
      const bits = withPrevious(text.bits, before);
      const occurredAt = Date.parse(at);
      index.add({ doc, kind: TURN, group: group + 1, position, text, bits, speaker, occurredAt });
      previous = { bits, speaker };
    }
  }
  return { index, docOf };
}

/** Runs the product's engine over a query, near spellings included, up to the candidates. */
export function askIndex(index: MemoryIndex, query: string, lexicon?: Lexicon): Omit<Asked, "wanted"> {
  const plan = planQuery(query, { referenceMs: Date.UTC(2026, 5, 1), lexicon });
  const input = index.input(plan);
  const substitutes = new Map(unknownTerms(plan, input.lists).map((term) => [term, index.vocabulary.near(term)]));
  const near = [...substitutes.values()].flat().map(({ term }) => term);
  const lists = new Map([...input.lists, ...index.lists(near)]);
  const candidates = prescore(plan, { ...input, lists, substitutes });
  return { candidates, stored: index.stored(candidates) };
}

/** A case as it was asked of its store. */
export interface AskedCase {
  readonly store: CaseStore;
  readonly one: Case;
  readonly asked: Asked;
}

/**
 * The stores' cases as they are asked of them; the short ones once more inside chatter; and cases of other stores, which
 * they do not answer.
 */
export function askStores(stores: readonly CaseStore[], lexicon?: Lexicon) {
  const own: AskedCase[] = [], wrapped: AskedCase[] = [];
  const chatter = readChatter();
  const strangers: { store: CaseStore; asked: Asked }[] = [];
  const none: ReadonlySet<number> = new Set();
  for (const [number, store] of stores.entries()) {
    const { index, docOf } = indexStore(store);
    for (const one of store.cases) {
      const wanted = new Set(one.wanted.map((id) => docOf.get(id)!));
      own.push({ store, one, asked: { ...askIndex(index, one.query, lexicon), wanted } });
      if (isLong(one)) continue;
      const long = { ...one, query: wrapQuery(one.query, chatter[wrapped.length % chatter.length]) };
      wrapped.push({ store, one: long, asked: { ...askIndex(index, long.query, lexicon), wanted } });
    }
    for (const other of [stores[(number + 1) % stores.length], stores[(number + 3) % stores.length]]) {
      if (other === store) continue;
      for (const { query } of other.cases.slice(0, STRANGERS_MAX)) {
        strangers.push({ store, asked: { ...askIndex(index, query, lexicon), wanted: none } });
      }
    }
  }
  return { own, wrapped, strangers };
}

/** A question inside a message about other things. */
export function wrapQuery(query: string, chatter: string): string {
  return chatter.replace("{question}", /[.?!]$/.test(query) ? query : `${query}.`);
}
