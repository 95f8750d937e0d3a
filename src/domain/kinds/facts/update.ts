/** Revises facts: each change creates a revision. */
import type { OperationContext } from "../../../context.ts";
import type { Tx } from "../../../db/tx.ts";
import type { UnitRow } from "../../../db/queries/unit_columns.ts";
import { ServiceError } from "../../../errors.ts";
import { canonicalJson } from "../../../crypto/canonical_json.ts";
import type { FactConflict, UpdateFactBody, WrittenFact } from "../../../schema/fact.ts";
import { aliasesOf, withAliases } from "../../unit/aliases.ts";
import { supportOf } from "../../unit/support.ts";
import { openNamesOf } from "../entities/open_names.ts";
import { type PreparedText, prepareTexts } from "../../unit/indexing.ts";
import { requireClaimable, requireClearance, trustOf } from "../../unit/trust.ts";
import { type ReviseNote, reviseUnit, reviseUnits, type Revision } from "../../unit/store.ts";
import { findCited, findNamed, requireCited, requireEntities, requireFuture } from "./claims.ts";
import { contradicts, endOf, judge, listOutdated, worldTime } from "./conflicts.ts";
import { toWrittenFact } from "./create.ts";
import { findCandidates, pickDuplicate, toStatement } from "./duplicates.ts";
import {
  derivedColumns,
  type FactBody,
  type FactRow,
  isLive,
  isOtherClaim,
  isOtherTriple,
  statementKey,
  toFact,
} from "./fields.ts";
import { listEndedBy, reopening } from "./ending.ts";
import { isGiven, isGivenInPart } from "./inferred.ts";
import {
  applyJudgement,
  type FactVerdict,
  isEndedBy,
  isEnding,
  joinOutdated,
  NO_CONFLICT,
  outdatingColumns,
  supersession,
  withoutEnd,
} from "./judgement.ts";
import { lockFact, refuseTransition } from "./load.ts";
import { absorbTwins } from "./twins.ts";
import { lockLiveRivals, openOutdating, openReview, readSettings } from "./lock_rivals.ts";

/**
 * Revises a live fact. Conflict detection judges it again, as if it were stated now. A patch that changes nothing makes
 * no revision.
 * @throws ServiceError `not_found`, `erased`, `version_mismatch`, `invalid_transition`, `validation_failed`,
 * `insufficient_scope`
 */
export async function updateFact(
  ctx: OperationContext,
  id: string,
  body: UpdateFactBody,
  ifMatch: number | undefined,
): Promise<WrittenFact> {
  const prepared = await prepareFactUpdate(ctx, body);
  return await ctx.tx((tx) => applyFactUpdate(ctx, tx, id, body, { ifMatch, prepared }));
}

/**
 * Checks, analyses and embeds a patch, without the database; undefined if the text stays.
 * @throws ServiceError `validation_failed`, `insufficient_scope`
 */
export async function prepareFactUpdate(
  ctx: OperationContext,
  body: UpdateFactBody,
): Promise<PreparedText | undefined> {
  if (body.attribution !== undefined) requireClaimable(ctx, body.attribution);
  if (body.sensitivity !== undefined) requireClearance(ctx, body.sensitivity);
  requireFuture(body.expiresAt, ctx.deps.clock());
  const [prepared] = body.statement === undefined
    ? []
    : await prepareTexts(ctx, [{ kind: "fact", sensitivity: "internal", text: body.statement }]);
  return prepared;
}

interface Options {
  readonly ifMatch: number | undefined;
  readonly prepared: PreparedText | undefined;
  /** A patch that changes nothing is also accepted for a fact that is not in force. */
  readonly mayRest?: boolean;
}

