/**
 * The hand-written cases of tests/data/precision: small stores, what is asked of them, and what should come back. For the
 * fit of relevance, which uses one half of the stores, and for the bench, which reports on the other.
 */

import type { Prescored, StoredData } from "../../src/retrieval/mod.ts";
import { type AskOptions, Corpus } from "./corpus.ts";
import type { TrainingVectors } from "./vectors.ts";

import facts from "../../src/retrieval/testdata/facts.json" with { type: "json" };

const FOLDER = new URL("../../tests/data/precision/", import.meta.url);
const FILES = ["people", "work", "crowds", "talks"];
/** Queries of this many words or more are long messages. */
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

/** A store of scripts/train/stores: its questions, each with the ids of what answers it, parted by spaces. */
type OwnStore = Omit<CaseStore, "cases"> & { readonly asked: readonly (readonly [query: string, wanted: string])[] };

/** Stores that were written to fit on: names, codes, aliases and bare words; questions in other words; talk. */
export function readOwnStores(): CaseStore[] {
  return ["facts", "talks"].flatMap((name) => {
    const stores = JSON.parse(Deno.readTextFileSync(new URL(`stores/${name}.json`, import.meta.url))) as OwnStore[];
    return stores.map(({ asked, ...store }): CaseStore => ({
      ...store,
      cases: asked.map(([query, wanted], i) => ({
        id: `${store.id}-${i}`,
        query,
        wanted: wanted.split(" ").filter((id) => id !== ""),
      })),
    }));
  });
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

/** Cases of another store that are asked of a store. */
const STRANGERS_MAX = 10;
/** When the cases are asked. */
const REFERENCE_MS = Date.UTC(2026, 5, 1);

const PARAPHRASES = new URL("../../tests/data/paraphrases/paraphrases.psv", import.meta.url);

/** Questions in other words, as two stores with the same statements: one to fit on, one to report on. */
export function readParaphraseStores(): { fitted: CaseStore; held: CaseStore } {
  const [, ...lines] = Deno.readTextFileSync(PARAPHRASES).trim().split("\n");
  const pairs = lines.map((line) => line.split("|") as [statement: string, question: string]);
  const statements = [...new Set(pairs.flatMap(([statement]) => statement || []))];
  const facts = Object.fromEntries(statements.map((statement, i) => [String(i), statement]));
  const half = (id: string, isOfIt: (key: string) => boolean): CaseStore => ({
    id,
    about: "Questions in other words",
    facts,
    cases: pairs.filter(([statement, question]) => isOfIt(statement || question)).map(([statement, query], i) => ({
      id: `${id}-${i}`,
      query,
      wanted: statement === "" ? [] : [String(statements.indexOf(statement))],
    })),
  });
  return {
    fitted: half("paraphrases", (key) => !isHeld({ id: key })),
    held: half("paraphrases-held", (key) => isHeld({ id: key })),
  };
}

/** The texts of stores, which need vectors. */
export function listStoreTexts(stores: readonly CaseStore[]): string[] {
  return stores.flatMap(({ facts, sessions }) => [
    ...Object.values(facts ?? {}),
    ...(sessions ?? []).flatMap(({ turns }) => turns.map(([, , text]) => text)),
  ]);
}

/** Puts a store into a corpus of its own. @param vectors absent: it is searched by words alone */
export function buildStore({ facts, sessions }: CaseStore, vectors?: TrainingVectors): Corpus {
  const corpus = new Corpus(vectors);
  corpus.addFacts(facts ?? {});
  corpus.addSessions((sessions ?? []).map(({ at, turns }) => ({
    occurredAt: Date.parse(at),
    turns: turns.map(([id, speaker, text]) =>
      speaker === "user" || speaker === "assistant"
        ? { id, role: speaker, text }
        : { id, speaker, role: "user" as const, text }
    ),
  })));
  return corpus;
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
export async function askStores(
  stores: readonly CaseStore[],
  vectors: TrainingVectors,
  options: Omit<AskOptions, "referenceMs">,
) {
  const own: AskedCase[] = [], wrapped: AskedCase[] = [];
  const chatter = readChatter();
  const strangers: { store: CaseStore; asked: Asked }[] = [];
  const none: ReadonlySet<number> = new Set();
  for (const [number, store] of stores.entries()) {
    const corpus = buildStore(store, vectors);
    const ask = (query: string) => corpus.ask(query, { ...options, referenceMs: REFERENCE_MS });
    for (const one of store.cases) {
      const wanted = new Set(one.wanted.map((id) => corpus.docOf.get(id)!));
      own.push({ store, one, asked: { ...await ask(one.query), wanted } });
      if (isLong(one)) continue;
      const long = { ...one, query: wrapQuery(one.query, chatter[wrapped.length % chatter.length]) };
      wrapped.push({ store, one: long, asked: { ...await ask(long.query), wanted } });
    }
    for (const other of [stores[(number + 1) % stores.length], stores[(number + 3) % stores.length]]) {
      if (store.facts !== undefined && other.facts === store.facts) continue;
      for (const { query } of other.cases.slice(0, STRANGERS_MAX)) {
        strangers.push({ store, asked: { ...await ask(query), wanted: none } });
      }
    }
  }
  return { own, wrapped, strangers };
}

/** The stores of facts, each in one corpus with one of talk, and the cases of both as they are asked of it. */
export async function askMixed(
  stores: readonly CaseStore[],
  vectors: TrainingVectors,
  options: Omit<AskOptions, "referenceMs">,
): Promise<AskedCase[]> {
  const out: AskedCase[] = [];
  const talks = stores.filter(({ sessions }) => sessions !== undefined);
  for (const [number, store] of stores.filter(({ facts }) => facts !== undefined).entries()) {
    const talk = talks[number % talks.length]!;
    const corpus = buildStore({ ...store, sessions: talk.sessions! }, vectors);
    for (const one of [...store.cases, ...talk.cases].filter((one) => !isLong(one))) {
      const wanted = new Set(one.wanted.map((id) => corpus.docOf.get(id)!));
      const asked = await corpus.ask(one.query, { ...options, referenceMs: REFERENCE_MS });
      out.push({ store, one, asked: { ...asked, wanted } });
    }
  }
  return out;
}

/** A question inside a message about other things. */
export function wrapQuery(query: string, chatter: string): string {
  return chatter.replace("{question}", /[.?!]$/.test(query) ? query : `${query}.`);
}
