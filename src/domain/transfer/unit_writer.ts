/** Writes imported versions of units through the ledger, with the times and authors that they had in the source workspace. */
import * as imports from "../../db/queries/imports.ts";
import type { UnitRow } from "../../db/queries/unit_columns.ts";
import { findUnits, lockNames } from "../../db/queries/units.ts";
import { findResting, type SourceLink } from "../../db/queries/unit_sources.ts";
import type { Tx } from "../../db/tx.ts";
import { ServiceError } from "../../errors.ts";
import { isCleared, TRUST_SCORES } from "../../schema/common.ts";
import type { UnitLine } from "../../schema/transfer_lines.ts";
import { FollowUps } from "../unit/follow_ups.ts";
import { type PreparedText, prepareTexts } from "../unit/indexing.ts";
import { recordUnit } from "../unit/record.ts";
import { leastSensitive } from "../unit/trust.ts";
import { type Arrival, type NewText, type UnitVersion, type UnitWrite, writeUnits } from "../unit/write.ts";
import { findAbove } from "./above_clearance.ts";
import { findObstacle, isChangedThere, nextImported, readLastImports } from "./changed.ts";
import { readExternalIds, settleName } from "./external_ids.ts";
import { believeLive, believeRow, keepStanding, type Live } from "./import_trust.ts";
import { authorOf, type Importing, type LineOutcome, recordedTime, refuse } from "./line_kind.ts";
import { isSameUnit, toRow, type UnitTransfer } from "./unit_rows.ts";
import { type Final, giveNumbers, makeFinals, type Numbered, type Work } from "./unit_works.ts";

/** A line that may be written, with its row and its analysed text; or the reason why it may not be written. */
export type Prepared = { readonly row: UnitRow; readonly live: Live; readonly text: PreparedText | undefined } | {
  readonly refusal: LineOutcome;
};
export interface PreparedLines {
  readonly items: readonly Prepared[];
  /** Ids of sources above the key's clearance that the lines name. The import stores no link to them. */
  readonly above: ReadonlySet<string>;
}

/** The name of the lock that imports of a workspace take, so that two imports of the same file run one after the other. */
export const IMPORT_LOCK = "import";

/** Checks lines and analyses the texts of those that are new here. */
export async function prepareUnitLines(
  importing: Importing,
  transfer: UnitTransfer,
  lines: readonly UnitLine[],
): Promise<PreparedLines> {
  const { ctx } = importing;
  const ids = [...new Set(lines.map((line) => line.id))];
  const [marks, lasts] = await ctx.tx(
    (tx) => Promise.all([imports.listRevisionMarks(tx, ids), readLastImports(importing, tx, transfer.type, ids)]),
    {
      readOnly: true,
    },
  );
  const known = new Set(marks.map((mark) => `${mark.id} ${mark.version}`));
  const isChanged = (row: UnitRow) => lasts.has(row.id) && isChangedThere(lasts.get(row.id)!, row);
  const rows = lines.map((line): UnitRow | LineOutcome => {
    if (!isCleared(line.sensitivity, ctx.maxSensitivity)) {
      return refuse("validation_failed", `Cannot store: sensitivity ${line.sensitivity} is above the key's clearance`);
    }
    try {
      return believeRow(importing, line, toRow(transfer, line));
    } catch (error) {
      if (error instanceof ServiceError) return refuse(error.code, error.message);
      throw error;
    }
  });
  const fresh = rows.filter((row): row is UnitRow =>
    typeof row === "object" && "id" in row && (!known.has(`${row.id} ${row.version}`) || isChanged(row))
  );
  const prepared = await prepareTexts(
    ctx,
    fresh.map((row) => ({ kind: row.type, sensitivity: row.sensitivity, text: row.text })),
  );
  const texts = new Map(fresh.map((row, i) => [row, prepared[i]!]));
  const items = rows.map((row, i) => {
    if (typeof row !== "object" || !("id" in row)) return { refusal: row };
    return { row, text: texts.get(row), live: believeLive(importing, lines[i]!, row) };
  });
  return { items, above: await findAbove(importing, fresh.flatMap((row) => sourcesOf(transfer, row))) };
}