/** Applies a prepared patch in an open transaction. Errors as `updateFact`. */
export async function applyFactUpdate(
  ctx: OperationContext,
  tx: Tx,
  id: string,
  body: UpdateFactBody,
  options: Options,
): Promise<WrittenFact> {
  const fact = await lockFact(tx, id, options.ifMatch);
  const refuseOver = () => refuseTransition(tx, fact, "change", "; restore it first");
  const isOver = !isLive(fact, tx.now);
  if (isOver && options.mayRest !== true) throw refuseOver();
  requireCited(await findCited(tx, [body]), body);
  const next = applyPatch(tx, fact, body, await findNamed(tx, [body]));
  requireRevisable(ctx, fact, next);
  if (isUnchanged(fact, next, tx.now)) {
    return toWrittenFact({ row: fact, duplicateOf: null, conflict: NO_CONFLICT }, tx.now);
  }
  if (isOver) throw refuseOver();
  const note = { reason: body.reason ?? null, prepared: options.prepared };
  if (body.status === "retracted") {
    const row = await reviseUnit(tx, fact, next, { event: "retracted", ...note });
    return toWrittenFact({ row, duplicateOf: null, conflict: NO_CONFLICT }, tx.now);
  }
  if (isOtherClaim(fact, next)) await openNamesOf(ctx, tx, [{ unit: next, prepared: options.prepared }]);
  const { tracer } = ctx.deps.telemetry;
  const { row: settled, conflict: found } = await tracer.span(
    "svc.write.conflict_detection",
    { facts: 1 },
    () => settleRevision(tx, fact, next, { event: "updated", ...note }),
  );
  const saysElse = isOtherClaim(fact, settled) || statementKey(fact.body) !== statementKey(settled.body);
  const { row, absorbed } = saysElse ? await absorbTwins(tx, settled, "changed") : { row: settled, absorbed: [] };
  const conflict = absorbed.length > 0 && found.outcome === "none"
    ? { ...found, outcome: "superseded" as const, factIds: [...absorbed] }
    : found;
  const duplicateOf = options.prepared === undefined ? null : await findDuplicate(tx, row, options.prepared);
  return toWrittenFact({ row, duplicateOf, conflict }, tx.now);
}

/** The row after the patch, before conflict detection. */
function applyPatch(tx: Tx, fact: FactRow, body: UpdateFactBody, named: ReadonlyMap<string, UnitRow>): FactRow {
  const date = (value: string | null | undefined, old: Date | null) =>
    value === undefined ? old : value === null ? null : new Date(value);
  const validFrom = date(body.validFrom, fact.validFrom);
  const validTo = date(body.validTo, fact.validTo);
  if (validFrom !== null && validTo !== null && validTo < validFrom) {
    throw new ServiceError("validation_failed", "Cannot change the fact: validTo is before validFrom", {
      errors: [{ path: "validTo", message: "must not be before validFrom" }],
    });
  }
  const attribution = body.attribution ?? fact.attribution;
  const support = supportOf(fact, named, { derivedFrom: body.derivedFrom });
  const pick = <K extends "subject" | "predicate" | "object">(name: K) =>
    body[name] === undefined ? fact.body[name] : body[name];
  const derived = derivedColumns(withAliases({
    ...fact.body,
    statement: body.statement ?? fact.body.statement,
    subject: pick("subject"),
    predicate: pick("predicate"),
    object: pick("object"),
    ...(body.exclusive !== undefined && { exclusive: body.exclusive ?? undefined }),
    ...(body.claims !== undefined && { claimless: body.claims === null ? undefined : true as const }),
    factType: body.factType ?? fact.body.factType,
    citations: body.citations ?? fact.body.citations,
  }, body.aliases ?? aliasesOf(fact.body)));
  const isReworded = ([body.statement, body.subject, body.predicate, body.object, body.claims] as unknown[])
    .some((said) => said !== undefined);
  return {
    ...fact,
    attribution,
    ...support,
    trustScore: trustOf(attribution, support.trustCap),
    stale: body.stale === false ? false : support.stale,
    confidence: body.confidence ?? fact.confidence,
    sensitivity: body.sensitivity ?? fact.sensitivity,
    tags: body.tags === undefined ? fact.tags : [...new Set(body.tags)],
    metadata: body.metadata ?? fact.metadata,
    pinned: body.pinned ?? fact.pinned,
    ...(isReworded || isGivenInPart(fact.body) ? derived : keepRead(fact, derived)),
    validFrom,
    validTo,
    occurredAt: date(body.occurredAt, fact.occurredAt),
    expiresAt: date(body.expiresAt, fact.expiresAt),
    entityIds: body.entityIds === undefined
      ? fact.entityIds
      : requireEntities(named, body.entityIds, body.sensitivity ?? fact.sensitivity),
    ...(body.status === "retracted" && { status: "retracted", retractedAt: tx.now }),
  };
}

