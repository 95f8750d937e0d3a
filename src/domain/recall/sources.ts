/**
 * What can be recalled: each source says which kinds are its own and how their rows are read. A new kind of knowledge
 * joins recall by a source in `SOURCES` (or by being a unit, which has one already); the engine knows none by name.
 */
import type { Tx } from "../../db/tx.ts";
import * as queries from "../../db/queries/recall.ts";
import type { RowFilter } from "../../db/queries/recall_filters.ts";
import type { DocumentTimes } from "../../retrieval/mod.ts";
import type { Kind } from "../../schema/common.ts";
import { UNIT_TYPES } from "../../schema/unit.ts";
import type { BitsCache } from "./bits_cache.ts";
import type { KnownUnit } from "./current_first.ts";

/** Candidates to read, by number, or by place in a session where no number is known. */
export interface WantedCandidates {
  readonly docs: readonly number[];
  readonly groups: readonly number[];
  readonly positions: readonly number[];
}

/** What ranking needs of a candidate that the filters let through. */
export interface Candidate {
  readonly docNo: number;
  readonly groupNo: number;
  readonly position: number;
  readonly speaker: string | undefined;
  /** When it happened and held; see `DocumentTimes`. */
  readonly times: DocumentTimes;
  readonly bits: number;
  /** The key of its subject and predicate, of a unit that has them. */
  readonly tripleKey: string | null;
  /** Undefined: it is a turn. */
  readonly unit: KnownUnit | undefined;
}

export interface RecallSource {
  readonly kinds: readonly Kind[];
  /** Its texts stand in sessions, so that neighbours and places mean something. */
  readonly grouped: boolean;
  /** Reads candidates; what the filters refuse is left out. */
  readCandidates(tx: Tx, wanted: WantedCandidates, filter: RowFilter, bits: BitsCache): Promise<Candidate[]>;
  /** Reads whole rows of candidates. */
  readResults(tx: Tx, docs: readonly number[], filter: RowFilter): Promise<queries.ResultRow[]>;
  /** Reads the texts of documents as they were indexed; deleted ones are left out. */
  readTexts(tx: Tx, docs: readonly number[]): Promise<{ docNo: number; text: string }[]>;
  /** Finds documents that are of one of some windows, whatever they say. */
  findDated?(tx: Tx, windows: readonly queries.Window[], filter: RowFilter, limit: number): Promise<number[]>;
}

const turns: RecallSource = {
  kinds: ["turn"],
  grouped: true,
  async readCandidates(tx, wanted, filter) {
    const rows = await queries.readTurnCandidates(tx, wanted, filter);
    return rows.map((row) => toCandidate(row, row.bits ?? 0));
  },
  readResults: (tx, docs) => queries.readTurnResults(tx, docs),
  readTexts: queries.readTurnTexts,
};

const units: RecallSource = {
  kinds: UNIT_TYPES,
  grouped: false,
  async readCandidates(tx, { docs }, filter, bits) {
    if (docs.length === 0) return [];
    const known = bits.open(tx.workspaceId);
    const rows = await queries.readUnitCandidates(tx, docs, docs.filter((doc) => known.has(doc)), filter);
    return rows.map((row) => toCandidate(row, known.read(row.docNo, row.text)));
  },
  readResults: queries.readUnitResults,
  readTexts: queries.readUnitTexts,
  findDated: queries.readTemporalUnits,
};

function toCandidate(row: queries.CandidateRow, bits: number): Candidate {
  return {
    docNo: row.docNo,
    groupNo: row.groupNo,
    position: row.position,
    speaker: row.speaker ?? undefined,
    times: {
      occurredAt: row.occurredMs ?? undefined,
      validFrom: row.validFromMs ?? undefined,
      validTo: row.validToMs ?? undefined,
    },
    bits,
    tripleKey: row.tripleKey,
    unit: row.recordedAt === null
      ? undefined
      : { status: row.status!, trustScore: row.trustScore!, recordedAt: row.recordedAt },
  };
}

export const SOURCES: readonly RecallSource[] = [turns, units];

/** The sources that some kinds need. */
export function sourcesOf(kinds: readonly Kind[]): RecallSource[] {
  return SOURCES.filter((source) => source.kinds.some((kind) => kinds.includes(kind)));
}
