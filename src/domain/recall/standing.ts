/**
 * Compares the units of a recall that are about the same subject in the same respect: their order, which one is
 * outdated at the time asked about, and which one a bounded unit interrupts.
 */
import { readSpoken, type SpokenRow } from "../../db/queries/recall_respects.ts";
import type { RowFilter } from "../../db/queries/recall_filters.ts";
import type { Tx } from "../../db/tx.ts";
import {
  findInterrupting,
  findOutdating,
  groupRivals,
  isContestedBy,
  rankCurrency,
  type Spoken,
} from "../unit/respects.ts";

/** The standing of a unit among those of its respect. */
export interface Standing {
  /** The bounded unit that is true instead of it at that time. */
  readonly interruptedBy: string | undefined;
  /** The unit that is true instead of it at that time, or likely is. */
  readonly outdatedBy: string | undefined;
  /** Whether a contested unit contradicts it. */
  readonly contested: boolean;
}

const ALONE: Standing = { interruptedBy: undefined, outdatedBy: undefined, contested: false };

/** The standing of a unit among others of its respect at a time. */
export function standAmong(spoken: Spoken, others: readonly Spoken[], time: Date): Standing {
  // Most units are alone in their respect.
  if (others.length < 2 && spoken.body.supersededBy == null) return ALONE;
  return {
    interruptedBy: findInterrupting(spoken, others, time)?.id,
    outdatedBy: findOutdating(spoken, others, time),
    contested: isContestedBy(spoken, others),
  };
}

/** A document with the triple key of its unit; null: it has none. */
export interface Keyed {
  readonly docNo: number;
  readonly tripleKey: string | null;
}

/** Documents that say different things in one respect, each with its rank; see `rankCurrency`. */
export type Competing = ReadonlyMap<number, number>;

/** Which documents of some respects compete. */
export function findCompeting<S extends Spoken & { readonly docNo: number }>(
  respects: Iterable<readonly S[]>,
  time: Date,
): Competing[] {
  const competing: Competing[] = [];
  for (const said of [...respects].flatMap(groupRivals)) {
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

/** Reads the units in the respects of candidates and results, each respect once. */
export class Respects {
  roundTrips = 0;
  readonly #tx: Tx;
  readonly #filter: RowFilter;
  readonly #keys = new Map<number, string>();
  readonly #said = new Map<string, readonly SpokenRow[]>();

  constructor(tx: Tx, filter: RowFilter) {
    this.#tx = tx;
    this.#filter = filter;
  }

  /** Notes the keys of documents. */
  note(documents: Iterable<Keyed>): void {
    for (const { docNo, tripleKey } of documents) if (tripleKey !== null) this.#keys.set(docNo, tripleKey);
  }

  /** Reads the respects of documents that were noted. */
  async read(docNos: Iterable<number>): Promise<void> {
    const keys = new Set<string>();
    for (const docNo of docNos) {
      const key = this.#keys.get(docNo);
      if (key !== undefined && !this.#said.has(key)) keys.add(key);
    }
    if (keys.size === 0) return;
    this.roundTrips++;
    const rows = await readSpoken(this.#tx, [...keys], this.#filter);
    for (const key of keys) this.#said.set(key, []);
    for (const [key, said] of Map.groupBy(rows, ({ tripleKey }) => tripleKey)) this.#said.set(key, said);
  }

  /** Reads the respects that several of the noted documents share; returns which documents compete. */
  async readShared(): Promise<Competing[]> {
    const byKey = Map.groupBy(this.#keys, ([, key]) => key);
    // A document may compete in two groups, and then the order of the groups matters: it is that of the keys.
    const shared = [...byKey].filter(([, documents]) => documents.length > 1)
      .sort(([a], [b]) => a < b ? -1 : 1).map(([, documents]) => documents);
    if (shared.length === 0) return [];
    await this.read(shared.map(([[docNo]]) => docNo));
    return findCompeting(shared.map(([[, key]]) => this.#said.get(key)!), this.#filter.asOf);
  }

  /** The standing of a document whose respect was read. */
  standingOf(docNo: number): Standing {
    const said = this.#said.get(this.#keys.get(docNo) ?? "") ?? [];
    const own = said.find((spoken) => spoken.docNo === docNo);
    return own === undefined ? ALONE : standAmong(own, said, this.#filter.asOf);
  }
}
