/** Decides how far an import believes a line about a unit: its trust, its worth, its author and its times. */
import type { UnitRow } from "../../db/queries/unit_columns.ts";
import { type Attribution, TRUST_SCORES } from "../../schema/common.ts";
import type { UnitLine } from "../../schema/transfer_lines.ts";
import { freshWorth } from "../unit/worth.ts";
import { trustOf } from "../unit/trust.ts";
import { authorOf, type Importing, recordedTime, withhold } from "./line_kind.ts";

/** The present values of members that change without a version. */
export type Live = Partial<
  Pick<UnitRow, "trustScore" | "trustCap" | "worth" | "stale" | "entityIds" | "corroborationCount">
>;

/**
 * The row as far as the key may state it. Only an administrator can state by a file who the author is, raise its trust
 * above that of an import, pin it, set its worth or who confirmed it, or date its recording ahead.
 */
export function believeRow(importing: Importing, line: UnitLine, row: UnitRow): UnitRow {
  if (importing.keepsAuthors) {
    return { ...row, trustScore: Math.min(row.trustScore, trustOf(row.attribution, row.trustCap)) };
  }
  const isHigher = TRUST_SCORES[row.attribution] > TRUST_SCORES.imported;
  const attribution: Attribution = isHigher ? "imported" : row.attribution;
  const trustScore = Math.min(row.trustScore, trustOf(attribution, row.trustCap));
  const { worth } = freshWorth(trustScore, row.stale);
  if (isHigher) withhold(importing, line, "attribution");
  if (row.pinned) withhold(importing, line, "pinned");
  if (row.worth !== worth && !importing.isForeign) withhold(importing, line, "worth");
  if (row.corroborationCount > 0) withhold(importing, line, "trust");
  const time = (text: string) => new Date(recordedTime(importing, line, text));
  return {
    ...row,
    attribution,
    trustScore,
    worth,
    pinned: false,
    corroborationCount: 0,
    createdBy: authorOf(importing, line, row.createdBy),
    recordedAt: time(line.recordedAt),
    retractedAt: line.retractedAt === null ? null : time(line.retractedAt),
    createdAt: time(line.createdAt),
    updatedAt: time(line.updatedAt),
  };
}

/**
 * Members that changed since the version was written. Without an administrator's key only lower
 * trust, staleness and the entities are taken over.
 */
export function believeLive(importing: Importing, line: UnitLine, row: UnitRow): Live {
  const { live } = line;
  if (live === null) return {};
  if (importing.keepsAuthors) {
    return { ...live, trustScore: Math.min(live.trustScore, trustOf(row.attribution, live.trustCap)) };
  }
  const isHigher = live.trustScore > row.trustScore || live.trustCap > row.trustCap || live.corroborationCount > 0;
  if (isHigher) withhold(importing, line, "trust");
  if (live.worth !== row.worth) withhold(importing, line, "worth");
  return {
    trustScore: Math.min(live.trustScore, row.trustScore),
    trustCap: Math.min(live.trustCap, row.trustCap),
    stale: live.stale || row.stale,
    entityIds: live.entityIds,
  };
}

/**
 * A later version of a stored unit keeps the author of the stored one. Unless an administrator imports it, it also keeps the
 * stored unit's pin, worth and number of corroborations.
 */
export function keepStanding({ keepsAuthors }: Importing, line: UnitRow, existing: UnitRow | undefined): UnitRow {
  if (existing === undefined) return line;
  const row = { ...line, createdBy: existing.createdBy };
  if (keepsAuthors) return row;
  const { pinned, worth, corroborationCount } = existing;
  return { ...row, pinned, worth, corroborationCount };
}
