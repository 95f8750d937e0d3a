/** The states of a fact: pinned, archived, restored, expired, erased. */
import type { OperationContext } from "../../../context.ts";
import type { Tx } from "../../../db/tx.ts";
import { findUnits, lockExpired, readNextEnd } from "../../../db/queries/units.ts";
import type { Fact, FactStatus, ForgetFactReply } from "../../../schema/fact.ts";
import type { ForgetBody } from "../../../schema/unit.ts";
import { eraseUnit } from "../../unit/erase.ts";
import { PURGE_DEADLINE_MS, purgeUnit } from "../../unit/purge.ts";
import { archive } from "../../unit/archive.ts";
import { reviseUnit, reviseUnits } from "../../unit/store.ts";
import { endDue } from "./ending.ts";
import { contestIfRivalled } from "./judgement.ts";
import { type FactBody, type FactRow, LIVE_STATUSES, statusAt, toFact } from "./fields.ts";
import { lockFact, refuseTransition } from "./load.ts";
import { absorbTwins } from "./twins.ts";

export interface ChangeOptions {
  /** The version that the caller expects. */
  readonly ifMatch?: number | undefined;
  readonly reason?: string | undefined;
}

/**
 * Archives a fact in any state; an archived one is returned as it is. It leaves recall and can be restored.
 * @throws ServiceError `not_found`, `erased`, `version_mismatch`
 */
export async function archiveFact(ctx: OperationContext, id: string, options: ChangeOptions = {}): Promise<Fact> {
  return await ctx.tx(async (tx) => {
    const fact = await lockFact(tx, id, options.ifMatch);
    return toFact(await archive(tx, fact, { reason: options.reason ?? null }), tx.now);
  });
}

/**
 * Restores an archived, superseded or expired fact. An archived one returns to its earlier state; a superseded one gets
 * its earlier validity back; an expiry that has passed is removed. If a live fact contradicts it now, it becomes
 * contested and a review opens: the service closes neither. A live fact that says the same is superseded by it.
 * @throws ServiceError `not_found`, `erased`, `version_mismatch`, `invalid_transition`
 */
export async function restoreFact(ctx: OperationContext, id: string, options: ChangeOptions = {}): Promise<Fact> {
  return await ctx.tx(async (tx) => {
    const fact = await lockFact(tx, id, options.ifMatch);
    return toFact(await reinstate(tx, fact, options.reason ?? null), tx.now);
  });
}

/**
 * Restores a fact that the transaction has locked.
 * @param event `updated`: its readers must not learn that it was out of force
 * @throws ServiceError `invalid_transition`
 */
export async function reinstate(
  tx: Tx,
  fact: FactRow,
  reason: string | null,
  event: "restored" | "updated" = "restored",
): Promise<FactRow> {
  const status = statusAt(fact, tx.now);
  if (status !== "archived" && status !== "superseded" && status !== "expired") {
    throw refuseTransition(tx, fact, "restore");
  }
  const next = reopen(fact, status, tx.now);
  const row = await contestIfRivalled(tx, fact, next, { event, reason });
  if (status === "superseded" && row.status !== "superseded") await detachSuccessor(tx, fact);
  return (await absorbTwins(tx, row, "restored")).row;
}

/** The fact as it was before it was archived, superseded or expired. */
function reopen(fact: FactRow, status: FactStatus, now: Date): FactRow {
  const { before, archivedFrom, ...body } = fact.body;
  const expiresAt = fact.expiresAt !== null && fact.expiresAt <= now ? null : fact.expiresAt;
  if (status === "archived") {
    const target = archivedFrom ?? "active";
    const isBackInForce = target === "active" || target === "contested";
    return {
      ...fact,
      // The facts that contested it may no longer exist: the ones that contradict it now decide.
      status: isBackInForce ? "active" : target,
      expiresAt: isBackInForce ? expiresAt : fact.expiresAt,
      body: before === undefined ? body : { ...body, before },
    };
  }
  if (status === "expired") return { ...fact, status: "active", expiresAt };
  return {
    ...fact,
    status: "active",
    expiresAt,
    ...(before?.validFrom !== undefined && { validFrom: dateOf(before.validFrom) }),
    validTo: dateOf(before?.validTo),
    body: { ...body, supersededBy: null },
  };
}

