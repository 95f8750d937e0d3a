/** Revises knowledge units of any kind. A patch that changes nothing makes no revision. */
import type { OperationContext } from "../../context.ts";
import { canonicalJson } from "../../crypto/canonical_json.ts";
import type { UnitRow } from "../../db/queries/unit_columns.ts";
import { lockNames } from "../../db/queries/units.ts";
import type { Tx } from "../../db/tx.ts";
import { ServiceError } from "../../errors.ts";
import type { UnitInput } from "../../schema/unit.ts";
import { type PreparedText, prepareTexts } from "./indexing.ts";
import { requireClaimable, requireClearance, trustOf } from "./trust.ts";
import { requireUnit, requireVersion, reviseUnit } from "./store.ts";
import { type AnyKind, type KindPatch, patchedBody, saidColumns, toUnit, type UnitKind } from "./kind.ts";
import { findSources, supportOf } from "./support.ts";

/** How often a unit is read again if it changes meanwhile. */
const ATTEMPTS_MAX = 3;

/**
 * Revises a unit.
 * @throws ServiceError `not_found`, `erased`, `version_mismatch`, `invalid_transition`, `validation_failed`,
 *   `insufficient_scope`
 */
export async function updateUnit<Unit, Body extends object, Create extends UnitInput, Update extends KindPatch>(
  ctx: OperationContext,
  kind: UnitKind<Body, Create, Update>,
  id: string,
  patch: Update,
  ifMatch: number | undefined,
): Promise<Unit> {
  if (patch.attribution !== undefined) requireClaimable(ctx, patch.attribution);
  if (patch.sensitivity !== undefined) requireClearance(ctx, patch.sensitivity);
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    // The text comes from the whole body, so the body is read before the text is analysed outside the transaction.
    const seen = await ctx.tx(
      async (tx) => await requireUnit<Body>(tx, kind.type, await kind.resolveId?.(tx, id) ?? id),
      { readOnly: true },
    );
    requireVersion(seen, ifMatch);
    const text = kind.textOf(patchedBody(kind, seen.body, patch, ctx.deps.clock()));
    const [prepared] = text === seen.text
      ? []
      : await prepareTexts(ctx, [{ kind: kind.type, sensitivity: "internal", text }]);
    const row = await ctx.tx((tx) => applyUnitUpdate(ctx, tx, kind, seen.id, patch, { ifMatch, prepared }));
    if (row !== undefined) return toUnit<Unit>(row);
  }
  throw new ServiceError("conflict", `Cannot change the ${kind.type}: other requests keep changing it; try again`);
}

interface Options {
  readonly ifMatch: number | undefined;
  readonly prepared: PreparedText | undefined;
}

/**
 * Applies a patch in an open transaction; errors as `updateUnit`. Undefined: the text was changed meanwhile, so that
 * the caller has to analyse another one; nothing is written.
 */
export async function applyUnitUpdate<Body extends object, Create extends UnitInput, Update extends KindPatch>(
  ctx: OperationContext,
  tx: Tx,
  kind: UnitKind<Body, Create, Update>,
  givenId: string,
  patch: Update,
  { ifMatch, prepared }: Options,
): Promise<UnitRow<Body> | undefined> {
  const { id, names } = await lockNamesOf(tx, kind, givenId, patch);
  const unit = await requireUnit<Body>(tx, kind.type, id, { lock: "update" });
  requireVersion(unit, ifMatch);
  const status = requireTransition(kind, unit, patch.status);
  const next = await applyPatch(tx, kind, unit, patch, status);
  if (next.text !== unit.text && next.text !== prepared?.text) return undefined;
  if (kind.namesOf?.(next.body).some((name) => !names.includes(name))) return undefined;
  requireRevisable(ctx, unit, next);
  if (canonicalJson(toUnit(next)) === canonicalJson(toUnit(unit))) return unit;
  const evidence = kind.evidenceOf?.(next.body);
  const isOther = evidence?.join() !== kind.evidenceOf?.(unit.body).join();
  const evidenceIds = isOther ? evidence : undefined;
  const event = status === unit.status ? "updated" : eventOf(unit.status, status);
  const row = await reviseUnit(tx, unit, next, { event, reason: patch.reason ?? null, prepared, evidenceIds });
  await kind.onRevised?.(tx, unit, row);
  return row;
}

