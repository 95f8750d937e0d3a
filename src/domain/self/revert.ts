/**
 * Reverts an edit: every unit that it changed gets its earlier content back, and units that it added are archived. A
 * revert is an edit too, applied as a whole or not at all, and can itself be reverted.
 */
import type { OperationContext } from "../../context.ts";
import { uuidv7 } from "../../crypto/ids.ts";
import type { Tx } from "../../db/tx.ts";
import * as queries from "../../db/queries/self_edits.ts";
import type { EditedUnit, SelfEditRow, StoredOperation } from "../../db/queries/self_edits.ts";
import { findUnits } from "../../db/queries/units.ts";
import { ServiceError } from "../../errors.ts";
import type { RevertSelfEditBody, SelfEdit } from "../../schema/self_edit.ts";
import { LIVE_STATUSES } from "../kinds/facts/fields.ts";
import { typesWhere } from "../kinds/registry.ts";
import { findRelations } from "../../db/queries/relations.ts";
import { openReviewItem } from "../unit/review_item.ts";
import { mostSensitive } from "../unit/trust.ts";
import { requireVersion } from "../unit/store.ts";
import { finishEdit, recordEdit, requireEdit } from "./read.ts";
import { applyAll, refusedRow, reviewRow, type StoredResult, withContents } from "./outcomes.ts";
import { BeyondRight, TextChanged } from "./rights.ts";
import { prepareReverts, type RevertOperation } from "./revert_operations.ts";
import { sensitivityOf } from "./sensitivity.ts";

const ATTEMPTS_MAX = 3;
const DEADLINE_MS = 60_000;
const CONTESTABLE = new Set<string>(typesWhere(({ isContestable }) => isContestable));

interface Plan {
  readonly edit: SelfEditRow;
  readonly operations: readonly RevertOperation[];
  /** Operations that cannot be reverted, each with the reason. */
  readonly lost: readonly { readonly operation: RevertOperation; readonly refusal: ServiceError }[];
}

/**
 * Reverts an edit.
 * @throws ServiceError `not_found`, `version_mismatch`; `erased` when everything that it changed was erased;
 * `invalid_transition` when it is reverted already or changed nothing that can be reverted; `conflict` with
 * `changedSince` when something was changed since
 */
export async function revertSelfEdit(
  ctx: OperationContext,
  id: string,
  body: RevertSelfEditBody,
  ifMatch: number | undefined,
): Promise<SelfEdit> {
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const plan = await ctx.tx((tx) => planRevert(tx, id, body.force), { readOnly: true });
    requireVersion(plan.edit, ifMatch);
    const ready = await prepareReverts(ctx, plan.operations);
    try {
      return await ctx.tx((tx) => storeReverted(ctx, tx, plan, ready, body), { deadlineMs: DEADLINE_MS });
    } catch (error) {
      if (error instanceof BeyondRight) return await ctx.tx((tx) => storeForReview(tx, plan, ready, body, error));
      if (!(error instanceof TextChanged)) throw error;
    }
  }
  throw new ServiceError("conflict", "Cannot revert the edit: other requests keep changing the same units; try again");
}

type Ready = Awaited<ReturnType<typeof prepareReverts>>;

