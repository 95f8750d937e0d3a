/** A corpus in memory for training: the product's index over texts, their vectors, and the product's engine over both. */
import {
  analyseText,
  HeldVectors,
  MemoryIndex,
  type ModelName,
  type NearText,
  type PlanOptions,
  planQuery,
  prescore,
  type Prescored,
  readMeaning,
  SAME_SCALE,
  type StoredData,
  toFirstPerson,
  unknownTerms,
  withPrevious,
} from "../../src/retrieval/mod.ts";
import { extendCandidates } from "../../src/domain/recall/search/fusion.ts";
import { joinNear, keepOwn, SAID_MAX, SEMANTIC_MAX } from "../../src/domain/recall/search/nearness.ts";
import type { Session } from "./conversations.ts";
import type { TrainingVectors } from "./vectors.ts";

const TURN = 0, FACT = 1;

export interface AskOptions {
  readonly model: ModelName;
  /** The time of the question, in ms since the epoch. */
  readonly referenceMs: number;
}

/** The candidates that a query's words find, near spellings included. */
export function findByWords(index: MemoryIndex, query: string, options: PlanOptions): Prescored {
  const plan = planQuery(query, options);
  const input = index.input(plan);
  const substitutes = new Map(unknownTerms(plan, input.lists).map((term) => [term, index.vocabulary.near(term)]));
  const near = [...substitutes.values()].flat().map(({ term }) => term);
  return prescore(plan, { ...input, lists: new Map([...input.lists, ...index.lists(near)]), substitutes });
}

/** A query's candidates with what is stored of them. */
export interface AskedCandidates {
  readonly candidates: Prescored;
  readonly stored: readonly (StoredData | undefined)[];
}

export class Corpus {
  readonly index = new MemoryIndex();
  readonly docOf = new Map<string, number>();
  readonly #held = new HeldVectors();
  readonly #vectors: TrainingVectors | undefined;
  #groups = 0;

  /** @param vectors absent: the corpus is searched by words alone */
  constructor(vectors?: TrainingVectors) {
    this.#vectors = vectors;
  }

  addFacts(facts: Readonly<Record<string, string>>): void {
    this.addUnits(Object.entries(facts).map(([id, text]) => ({ id, text })));
  }

  /** @param prefix put before their ids */
  addUnits(
    units: readonly { readonly id: string; readonly text: string; readonly occurredAt?: number }[],
    prefix = "",
  ): void {
    for (const { id, text: told, occurredAt } of units) {
      const doc = this.#number(prefix + id, told, FACT), text = analyseText(told);
      const when = occurredAt === undefined ? {} : { occurredAt };
      this.index.add({ doc, kind: FACT, group: 0, position: 0, text, bits: text.bits, ...when });
    }
  }

  /** @param prefix put before the turns' ids */
  addSessions(sessions: readonly Session[], prefix = ""): void {
    for (const { occurredAt, turns } of sessions) {
      const group = ++this.#groups;
      const seen = new Set<string>();
      let previous: { bits: number; author: string } | undefined;
      for (const [position, { id, speaker, role, text: content }] of turns.entries()) {
        const doc = this.#number(prefix + id, content, TURN);
        const text = analyseText(content, seen), author = speaker ?? role;
        const before = previous && { bits: previous.bits, sameSpeaker: previous.author === author };
        const bits = withPrevious(text.bits, before);
        const who = speaker === undefined ? {} : { speaker };
        const isAssistant = role === "assistant";
        this.index.add({
          doc,
          kind: TURN,
          group,
          position,
          text,
          bits,
          isAssistant,
          ...who,
          ...occurredAt && { occurredAt },
        });
        previous = { bits, author };
      }
    }
  }

  #number(id: string, text: string, kind: number): number {
    const doc = this.docOf.size + 1;
    this.docOf.set(id, doc);
    if (this.#vectors !== undefined) this.#held.set(doc, kind, this.#vectors.of(text), false);
    return doc;
  }

  /** Runs the product's engine over a query up to the candidates. */
  async ask(query: string, { model: source, referenceMs }: AskOptions): Promise<AskedCandidates> {
    const found = findByWords(this.index, query, { referenceMs });
    const vectors = this.#vectors;
    if (source === "words" || vectors === undefined) return { candidates: found, stored: this.index.stored(found) };
    const said = toFirstPerson(query, found.people);
    if (source === "encoder") await vectors.encode([query, said]);
    const read = (text: string) =>
      source === "table" ? vectors.lookUp(text) : Promise.resolve(Float32Array.from(vectors.of(text)));
    const asked = await read(query), told = await read(said);
    const isSaid = said !== query;
    const { near, further } = isSaid
      ? joinNear(
        this.#held.findNearest(asked, SEMANTIC_MAX, new Set([FACT])),
        this.#held.findNearest(told, SAID_MAX, new Set([TURN])),
        false,
      )
      : { near: this.#held.findNearest(asked, SEMANTIC_MAX), further: [] };
    const known = new Set(this.index.stored(found).flatMap((data) => data?.doc ?? []));
    const { columns } = this.index;
    const place = ({ docNo }: NearText) => {
      const slot = columns.slotOf(docNo);
      return { docNo, groupNo: columns.group[slot], position: columns.position[slot], speaker: columns.speaker[slot] };
    };
    const isNew = ({ docNo }: NearText) => !known.has(docNo);
    const own = keepOwn(further.filter(isNew).map(place), found);
    const extra = [...near.filter(isNew).map(place), ...own];
    const extended = extendCandidates(found, extra), stored = this.index.stored(extended);
    const listDocs = (isTurn: boolean) =>
      stored.flatMap((data, i) => data !== undefined && (extended.groups[i] !== 0) === isTurn ? data.doc : []);
    const others = [
      ...this.#held.compare(listDocs(true), told, Infinity),
      ...this.#held.compare(listDocs(false), asked, Infinity),
    ];
    return { candidates: { ...extended, meaning: readMeaning(near, { source, scale: SAME_SCALE }, others) }, stored };
  }
}