/** Writes lines of one type. @returns the outcome of each line, in the order of `lines` */
export async function writeUnitLines(
  importing: Importing,
  tx: Tx,
  transfer: UnitTransfer,
  lines: readonly UnitLine[],
  prepared: PreparedLines,
): Promise<LineOutcome[]> {
  const names = lines.flatMap((line) => transfer.namesOf?.(line.body) ?? []);
  const holders = await readExternalIds(tx, transfer.type, lines.map(({ body }) => body));
  await lockNames(tx, [IMPORT_LOCK]);
  if (names.length > 0) await lockNames(tx, names);
  const ids = [...new Set(lines.map((line) => line.id))];
  const [rows, marks, erased, lasts] = await Promise.all([
    findUnits(tx, ids, { lock: "update" }),
    imports.listRevisionMarks(tx, ids),
    imports.findErased(tx, ids),
    readLastImports(importing, tx, transfer.type, ids),
  ]);
  const here = new Map(rows.map((row) => [row.id, row]));
  const known = new Map(marks.map((mark) => [`${mark.id} ${mark.version}`, mark]));
  const works = new Map<string, Work>();
  const outcomes = lines.map((given, at): LineOutcome => {
    let line = given;
    let item = prepared.items[at]!;
    if ("refusal" in item) return item.refusal;
    if (erased.has(line.id)) return refuse("RESURRECTION_BLOCKED", "Cannot import: it was erased here");
    const existing = here.get(line.id);
    const isSame = existing === undefined || isSameUnit(existing, line);
    // A unit that stands in for the imported one in this workspace is left unchanged.
    if (!isSame && importing.ids.isStandIn(line.id)) return "unchanged";
    if (!isSame) return refuse("conflict", "Cannot import: its id belongs to something else here");
    const last = lasts.get(line.id);
    if (last !== undefined && existing !== undefined) {
      if (!isChangedThere(last, item.row) || !isChangedThere(existing, item.row)) return "unchanged";
      const obstacle = findObstacle(last, existing);
      if (obstacle !== undefined) return obstacle;
      const next = nextImported(line, item.row, existing);
      line = next.line;
      item = { ...item, row: next.row };
    }
    const mark = known.get(`${line.id} ${line.version}`);
    if (mark !== undefined) return compare(importing, mark, item.row, line);
    if (item.text === undefined) return refuse("conflict", "Cannot import: it was changed here meanwhile; try again");
    const work = works.get(line.id) ?? { existing, latest: existing, added: [] };
    works.set(line.id, work);
    const row = settleName(importing, given, keepStanding(importing, item.row, existing), { existing, holders });
    const isLater = work.latest === undefined || line.version > work.latest.version;
    if (isLater && !mayReplace(importing, existing)) {
      return refuse(
        "insufficient_scope",
        "Cannot import over what is trusted more: the key lacks the scope memory:admin",
      );
    }
    if (work.added.some((added) => added.line.version === line.version)) {
      return refuse("conflict", `Cannot import: version ${line.version} is in the file twice`);
    }
    if (isLater) work.latest = row;
    work.added.push({ at, line, row, live: item.live, text: item.text });
    return existing === undefined && work.added.length === 1 ? "created" : "updated";
  });
  await store(importing, tx, transfer, [...works.values()], outcomes, prepared.above);
  for (const [at, { id, version }] of lines.entries()) {
    if ((version > 1 && typeof outcomes[at] === "string") || outcomes[at] === "updated") {
      importing.named.get(transfer.type)!.ids.add(id);
    }
  }
  return outcomes;
}

/** Leaves a stored version unchanged. If the line has the same version number but different content, the outcome says so. */
function compare(
  importing: Importing,
  mark: imports.RevisionMark,
  row: UnitRow,
  line: UnitLine,
): LineOutcome {
  const at = new Date(line.revision.recordedAt);
  // An earlier import may have replaced a time in the future by its own time, which is then earlier than the line's.
  const isSameTime = mark.recordedAt.getTime() === at.getTime() || (!importing.keepsAuthors && mark.recordedAt < at);
  const isSame = mark.contentHash === row.contentHash && mark.event === line.revision.event &&
    (importing.isForeign || isSameTime);
  return isSame ? "unchanged" : refuse("conflict", `Cannot import: version ${line.version} here has different content`);
}

/** Only an administrator's import may replace a unit that is trusted more than imported units are. */
function mayReplace(importing: Importing, existing: UnitRow | undefined): boolean {
  return existing === undefined || importing.keepsAuthors ||
    TRUST_SCORES[existing.attribution] <= TRUST_SCORES.imported;
}

