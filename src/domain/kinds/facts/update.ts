/** Revising facts: each change creates a revision. */
import type { OperationContext } from "../../../context.ts";
import type { Tx } from "../../../db/tx.ts";
import type { UnitRow } from "../../../db/queries/units.ts";
import { ServiceError } from "../../../errors.ts";
import { canonicalJson } from "../../../crypto/canonical_json.ts";
import type { FactConflict, UpdateFactBody, WrittenFact } from "../../../schema/fact.ts";
import { aliasesOf, withAliases } from "../../unit/aliases.ts";
import { supportOf } from "../../unit/support.ts";
import { openNamesOf } from "../entities/open_names.ts";
import { type PreparedText, prepareTexts } from "../../unit/indexing.ts";
import { requireClaimable, requireClearance, trustOf } from "../../unit/trust.ts";
import { type ReviseNote, reviseUnit, reviseUnits } from "../../unit/store.ts";
import { findCited, findNamed, requireCited, requireEntities, requireFuture } from "./claims.ts";
import { judge } from "./conflicts.ts";
import { toWrittenFact } from "./create.ts";
import { findCandidates, pickDuplicate, toStatement } from "./duplicates.ts";
import { derivedColumns, type FactRow, isLive, isOtherClaim, isOtherTriple, toFact } from "./fields.ts";
import { applyJudgement, NO_CONFLICT } from "./judgement.ts";
import { lockFact, refuseTransition } from "./load.ts";
import { lockLiveRivals, openReview } from "./settle.ts";

/**
 * Revises a live fact. What it says goes through conflict detection again, as something stated now. A patch that
 * changes nothing makes no revision.
 * @throws ServiceError `not_found`, `erased`, `version_mismatch`, `invalid_transition`, `validation_failed`,
 *   `insufficient_scope`
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
 * Checks, analyses and embeds a patch, without the database; undefined where the text stays.
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
  if (!isLive(fact, tx.now)) throw refuseTransition(tx, fact, "change", "; restore it first");
  requireCited(await findCited(tx, [body]), body);
  const next = applyPatch(tx, fact, body, await findNamed(tx, [body]));
  requireRevisable(ctx, fact, next);
  if (isUnchanged(fact, next, tx.now)) {
    return toWrittenFact({ row: fact, duplicateOf: null, conflict: NO_CONFLICT }, tx.now);
  }
  const note = { reason: body.reason ?? null, prepared: options.prepared };
  if (body.status === "retracted") {
    const row = await reviseUnit(tx, fact, next, { event: "retracted", ...note });
    return toWrittenFact({ row, duplicateOf: null, conflict: NO_CONFLICT }, tx.now);
  }
  if (isOtherClaim(fact, next)) await openNamesOf(ctx, tx, [{ unit: next, prepared: options.prepared }]);
  const { tracer } = ctx.deps.telemetry;
  const { row, conflict } = await tracer.span(
    "svc.write.conflict_detection",
    { facts: 1 },
    () => settleRevision(tx, fact, next, { event: "updated", ...note }),
  );
  const duplicateOf = options.prepared === undefined ? null : await findDuplicate(tx, row, options.prepared);
  return toWrittenFact({ row, duplicateOf, conflict }, tx.now);
}

/** The row with the patch in it; conflicts are not looked for yet. */
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
    ...derivedColumns(withAliases({
      ...fact.body,
      statement: body.statement ?? fact.body.statement,
      subject: pick("subject"),
      predicate: pick("predicate"),
      object: pick("object"),
      factType: body.factType ?? fact.body.factType,
      citations: body.citations ?? fact.body.citations,
    }, body.aliases ?? aliasesOf(fact.body))),
    validFrom,
    validTo,
    occurredAt: date(body.occurredAt, fact.occurredAt),
    expiresAt: date(body.expiresAt, fact.expiresAt),
    entityIds: body.entityIds === undefined ? fact.entityIds : requireEntities(named, body.entityIds),
    ...(body.status === "retracted" && { status: "retracted", retractedAt: tx.now }),
  };
}

/** What is verified is only reworded by those who may verify. */
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
 * Writes what the fact says now. Conflicts are looked for where it says something else, or is contested and trusted more
 * than before.
 */
export async function settleRevision(
  tx: Tx,
  fact: FactRow,
  next: FactRow,
  note: ReviseNote,
): Promise<{ readonly row: FactRow; readonly conflict: FactConflict }> {
  const gainsTrust = fact.status === "contested" && next.trustScore > fact.trustScore;
  if (!isOtherClaim(fact, next) && !isOtherTriple(fact, next) && !gainsTrust) {
    return { row: await reviseUnit(tx, fact, next, note), conflict: NO_CONFLICT };
  }
  const judgement = judge(next, await lockLiveRivals(tx, [next]), tx.now);
  const { changes, closed, conflict } = applyJudgement(next, judgement);
  const revised = { ...next, ...changes };
  const reviewItemId = conflict.outcome === "contested" ? await openReview(tx, revised, judgement.rivals) : null;
  const rows = await reviseUnits(tx, [...closed, { unit: fact, changes: revised, note }]);
  return { row: rows.at(-1)!, conflict: { ...conflict, reviewItemId } };
}

async function findDuplicate(tx: Tx, fact: FactRow, prepared: PreparedText): Promise<string | null> {
  const statement = toStatement(fact.text, prepared);
  const [candidates] = await findCandidates(tx, [statement]);
  return pickDuplicate(fact, statement.gist, candidates!);
}