function dateOf(text: string | null | undefined): Date | null {
  return text == null ? null : new Date(text);
}

/** Clears `supersedes` of the fact that took its place, if it names this one. */
async function detachSuccessor(tx: Tx, fact: FactRow): Promise<void> {
  const { supersededBy } = fact.body;
  if (supersededBy === null) return;
  const [successor] = await findUnits<FactBody>(tx, [supersededBy], { type: "fact", lock: "update" });
  if (successor?.body.supersedes !== fact.id) return;
  await reviseUnit(tx, successor, { body: { ...successor.body, supersedes: null } }, {
    event: "updated",
    reason: `${fact.id}, which it superseded, was restored`,
  });
}

/**
 * Pins a fact, or removes the pin. Doing so twice changes nothing.
 * @throws ServiceError `not_found`, `erased`, `version_mismatch`
 */
export async function pinFact(
  ctx: OperationContext,
  id: string,
  pinned: boolean,
  options: ChangeOptions = {},
): Promise<Fact> {
  return await ctx.tx(async (tx) => {
    const fact = await lockFact(tx, id, options.ifMatch);
    if (fact.pinned === pinned) return toFact(fact, tx.now);
    const event = pinned ? "pinned" : "unpinned";
    return toFact(await reviseUnit(tx, fact, { pinned }, { event, reason: options.reason ?? null }), tx.now);
  });
}

/**
 * Archives a fact, or erases it for ever.
 * @throws ServiceError `not_found`, `erased`, `version_mismatch`; `insufficient_scope` when a part of its history is
 *   above the key's clearance.
 */
export async function forgetFact(
  ctx: OperationContext,
  id: string,
  body: ForgetBody,
  options: Pick<ChangeOptions, "ifMatch"> = {},
): Promise<ForgetFactReply> {
  const { mode, reason, cascade } = body;
  if (mode === "archive") return { mode, fact: await archiveFact(ctx, id, { ...options, reason }) };
  return await ctx.tx(async (tx) => {
    const fact = await lockFact(tx, id, options.ifMatch);
    if (cascade) return { mode, receipt: await purgeUnit(ctx, tx, fact, reason ?? null) };
    return { mode, receipt: await eraseUnit(ctx, tx, fact, reason ?? null) };
  }, cascade ? { deadlineMs: PURGE_DEADLINE_MS } : undefined);
}

/** The most facts that expire in one transaction. */
const EXPIRE_MAX = 500;

/**
 * Marks facts whose `expiresAt` has passed as expired, and facts that another one has replaced by
 * now as superseded, at most 500 of each. Readers see them so already; this writes the revision and
 * releases the facts that they kept contested.
 * @returns how many it marked; call again until it is 0
 */
export async function expireDueFacts(ctx: OperationContext): Promise<number> {
  return await ctx.tx(async (tx) => {
    const due = await lockExpired<FactBody>(tx, "fact", LIVE_STATUSES, EXPIRE_MAX);
    await expireFacts(tx, due);
    return due.length + await endDue(tx, EXPIRE_MAX);
  });
}

/** When the next fact expires, or ends because another one takes its place. */
export async function nextExpiryAt(ctx: OperationContext): Promise<Date | undefined> {
  return await ctx.tx((tx) => readNextEnd(tx, "fact", LIVE_STATUSES), { readOnly: true });
}

/** Marks due facts, which the transaction has locked, as expired. */
export async function expireFacts(tx: Tx, facts: readonly FactRow[]): Promise<FactRow[]> {
  return await reviseUnits(
    tx,
    facts.map((unit) => ({
      unit,
      changes: { status: "expired" },
      note: { event: "expired", reason: `its expiry was ${unit.expiresAt!.toISOString()}` },
    })),
  );
}