/** Writes the accepted versions through the ledger. If another writer has taken a unit's id meanwhile, refuses that unit. */
async function store(
  importing: Importing,
  tx: Tx,
  transfer: UnitTransfer,
  works: readonly Work[],
  outcomes: LineOutcome[],
  above: ReadonlySet<string>,
): Promise<void> {
  const numbered = await giveNumbers(tx, works.filter((work) => work.added.length > 0));
  const finals = await makeFinals(tx, numbered);
  const followUps = new FollowUps();
  const arrival: Arrival = {
    sourcesOf(row) {
      return listSources(transfer, row as UnitRow).filter((link) => !above.has(link.sourceId));
    },
  };
  const writes = numbered.map((work, i) => toWrite(importing, work, finals[i]!));
  const record = (rows: readonly UnitRow<unknown>[]) => recordImported(tx, rows, works);
  const written = await writeUnits(tx, writes, { followUps, arrival, record });
  const replaced: UnitRow[] = [];
  for (const [i, row] of written.entries()) {
    const { existing, added } = numbered[i]!;
    if (row === undefined) {
      for (const { at } of added) outcomes[at] = refuse("conflict", "Cannot import: its id is taken here");
    } else if (row.version !== existing?.version) replaced.push(row);
  }
  await requireNoCircles(tx, transfer, replaced, above);
  await followUps.runStanding(tx);
}

function toWrite(importing: Importing, work: Numbered, { row, mentions }: Final): UnitWrite<UnitRow["body"]> {
  return { before: work.existing, row, versions: toVersions(importing, work), texts: listTexts(work), mentions };
}

/** Gives the versions the times and authors of the source workspace, if the key may set these. */
function toVersions(importing: Importing, { added, latest }: Numbered): UnitVersion<UnitRow["body"]>[] {
  return added.map(({ row, line }) => {
    const { event, reason, recordedAt, replacedAt, changedBy } = line.revision;
    // The current version's interval is open, even if a later batch brings the version that replaces it.
    const until = row.version === latest!.version ? null : recordedTime(importing, line, replacedAt);
    return {
      row,
      note: { event, reason },
      recorded: {
        at: new Date(recordedTime(importing, line, recordedAt)),
        until: until === null ? null : new Date(until),
        by: authorOf(importing, line, changedBy),
      },
    };
  });
}

function listSources(transfer: UnitTransfer, row: UnitRow): SourceLink[] {
  const linkTo = (kind: SourceLink["kind"]) => (sourceId: string) => ({ unitId: row.id, sourceId, kind });
  return [
    ...row.derivedFrom.map(linkTo("derived_from")),
    ...(transfer.evidenceOf?.(row.body) ?? []).map(linkTo("evidence")),
  ];
}

function sourcesOf(transfer: UnitTransfer, row: UnitRow): string[] {
  return listSources(transfer, row).map(({ sourceId }) => sourceId);
}

/** Lists each new text once, with the sensitivity of the latest version that has this text. */
function listTexts({ added, numbers }: Numbered): NewText[] {
  const latest = new Map(added.map((item) => [item.row.docNo, item]));
  return [...latest.values()].filter(({ row }) => numbers.has(row.docNo)).map(({ row, text }) => ({
    docNo: row.docNo,
    sensitivity: row.sensitivity,
    prepared: text,
  }));
}

/** Records one change-feed entry for each unit, however many versions of it were imported. */
function recordImported(tx: Tx, rows: readonly UnitRow<unknown>[], works: readonly Work[]): void {
  const before = new Map(works.map(({ existing }) => [existing?.id, existing]));
  for (const row of rows) {
    const { sensitivity } = before.get(row.id) ?? row;
    recordUnit(tx, "imported", row, leastSensitive(sensitivity, row.sensitivity));
  }
}

/**
 * Refuses an import by which a unit would rest on itself. Only units that others already rest on can close a cycle, so
 * only these are checked.
 * @throws ServiceError `validation_failed`
 */
async function requireNoCircles(
  tx: Tx,
  transfer: UnitTransfer,
  rows: readonly UnitRow[],
  above: ReadonlySet<string>,
): Promise<void> {
  const named = await imports.findNamedAsSource(tx, rows.map((row) => row.id));
  for (const row of rows) {
    if (!named.has(row.id)) continue;
    const restsOn = sourcesOf(transfer, row).filter((id) => !above.has(id));
    if (restsOn.length === 0 || (await findResting(tx, row.id, restsOn)).length === 0) continue;
    throw new ServiceError("validation_failed", "Cannot import: it would rest on itself");
  }
}