/** Takes the locks of writers of such a unit, before the row that the id leads to is locked. */
async function lockNamesOf<Body extends object, Create extends UnitInput, Update extends KindPatch>(
  tx: Tx,
  kind: UnitKind<Body, Create, Update>,
  givenId: string,
  patch: Update,
): Promise<{ readonly id: string; readonly names: readonly string[] }> {
  if (kind.namesOf === undefined) return { id: givenId, names: [] };
  const seen = await requireUnit<Body>(tx, kind.type, await kind.resolveId?.(tx, givenId) ?? givenId);
  const names = kind.namesOf(patchedBody(kind, seen.body, patch, tx.now));
  await lockNames(tx, names);
  // In the meantime the unit may have been merged into another one.
  return { id: await kind.resolveId?.(tx, givenId) ?? givenId, names };
}

/** The name of a change of state in the feed and the history. */
function eventOf(from: string, to: string): string {
  return from === "archived" ? "restored" : to;
}

/**
 * The state after a patch.
 * @throws ServiceError `invalid_transition`, with the states to which the patch may bring it.
 */
function requireTransition(kind: AnyKind, unit: UnitRow<unknown>, status: string | undefined): string {
  const legal = kind.transitions[unit.status] ?? [];
  if (status !== undefined && status !== unit.status && !legal.includes(status)) {
    const states = legal.length === 0 ? "no other state" : legal.join(" or ");
    throw new ServiceError(
      "invalid_transition",
      `Cannot make the ${kind.type} ${status}: it is ${unit.status}, from where a change leads to ${states}`,
    );
  }
  const next = status ?? unit.status;
  if (kind.editable.includes(next)) return next;
  // A patch may bring the unit into such a state, but not change it there.
  if (next !== unit.status) return next;
  const hint = legal.length === 0 ? "" : `; make it ${legal.join(" or ")} first, or in the same change`;
  throw new ServiceError("invalid_transition", `Cannot change the ${kind.type}: it is ${unit.status}${hint}`);
}

/** The row after the patch. */
async function applyPatch<Body extends object, Create extends UnitInput, Update extends KindPatch>(
  tx: Tx,
  kind: UnitKind<Body, Create, Update>,
  unit: UnitRow<Body>,
  patch: Update,
  status: string,
): Promise<UnitRow<Body>> {
  const body = patchedBody(kind, unit.body, patch, tx.now);
  const evidence = kind.evidenceOf?.(unit.body) ?? [];
  const nextEvidence = kind.evidenceOf?.(body) ?? [];
  const isSame = evidence.join() === nextEvidence.join();
  const links = { derivedFrom: patch.derivedFrom, evidenceIds: isSame ? undefined : nextEvidence };
  const isRelinked = links.derivedFrom !== undefined || links.evidenceIds !== undefined;
  const named = isRelinked
    ? await findSources(tx, [...(patch.derivedFrom ?? unit.derivedFrom), ...nextEvidence])
    : new Map();
  const support = supportOf(unit, named, links, evidence);
  const attribution = patch.attribution ?? unit.attribution;
  return {
    ...unit,
    ...saidColumns(kind, body, status),
    status,
    attribution,
    ...support,
    trustScore: trustOf(attribution, support.trustCap),
    stale: patch.stale === false ? false : support.stale,
    confidence: patch.confidence ?? unit.confidence,
    sensitivity: patch.sensitivity ?? unit.sensitivity,
    tags: patch.tags === undefined ? unit.tags : [...new Set(patch.tags)],
    metadata: patch.metadata ?? unit.metadata,
    pinned: patch.pinned ?? unit.pinned,
  };
}

/** Only callers who may verify can reword a verified unit or change its state. */
function requireRevisable(ctx: OperationContext, unit: UnitRow<object>, next: UnitRow<object>): void {
  const isOther = unit.contentHash !== next.contentHash || unit.status !== next.status;
  if (isOther && next.attribution === "verified") requireVerifier(ctx, unit);
}

/** @throws ServiceError `insufficient_scope` when a caller who may not verify changes a verified unit. */
export function requireVerifier(ctx: OperationContext, unit: Pick<UnitRow<unknown>, "attribution" | "type">): void {
  if (unit.attribution !== "verified" || ctx.scopes.has("memory:admin")) return;
  throw new ServiceError(
    "insufficient_scope",
    `Cannot change what a verified ${unit.type} says: the key lacks the scope memory:admin`,
  );
}