/** The columns with the claims that the rules read when the statement was written; they may read others now. */
function keepRead(fact: FactRow, derived: ReturnType<typeof derivedColumns>) {
  const { claims: _, ...body } = derived.body;
  const { claims, folded } = fact.body;
  return { ...derived, tripleKey: fact.tripleKey, body: { ...body, folded, ...(claims && { claims }) } };
}

/** Only callers who may verify can reword a verified fact. */
function requireRevisable(ctx: OperationContext, fact: FactRow, next: FactRow): void {
  if (next.attribution !== "verified" || !isOtherClaim(fact, next) || ctx.scopes.has("memory:admin")) return;
  throw new ServiceError(
    "insufficient_scope",
    "Cannot change what a verified fact says: the key lacks the scope memory:admin; otherwise give another attribution",
  );
}

function isUnchanged(a: FactRow, b: FactRow, time: Date): boolean {
  return canonicalJson(toFact(a, time)) === canonicalJson(toFact(b, time));
}

/**
 * Writes the new content of a fact. Conflict detection runs if it says something else, or is contested and trusted more
 * than before; `byClaims: false`: only among triples that were given.
 */
export async function settleRevision(
  tx: Tx,
  fact: FactRow,
  said: FactRow,
  note: ReviseNote,
  { byClaims = true }: { readonly byClaims?: boolean } = {},
): Promise<{ readonly row: FactRow; readonly conflict: FactConflict }> {
  const known = (await readSettings(tx, [said]))(said);
  const gainsTrust = fact.status === "contested" && said.trustScore > fact.trustScore;
  const isOther = isOtherClaim(fact, said) || isOtherTriple(fact, said) || fact.body.exclusive !== said.body.exclusive;
  if (!isOther && !gainsTrust) return { row: await reviseUnit(tx, fact, known!, note), conflict: NO_CONFLICT };
  const next = openEnd(fact, known!);
  const live = await lockLiveRivals(tx, [fact, next, ...await listEndedBy(tx, [fact])]);
  // Facts that this one was to supersede on its day are judged again: the day may have changed.
  const waiting = new Map(live.filter((row) => isEndedBy(row, fact.id)).map((row) => [row.id, row]));
  const rivals = byClaims ? live : live.filter(({ body }) => isGiven(body) && isGiven(next.body));
  const judgement = judge(next, rivals.map((row) => waiting.has(row.id) ? withoutEnd(row) : row), tx.now);
  const verdict = applyJudgement(next, judgement, tx.now);
  const saysElse = byClaims && isReworded(fact, next);
  const { row: revised, conflict: found } = saysElse || (byClaims && verdict.below.length > 0)
    ? await markOutdated(tx, next, verdict, live)
    : { row: { ...next, ...verdict.changes }, conflict: verdict.conflict };
  const reviewItemId = found.outcome === "contested"
    ? await openReview(tx, revised, judgement.rivals)
    : found.reviewItemId;
  const closed = verdict.closed.map((revision) => ({
    ...revision,
    unit: waiting.get(revision.unit.id) ?? revision.unit,
  }));
  for (const { unit } of closed) waiting.delete(unit.id);
  const others = live.filter(({ id }) => id !== fact.id && !waiting.has(id));
  const moved = [...waiting.values()].flatMap((row) => moveEnd(tx, row, fact, revised, [...others, revised]));
  const handled = new Set([...closed, ...moved].map(({ unit }) => unit.id));
  const freed = saysElse ? live.filter(({ id }) => !handled.has(id)).flatMap((row) => unmark(row, fact)) : [];
  const revision = { unit: fact, changes: revised, note: { ...note, reason: note.reason ?? verdict.endReason } };
  const rows = await reviseUnits(tx, [...closed, ...moved, ...freed, revision]);
  return { row: rows.at(-1)!, conflict: { ...found, reviewItemId } };
}

