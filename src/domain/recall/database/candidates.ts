/** Reads the rows of turns and units that a search ranks and shows, as far as the filters of the request let them through. */
import type { Tx } from "../../../db/tx.ts";
import * as queries from "../../../db/queries/recall.ts";
import { readTurnResults, readUnitResults, type ResultRow } from "../../../db/queries/recall_results.ts";
import { Slices } from "../../../pause.ts";
import { analyseText } from "../../../retrieval/mod.ts";
import type { RecallResult } from "../../../schema/recall.ts";
import { perService } from "../../common/per_service.ts";
import { countTokens } from "../../common/tokens.ts";
import type { KnownUnit } from "../search/current_first.ts";
import type { RecallRequest } from "../search/request.ts";
import { toResult } from "../search/results.ts";
import type { PlacedText, ShownText } from "../search/store.ts";

/** The ranker's input for a text, and what its order depends on. */
export interface Candidate extends PlacedText {
  /** The key of subject and predicate, for a unit that has them. */
  readonly tripleKey: string | null;
  /** Undefined for a turn. */
  readonly unit: KnownUnit | undefined;
}

/** Candidates to read, by number; turns also by their place in a session if the number is unknown. */
export interface WantedCandidates {
  readonly units: readonly number[];
  readonly turns: readonly number[];
  readonly groups?: readonly number[];
  readonly positions?: readonly number[];
}

/** Reads the candidates that the filters let through. */
export async function readCandidates(
  tx: Tx,
  { kinds, rows }: Pick<RecallRequest, "kinds" | "rows">,
  { units, turns, groups = [], positions = [] }: WantedCandidates,
  cache: BitsCache,
): Promise<Candidate[]> {
  const known = cache.open(tx.workspaceId);
  const [ofTurns, ofUnits] = await Promise.all([
    turns.length + groups.length > 0 && kinds.includes("turn")
      ? queries.readTurnCandidates(tx, { docs: turns, groups, positions }, rows)
      : [],
    units.length > 0 && rows.types.length > 0
      ? queries.readUnitCandidates(tx, units, units.filter((doc) => known.has(doc)), rows)
      : [],
  ]);
  const candidates = ofTurns.map((row) => toCandidate(row, row.bits ?? 0));
  // The first recall after a start analyses the candidates' texts.
  const slices = new Slices();
  for (const row of ofUnits) {
    await slices.yieldIfDue();
    if (!known.has(row.docNo) && row.text !== null) cache.add(known, row.docNo, analyseText(row.text).bits);
    candidates.push(toCandidate(row, known.get(row.docNo) ?? 0));
  }
  return candidates;
}

/** Reads whole rows, in the form in which results show them. */
export async function readResults(
  tx: Tx,
  { kinds, rows }: Pick<RecallRequest, "kinds" | "rows">,
  docs: readonly number[],
): Promise<RowText[]> {
  const [turns, units] = await Promise.all([
    kinds.includes("turn") ? readTurnResults(tx, docs) : [],
    rows.types.length > 0 ? readUnitResults(tx, docs, rows) : [],
  ]);
  return [...turns, ...units].map((row) => new RowText(row));
}

/** A row as results show it. */
export class RowText implements ShownText {
  constructor(readonly row: ResultRow) {}

  get docNo(): number {
    return this.row.docNo;
  }

  get tripleKey(): string | null {
    return this.row.tripleKey;
  }

  get result(): RecallResult {
    return toResult(this.row);
  }

  get tokens(): number {
    return countTokens(this.row.text);
  }
}

function toCandidate(row: queries.CandidateRow, bits: number): Candidate {
  const { docNo, groupNo, position, tripleKey, status, trustScore, denies, recordedAt } = row;
  return {
    data: {
      doc: docNo,
      speaker: row.speaker ?? undefined,
      isAssistant: row.role === "assistant",
      bits,
      occurredAt: row.occurredMs ?? undefined,
      validFrom: row.validFromMs ?? undefined,
      validTo: row.validToMs ?? undefined,
    },
    groupNo,
    position,
    tripleKey,
    unit: recordedAt === null ? undefined : { status: status!, trustScore: trustScore!, denies: denies!, recordedAt },
  };
}

/** The most documents in the cache, of all workspaces together; a full cache is cleared. */
const CACHED_MAX = 200_000;

/** The bits of units' texts (`DocBits`), computed once: a document's text never changes. */
export class BitsCache {
  /** By workspace, because document numbers are unique only within a workspace. */
  readonly #workspaces = new Map<string, Map<number, number>>();
  #count = 0;

  /** The bits of a workspace's documents. The caller may go on using them after the cache was cleared. */
  open(workspaceId: string): Map<number, number> {
    if (this.#count >= CACHED_MAX) {
      this.#workspaces.clear();
      this.#count = 0;
    }
    const bits = this.#workspaces.get(workspaceId) ?? new Map<number, number>();
    this.#workspaces.set(workspaceId, bits);
    return bits;
  }

  /** Adds a document to what `open` returned. */
  add(opened: Map<number, number>, docNo: number, bits: number): void {
    opened.set(docNo, bits);
    this.#count++;
  }
}

export const bitsCacheOf = perService(() => new BitsCache());