async function planRevert(tx: Tx, id: string, force: boolean): Promise<Plan> {
  const edit = requireRevertible(requireEdit(await queries.findSelfEdit(tx, id)));
  const stored = await queries.listOperations(tx, [id]);
  const nets = netChanges(stored);
  if (nets.length === 0) throw new ServiceError("invalid_transition", "Cannot revert the edit: it changed nothing");
  const ids = nets.map((net) => net.id);
  const [units, relations] = await Promise.all([findUnits(tx, ids), findRelations(tx, ids)]);
  const present = new Map<string, { readonly version: number; readonly status: string }>(
    [...units, ...relations].map((found) => [found.id, found]),
  );
  const operations: RevertOperation[] = [];
  const lost: { operation: RevertOperation; refusal: ServiceError }[] = [];
  for (const net of nets) {
    const operation: RevertOperation = {
      op: "revert",
      id: net.id,
      type: net.type,
      toVersion: net.before,
      ...(!force && { expectedVersion: net.after ?? 0 }),
      ...((net.isReviewed || present.get(net.id)?.version !== net.after) && { overwrites: true as const }),
    };
    const refusal = refuseLost(net, present.get(net.id));
    if (refusal === undefined) operations.push(operation);
    else lost.push({ operation, refusal });
  }
  if (operations.length === 0) {
    const erased = lost.find(({ refusal }) => refusal.code === "erased");
    if (erased !== undefined) throw erased.refusal;
    throw new ServiceError("invalid_transition", "Cannot revert the edit: nothing that it changed can be restored");
  }
  const changedSince = operations.filter(({ id, expectedVersion }) =>
    expectedVersion !== undefined && expectedVersion !== present.get(id)!.version
  );
  if (changedSince.length > 0) {
    throw refuseChanged(changedSince.map(({ id, type, expectedVersion }) => {
      return { id, type, versionAfter: expectedVersion!, version: present.get(id)!.version };
    }));
  }
  // Units that leave force come first, so that units that come back do not meet them.
  const returns = await comesIntoForce(tx, operations);
  operations.sort((a, b) => Number(returns.has(a.id)) - Number(returns.has(b.id)));
  return { edit, operations, lost };
}

/** Why a change cannot be reverted; undefined if it can. */
function refuseLost(net: Net, present: { readonly status: string } | undefined): ServiceError | undefined {
  const what = `${net.type} ${net.id}`;
  if (net.after === null || present === undefined) {
    return new ServiceError("erased", `Cannot revert: ${what} was erased`);
  }
  if (net.type !== "relation" || net.before === 0 || present.status === "archived") return undefined;
  return new ServiceError(
    "invalid_transition",
    `Cannot revert: the content of ${what} before it was corroborated is not stored`,
  );
}

function requireRevertible(edit: SelfEditRow): SelfEditRow {
  if (edit.revertedBy === null) return edit;
  throw new ServiceError(
    "invalid_transition",
    `Cannot revert the edit: ${edit.revertedBy} has reverted it already; revert that one to apply this edit again`,
    { extra: { revertedBy: edit.revertedBy } },
  );
}

function refuseChanged(
  changedSince: readonly { readonly id: string; readonly type: string; readonly version: number }[],
): ServiceError {
  const named = changedSince.map(({ id, type }) => `${type} ${id}`).join(", ");
  return new ServiceError(
    "conflict",
    `Cannot revert the edit: ${named} changed since; with \`force\` these changes are reverted, too`,
    {
      extra: { changedSince },
    },
  );
}

interface Net extends EditedUnit {
  /** Whether a person's decision applied it. */
  readonly isReviewed: boolean;
}

/** The versions before and after the edit of each unit, the last changed first. */
function netChanges(stored: readonly StoredOperation[]): Net[] {
  const nets = new Map<string, Net>();
  for (const { changes, reviewItemId } of stored) {
    for (const change of changes) {
      const known = nets.get(change.id);
      nets.delete(change.id);
      nets.set(change.id, {
        ...change,
        before: known?.before ?? change.before,
        isReviewed: reviewItemId !== null || known?.isReviewed === true,
      });
    }
  }
  return [...nets.values()].filter(({ before, after }) => before !== after).reverse();
}

