/** Reads the units of the same slots (subject and predicate) as the candidates and results of a recall. */
import {
  findInterrupting,
  findOutdating,
  groupRivals,
  isContestedBy,
  rankCurrency,
  type Spoken,
} from "../../unit/slots.ts";
import type { Competing } from "./current_first.ts";
import { one, type SpokenUnit, type Steps, type Store } from "./store.ts";

/** A document with the triple key of its unit; null: it has none. */
interface Keyed {
  readonly docNo: number;
  readonly tripleKey: string | null;
}

/** The units in the slots of candidates and results; each slot is read once. */
export class Slots {
  readonly #store: Pick<Store, "request" | "readSpoken">;
  readonly #keys = new Map<number, string>();
  readonly #said = new Map<string, readonly SpokenUnit[]>();

  constructor(store: Pick<Store, "request" | "readSpoken">) {
    this.#store = store;
  }

  get #time(): Date {
    return this.#store.request.rows.asOf;
  }

  /** Notes the keys of documents. */
  note(documents: Iterable<Keyed>): void {
    for (const { docNo, tripleKey } of documents) if (tripleKey !== null) this.#keys.set(docNo, tripleKey);
  }

  /** The slots of noted documents that have not been read. */
  listUnread(docNos: Iterable<number>): string[] {
    const keys = new Set<string>();
    for (const docNo of docNos) {
      const key = this.#keys.get(docNo);
      if (key !== undefined && !this.#said.has(key)) keys.add(key);
    }
    return [...keys];
  }

  /** Keeps what was read of some slots. */
  put(keys: readonly string[], said: ReadonlyMap<string, readonly SpokenUnit[]>): void {
    for (const key of keys) this.#said.set(key, said.get(key) ?? []);
  }

  /** Reads the slots of documents that were noted. */
  *read(docNos: Iterable<number>): Steps<void> {
    const keys = this.listUnread(docNos);
    if (keys.length > 0) this.put(keys, yield* one(this.#store.readSpoken(keys)));
  }

  /** Reads the slots that several of the noted documents share; returns which documents compete. */
  *readShared(): Steps<Competing[]> {
    const byKey = Map.groupBy(this.#keys, ([, key]) => key);
    // A document may compete in two groups, and then the order of the groups matters: it is that of the keys.
    const shared = [...byKey].filter(([, documents]) => documents.length > 1)
      .sort(([a], [b]) => a < b ? -1 : 1).map(([, documents]) => documents);
    if (shared.length === 0) return [];
    yield* this.read(shared.map(([[docNo]]) => docNo));
    return findCompeting(shared.map(([[, key]]) => this.#said.get(key)!), this.#time);
  }

  /** The standing of a document whose slot was read. */
  standingOf(docNo: number): Standing {
    const said = this.#said.get(this.#keys.get(docNo) ?? "") ?? [];
    const own = said.find((spoken) => spoken.docNo === docNo);
    return own === undefined ? ALONE : standAmong(own, said, this.#time);
  }
}

/** The standing of a unit among those of its slot. */
export interface Standing {
  /** The bounded unit that is true instead of it at that time. */
  readonly interruptedBy: string | undefined;
  /** The unit that is true instead of it at that time, or likely is. */
  readonly outdatedBy: string | undefined;
  /** Whether a contested unit contradicts it. */
  readonly contested: boolean;
}

export const ALONE: Standing = { interruptedBy: undefined, outdatedBy: undefined, contested: false };

/** The standing of a unit among others of its slot at a time. */
export function standAmong(spoken: Spoken, others: readonly Spoken[], time: Date): Standing {
  // Most units are alone in their slot.
  if (others.length < 2 && spoken.body.supersededBy == null) return ALONE;
  return {
    interruptedBy: findInterrupting(spoken, others, time)?.id,
    outdatedBy: findOutdating(spoken, others, time),
    contested: isContestedBy(spoken, others),
  };
}

/** Which documents of some slots compete. */
export function findCompeting<S extends Spoken & { readonly docNo: number }>(
  slots: Iterable<readonly S[]>,
  time: Date,
): Competing[] {
  const competing: Competing[] = [];
  for (const said of [...slots].flatMap(groupRivals)) {
    if (new Set(said.map(({ body }) => body.folded?.object)).size < 2) continue;
    const ranks = new Map<number, number>();
    for (const spoken of said) {
      const rank = rankCurrency(spoken, said, time);
      if (rank !== undefined) ranks.set(spoken.docNo, rank);
    }
    competing.push(ranks);
  }
  return competing;
}