/** Whether a fact now says something else, apart from when it holds. */
function isReworded(fact: FactRow, next: FactRow): boolean {
  return fact.contentHash !== next.contentHash || isOtherTriple(fact, next) ||
    fact.body.claims?.length !== next.body.claims?.length;
}

/** Marks the facts that a reworded fact now likely outdates, and opens a review of them, as for a new fact. */
async function markOutdated(
  tx: Tx,
  next: FactRow,
  { changes, closed, conflict, below }: FactVerdict,
  live: readonly FactRow[],
): Promise<{ readonly row: FactRow; readonly conflict: FactConflict }> {
  const judged = { ...next, ...changes, body: { ...(changes.body ?? next.body), outdates: undefined } };
  const ended = new Set(closed.map(({ unit }) => unit.id));
  const likely = listOutdated(judged, live.filter(({ id }) => !ended.has(id)), tx.now);
  const outdated = joinOutdated(likely, below);
  const row = { ...judged, ...outdatingColumns(judged, outdated) };
  if (outdated.length === 0 || conflict.outcome !== "none") return { row, conflict };
  const facts = outdated.map((one) => one.fact);
  const reviewItemId = await openOutdating(tx, row, facts);
  return { row, conflict: { outcome: "outdates", factIds: facts.map(({ id }) => id), reviewItemId } };
}

/**
 * Revises a fact that ends on a later day because the patched fact takes its place then. If the two contradicted each
 * other and no longer do, its end is determined anew. If the patched fact now begins on another day, the end moves with
 * it. An end that a relation has set does not change.
 */
function moveEnd(
  tx: Tx,
  row: FactRow,
  before: FactRow,
  after: FactRow,
  others: readonly FactRow[],
): Revision<FactBody>[] {
  const open = withoutEnd(row);
  if (contradicts(before, open)) {
    return [reopening(row, others, tx.now, `${after.id} does not take its place any more`)];
  }
  const dayOf = (fact: FactRow) => endOf(open, worldTime(fact) ?? fact.recordedAt).getTime();
  if (row.validTo?.getTime() !== dayOf(before) || dayOf(after) === dayOf(before)) return [];
  const closesAt = new Date(dayOf(after));
  const reason = `${after.id}, which takes its place, begins at ${closesAt.toISOString()}`;
  const { changes, note } = supersession(open, { by: after.id, closesAt, now: tx.now, reason });
  return [{ unit: row, changes, note }];
}

/** Removes the mark from a fact that likely outdated a fact which is now reworded: the reworded fact was said last. */
function unmark(row: FactRow, reworded: FactRow): Revision<FactBody>[] {
  if (row.body.outdates?.includes(reworded.id) !== true) return [];
  const left = row.body.outdates.filter((id) => id !== reworded.id);
  const body = { ...row.body, outdates: left.length > 0 ? left : undefined };
  return [{
    unit: row,
    changes: { body },
    note: { event: "updated", reason: `${reworded.id} says something else now` },
  }];
}

/** A patched fact without the end that another fact gave it, which is found again. An end in the patch stays. */
function openEnd(fact: FactRow, next: FactRow): FactRow {
  if (!isEnding(fact)) return next;
  const open = withoutEnd(next);
  return next.validTo?.getTime() === fact.validTo?.getTime() ? open : { ...open, validTo: next.validTo };
}

async function findDuplicate(tx: Tx, fact: FactRow, prepared: PreparedText): Promise<string | null> {
  const statement = toStatement(fact.text, prepared);
  const [candidates] = await findCandidates(tx, [statement]);
  return pickDuplicate(fact, statement.gist, candidates!);
}
