/**
 * The sources of recall: each names its kinds and reads their rows. A new kind of knowledge joins recall by a source in
 * `SOURCES` (or as a unit, which has one already); the engine names no kinds.
 */
import type { Tx } from "../../db/tx.ts";
import { Slices } from "../../pause.ts";
import * as queries from "../../db/queries/recall.ts";
import type { RowFilter } from "../../db/queries/recall_filters.ts";
import type { DocumentTimes, StoredData } from "../../retrieval/mod.ts";
import type { Kind } from "../../schema/common.ts";
import { UNIT_TYPES } from "../../schema/unit.ts";
import type { BitsCache } from "./bits_cache.ts";
import type { KnownUnit } from "./current_first.ts";

/** Candidates to read, by number, or by position in a session if the number is unknown. */
export interface WantedCandidates {
  readonly docs: readonly number[];
  readonly groups: readonly number[];
  readonly positions: readonly number[];
}

/** The ranker's input for a candidate that passes the filters. */
export interface Candidate {
  readonly docNo: number;
  readonly groupNo: number;
  readonly position: number;
  readonly speaker: string | undefined;
  readonly isAssistant: boolean;
  /** When it happened and held; see `DocumentTimes`. */
  readonly times: DocumentTimes;
  readonly bits: number;
  /** The key of subject and predicate, for a unit that has them. */
  readonly tripleKey: string | null;
  /** Undefined for a turn. */
  readonly unit: KnownUnit | undefined;
}

/** The candidate in the ranker's form. */
export function toStored({ docNo, speaker, isAssistant, bits, times }: Candidate): StoredData {
  return { doc: docNo, speaker, isAssistant, bits, ...times };
}

export interface RecallSource {
  readonly kinds: readonly Kind[];
  /** Whether its texts belong to sessions, so that neighbours and positions have a meaning. */
  readonly grouped: boolean;
  /** Reads candidates, without those that the filters refuse. */
  readCandidates(tx: Tx, wanted: WantedCandidates, filter: RowFilter, bits: BitsCache): Promise<Candidate[]>;
  /** Reads whole rows of candidates. */
  readResults(tx: Tx, docs: readonly number[], filter: RowFilter): Promise<queries.ResultRow[]>;
  /** Reads the texts of documents as they were indexed; deleted ones are left out. */
  readTexts(tx: Tx, docs: readonly number[]): Promise<{ docNo: number; text: string }[]>;
  /** Finds documents whose time falls in one of some windows, whatever they say. */
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
    // The first recall after a start analyses the candidates' texts.
    const slices = new Slices();
    const candidates: Candidate[] = [];
    for (const row of rows) {
      await slices.yieldIfDue();
      candidates.push(toCandidate(row, known.read(row.docNo, row.text)));
    }
    return candidates;
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
    isAssistant: row.role === "assistant",
    times: {
      occurredAt: row.occurredMs ?? undefined,
      validFrom: row.validFromMs ?? undefined,
      validTo: row.validToMs ?? undefined,
    },
    bits,
    tripleKey: row.tripleKey,
    unit: row.recordedAt === null
      ? undefined
      : { status: row.status!, trustScore: row.trustScore!, denies: row.denies!, recordedAt: row.recordedAt },
  };
}

export const SOURCES: readonly RecallSource[] = [turns, units];

/** The sources that some kinds need. */
export function sourcesOf(kinds: readonly Kind[]): RecallSource[] {
  return SOURCES.filter((source) => source.kinds.some((kind) => kinds.includes(kind)));
}