/** Finds the units that a revert brings back into force, of the kinds whose units can contradict each other. */
async function comesIntoForce(tx: Tx, operations: readonly RevertOperation[]): Promise<ReadonlySet<string>> {
  const targets = operations.filter(({ toVersion, type }) => toVersion > 0 && CONTESTABLE.has(type));
  if (targets.length === 0) return new Set();
  const rows = await tx.sql<{ id: string }[]>`
    select r.id from unnest(${targets.map(({ id }) => id)}::uuid[], ${targets.map(({ toVersion }) => toVersion)}::int[])
                       as t(id, version)
      join unit_revision r on r.workspace_id = ${tx.workspaceId} and r.id = t.id and r.version = t.version
     where r.snapshot ->> 'status' = any(${LIVE_STATUSES as string[]}::text[])`;
  return new Set(rows.map(({ id }) => id));
}

async function storeReverted(
  ctx: OperationContext,
  tx: Tx,
  plan: Plan,
  ready: Ready,
  body: RevertSelfEditBody,
): Promise<SelfEdit> {
  const { edit, operations } = plan;
  requireRevertible(requireEdit(await queries.findSelfEdit(tx, edit.id, { lock: true })));
  const next = newEdit(tx, plan, body);
  const applied = await applyAll(ctx, tx, { ...next, operations, ready });
  const all = [...applied, ...lostRows(plan)];
  const row = await queries.insertSelfEdit(tx, {
    ...next,
    sensitivity: await sensitivityOf(tx, all.map((result) => result.row), edit.sensitivity),
  }, withContents([...operations, ...plan.lost.map(({ operation }) => operation)], all));
  await noteReverted(tx, row);
  return await finishEdit(tx, row, "created");
}

function newEdit(tx: Tx, { edit }: Plan, body: RevertSelfEditBody) {
  return {
    id: uuidv7(tx.now),
    mode: "atomic" as const,
    source: "revert" as const,
    reason: body.reason ?? `reverts ${edit.id}: ${edit.reason}`,
    agentId: body.agentId ?? null,
    reverts: edit.id,
  };
}

function lostRows({ operations, lost }: Plan): StoredResult[] {
  return lost.map(({ operation, refusal }, i) => {
    const { row } = refusedRow(operation, operations.length + i, {}, refusal);
    return { row: { ...row, resourceId: operation.id, resourceType: operation.type }, unitId: null };
  });
}

/** Notes in an edit that it was reverted. If that edit was a revert, the edit that it had reverted counts again. */
export async function noteReverted(tx: Tx, revert: SelfEditRow): Promise<void> {
  if (revert.reverts === null) return;
  const edit = await queries.touchSelfEdit(tx, revert.reverts, { revertedBy: revert.id });
  recordEdit(tx, edit, "reverted");
  if (edit.reverts !== null) {
    recordEdit(tx, await queries.touchSelfEdit(tx, edit.reverts, { revertedBy: null }), "updated");
  }
}

/** Stores the revert for review, because it would overwrite knowledge that only a person's decision may overwrite. */
async function storeForReview(
  tx: Tx,
  plan: Plan,
  ready: Ready,
  body: RevertSelfEditBody,
  { unit }: BeyondRight,
): Promise<SelfEdit> {
  const { edit, operations } = plan;
  const sensitivity = mostSensitive(edit.sensitivity, ...ready.flatMap(({ seen }) => seen?.sensitivity ?? []));
  const next = { ...newEdit(tx, plan, body), sensitivity };
  const reviewItemId = await openReviewItem(tx, {
    kind: "self_edit",
    sensitivity,
    subjectId: next.id,
    otherId: unit.id,
    detail: {
      editId: next.id,
      reverts: edit.id,
      mode: "atomic",
      operations: operations.map((operation, index) => ({ index, op: operation.op })),
      attribution: unit.attribution,
      trustScore: unit.trustScore,
    },
  });
  const rows = operations.map((operation, i) => reviewRow(operation, i, ready[i]!.seen, reviewItemId));
  const contents = withContents([...operations, ...plan.lost.map(({ operation }) => operation)], [
    ...rows,
    ...lostRows(plan),
  ]);
  return await finishEdit(tx, await queries.insertSelfEdit(tx, next, contents), "created");
}
