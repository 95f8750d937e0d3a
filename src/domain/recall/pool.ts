/** The rows of a recall's candidates, each read once. */
import type { Tx } from "../../db/tx.ts";
import type { KnownUnit } from "./current_first.ts";
import type { Prescored, StoredData } from "../../retrieval/mod.ts";
import type { BitsCache } from "./bits_cache.ts";
import type { RecallRequest } from "./request.ts";
import type { Candidate, RecallSource } from "./sources.ts";

/** The candidates' rows that have been read. */
export class Pool {
  roundTrips = 0;
  readonly #byDoc = new Map<number, Candidate>();
  readonly #byPlace = new Map<string, Candidate>();
  readonly #seen = new Set<number | string>();

  constructor(
    readonly tx: Tx,
    readonly sources: readonly RecallSource[],
    readonly request: RecallRequest,
    readonly bits: BitsCache,
  ) {}

  /** Reads the rows of candidates that have not been read yet. */
  async read(candidates: Prescored): Promise<void> {
    const docs: number[] = [], grouped: number[] = [], groups: number[] = [], positions: number[] = [];
    for (let i = 0; i < candidates.size; i++) {
      const doc = candidates.docs[i], group = candidates.groups[i], position = candidates.positions[i];
      const key = doc !== 0 ? doc : `${group} ${position}`;
      if (this.#seen.has(key)) continue;
      this.#seen.add(key);
      if (doc === 0) {
        groups.push(group);
        positions.push(position);
      } else if (group === 0) docs.push(doc);
      else grouped.push(doc);
    }
    await this.#read((source) =>
      source.grouped ? { docs: grouped, groups, positions } : { docs, groups: [], positions: [] }
    );
  }

  /** Reads documents of unknown kind. */
  async readExtra(docs: readonly number[]): Promise<Candidate[]> {
    if (docs.length === 0) return [];
    await this.#read(() => ({ docs, groups: [], positions: [] }));
    return docs.flatMap((doc) => this.#byDoc.get(doc) ?? []);
  }

  async #read(choose: (source: RecallSource) => { docs: readonly number[]; groups: number[]; positions: number[] }) {
    const reads = this.sources.map((source) => ({ source, wanted: choose(source) }))
      .filter(({ wanted }) => wanted.docs.length + wanted.groups.length > 0);
    if (reads.length === 0) return;
    this.roundTrips++;
    const found = await Promise.all(
      reads.map(({ source, wanted }) => source.readCandidates(this.tx, wanted, this.request.rows, this.bits)),
    );
    for (const candidate of found.flat()) {
      this.#byDoc.set(candidate.docNo, candidate);
      if (candidate.groupNo !== 0) this.#byPlace.set(`${candidate.groupNo} ${candidate.position}`, candidate);
    }
  }

  #find(candidates: Prescored, i: number): Candidate | undefined {
    const doc = candidates.docs[i];
    return doc !== 0 ? this.#byDoc.get(doc) : this.#byPlace.get(`${candidates.groups[i]} ${candidates.positions[i]}`);
  }

  /** The numbers of all candidates, also of those that were known only by position. */
  docsOf(candidates: Prescored): Set<number> {
    const docs = new Set(candidates.docs);
    for (let i = 0; i < candidates.size; i++) {
      if (candidates.docs[i] === 0) docs.add(this.#find(candidates, i)?.docNo ?? 0);
    }
    return docs;
  }

  unitOf(docNo: number): KnownUnit | undefined {
    return this.#byDoc.get(docNo)?.unit;
  }

  /** The candidates that pass the filters, in their order. */
  *listInForce(candidates: Prescored): Generator<Candidate> {
    for (let i = 0; i < candidates.size; i++) {
      const found = this.#find(candidates, i);
      if (found !== undefined) yield found;
    }
  }

  /** The documents without a session that the filters refuse. */
  listRefused(candidates: Prescored): number[] {
    const refused: number[] = [];
    for (let i = 0; i < candidates.size; i++) {
      if (candidates.groups[i] === 0 && !this.#byDoc.has(candidates.docs[i])) refused.push(candidates.docs[i]);
    }
    return refused;
  }

  countEligible(candidates: Prescored): number {
    let count = 0;
    for (let i = 0; i < candidates.size; i++) if (this.#find(candidates, i) !== undefined) count++;
    return count;
  }

  /** All candidates that have been read. */
  get candidates(): Iterable<Candidate> {
    return this.#byDoc.values();
  }

  /** The rows in the ranker's form, in the order of the candidates. */
  storedOf(candidates: Prescored): (StoredData | undefined)[] {
    return Array.from({ length: candidates.size }, (_, i) => {
      const found = this.#find(candidates, i);
      return found &&
        { doc: found.docNo, speaker: found.speaker, isAssistant: found.isAssistant, bits: found.bits, ...found.times };
    });
  }
}
