/**
 * Handles the units of an imported batch between lines and rows: their document numbers, and their current versions.
 */
import type { UnitRow } from "../../db/queries/unit_columns.ts";
import { findUnits } from "../../db/queries/units.ts";
import type { Tx } from "../../db/tx.ts";
import type { UnitLine } from "../../schema/transfer_lines.ts";
import { isIndexedAlike } from "../unit/aliases.ts";
import { allocateDocNos, type PreparedText } from "../unit/indexing.ts";
import { findMentionsOfArrivals, listEntities, type UnitMentions } from "../unit/mentions/follow.ts";
import { capOf } from "../unit/trust.ts";
import type { Live } from "./import_trust.ts";

/** A unit of the batch: its stored row, if any, and the versions that the import adds. */
export interface Work {
  existing: UnitRow | undefined;
  /** The version that is, or will be, in force. */
  latest: UnitRow | undefined;
  readonly added: Added[];
}

export interface Added {
  readonly at: number;
  readonly line: UnitLine;
  readonly row: UnitRow;
  readonly live: Live;
  readonly text: PreparedText;
}

export type Numbered = Work & { readonly numbers: ReadonlySet<number> };

/** Assigns document numbers. A version whose text and aliases are those of the version before it shares that version's number. */
export async function giveNumbers(tx: Tx, works: readonly Work[]): Promise<Numbered[]> {
  const count = works.reduce((sum, work) => sum + work.added.length, 0);
  const free = await allocateDocNos(tx, count);
  return works.map((work) => {
    const numbers = new Set<number>();
    const added = work.added.toSorted((a, b) => a.line.version - b.line.version);
    let before: UnitRow | undefined = work.existing;
    const numbered = added.map((item) => {
      const isSame = before !== undefined && isIndexedAlike(before, item.row) && before.version < item.row.version;
      const docNo = isSame ? before!.docNo : free.shift()!;
      if (!isSame) numbers.add(docNo);
      const row = { ...item.row, docNo };
      if (before === undefined || row.version > before.version) before = row;
      return { ...item, row };
    });
    const last = numbered.find((item) => item.row === before);
    return { existing: work.existing, latest: last ? { ...last.row, ...last.live } : before, added: numbered, numbers };
  });
}

/** The current version of a unit after the import. */
export interface Final {
  readonly row: UnitRow;
  readonly mentions: UnitMentions | undefined;
}

/**
 * Computes the current version that each unit has after the import. Caps its trust at the trust of the sources that are
 * stored here, and links it to the entities of this workspace that its text mentions. If the import brings only earlier
 * versions of a unit, its stored current version stays unchanged.
 */
export async function makeFinals(tx: Tx, works: readonly Numbered[]): Promise<Final[]> {
  const replaced = works.filter((work) => work.latest !== work.existing).map((work) => work.latest!);
  const capped = await capCurrent(tx, replaced);
  const mentions = await findMentionsOfArrivals(tx, capped);
  const finals = new Map(capped.map((row, i): [string, Final] => {
    const linked = mentions[i];
    const entityIds = linked === undefined ? row.entityIds : [...new Set([...row.entityIds, ...listEntities(linked)])];
    return [row.id, { row: { ...row, entityIds }, mentions: linked }];
  }));
  return works.map(({ latest }) => finals.get(latest!.id) ?? { row: latest!, mentions: undefined });
}

/** Caps the trust of current versions at the trust of the units that they were derived from and that are stored here. */
async function capCurrent(tx: Tx, rows: readonly UnitRow[]): Promise<UnitRow[]> {
  const sourceIds = [...new Set(rows.flatMap((row) => row.derivedFrom))];
  const stored = sourceIds.length === 0 ? [] : await findUnits(tx, sourceIds);
  const scores = new Map([...stored, ...rows].map((row) => [row.id, row.trustScore]));
  return rows.map((row) => {
    const sources = row.derivedFrom.flatMap((id) => scores.has(id) ? [{ trustScore: scores.get(id)! }] : []);
    const trustCap = Math.min(row.trustCap, capOf(sources));
    return { ...row, trustCap, trustScore: Math.min(row.trustScore, trustCap) };
  });
}
