/**
 * The consolidation gate: decides, condition by condition, whether the memory may be consolidated now. It counts the
 * units that the caller's clearance sees, like the consolidation that it allows.
 */
import type { OperationContext } from "../../context.ts";
import { uuidv7 } from "../../crypto/ids.ts";
import * as queries from "../../db/queries/consolidation_guard.ts";
import type { GateActionRow } from "../../db/queries/consolidation_guard.ts";
import { findLastRun, type LastRunRow } from "../../db/queries/jobs.ts";
import { lockNames } from "../../db/queries/units.ts";
import type { Tx } from "../../db/tx.ts";
import { ServiceError } from "../../errors.ts";
import type { Gate, GateAction, GateCondition, SetGateBody } from "../../schema/governance.ts";
import { readSnapshotDrift } from "./snapshots.ts";

const READ_ONLY = { readOnly: true };
const HISTORY_MAX = 20;
/** Counts stop so far beyond the threshold. */
const COUNT_MAX = 10_000;
/** The lock that keeps somebody from holding the gate while another caller starts a job through it. */
export const GATE_LOCK = "gate";

type Checked = Omit<GateCondition, "name" | "passed">;

/** Checks every condition; each check is a span of its own. */
export async function readGate(ctx: OperationContext): Promise<Gate> {
  const { lastRun, actions } = await ctx.tx(async (tx) => ({
    lastRun: await findLastRun(tx, "consolidate"),
    actions: await queries.listGateActions(tx, HISTORY_MAX),
  }), READ_ONLY);
  const conditions: GateCondition[] = [];
  for (const [name, check] of Object.entries(CHECKS) as [GateCondition["name"], Check][]) {
    conditions.push(await checkCondition(ctx, name, () => check(ctx, { lastRun, actions })));
  }
  return {
    state: conditions.every((condition) => condition.passed) ? "open" : "closed",
    conditions,
    lastRun: lastRun === undefined ? null : {
      jobId: lastRun.id,
      startedAt: lastRun.startedAt.toISOString(),
      finishedAt: lastRun.finishedAt.toISOString(),
    },
    history: actions.map(toAction),
  };
}

interface Seen {
  readonly lastRun: LastRunRow | undefined;
  readonly actions: readonly GateActionRow[];
}
type Check = (ctx: OperationContext, seen: Seen) => Promise<Checked> | Checked;

const CHECKS: Readonly<Record<GateCondition["name"], Check>> = {
  async new_facts(ctx, { lastRun }) {
    const threshold = ctx.deps.config.governance.newFactsMin;
    const most = Math.max(COUNT_MAX, threshold);
    const value = await ctx.tx((tx) => queries.countNewFacts(tx, lastRun?.startedAt ?? null, most), READ_ONLY);
    const message = `${value} facts were stored since the last consolidation; it takes ${threshold}`;
    return { value, threshold, comparison: "at_least", message };
  },
  async contested(ctx) {
    const threshold = ctx.deps.config.governance.contestedMax;
    const most = Math.max(COUNT_MAX, threshold + 1);
    const value = await ctx.tx((tx) => queries.countContested(tx, most), READ_ONLY);
    const message = `${value} reviews of contested facts are open; at most ${threshold} may be`;
    return { value, threshold, comparison: "at_most", message };
  },
  async drift(ctx) {
    const threshold = ctx.deps.config.governance.driftMax;
    const drift = await readSnapshotDrift(ctx);
    const value = drift?.index ?? null;
    const message = value === null || drift === undefined
      ? "the drift is unknown: there are no two snapshots a day apart yet that can be compared"
      : `the drift index is ${value}, at most ${threshold} lets consolidate: ${drift.reasons.join("; ")}`;
    return { value, threshold, comparison: "at_most", message };
  },
  async quiet_period(ctx) {
    const threshold = ctx.deps.config.governance.quietSeconds;
    const last = await ctx.tx(queries.readLastUnitWrite, READ_ONLY);
    const value = last === null
      ? threshold
      : Math.max(0, Math.floor((ctx.deps.clock().getTime() - last.getTime()) / 1_000));
    const message = `knowledge was last written ${value} seconds ago; it takes ${threshold} of quiet`;
    return { value, threshold, comparison: "at_least", message };
  },
  manual_hold(_ctx, { actions: [last] }) {
    const value = last?.action === "hold";
    const message = value ? `held by ${last!.by}: ${last!.reason}` : "nobody holds the gate";
    return { value, threshold: false, comparison: "equals", message };
  },
};

async function checkCondition(
  ctx: OperationContext,
  name: GateCondition["name"],
  check: () => Promise<Checked> | Checked,
): Promise<GateCondition> {
  const attributes = { "svc.consolidation.condition": name };
  return await ctx.deps.telemetry.tracer.span("svc.consolidation.gate", attributes, async (span) => {
    const checked = await check();
    const passed = passes(checked);
    span.set({
      "svc.consolidation.value": String(checked.value),
      "svc.consolidation.threshold": String(checked.threshold),
      "svc.consolidation.passed": String(passed),
    });
    return { name, passed, ...checked };
  });
}

function passes({ value, threshold, comparison }: Checked): boolean {
  if (value === null) return true;
  if (comparison === "equals") return value === threshold;
  return comparison === "at_least" ? value >= threshold : value <= threshold;
}

function toAction({ id, action, reason, by, at }: GateActionRow): GateAction {
  return { id, action, reason, by, at: at.toISOString() };
}

/** Holds or releases the gate. It is recorded even if it changes nothing, because the reason may differ. */
export async function setGate(ctx: OperationContext, { action, reason }: SetGateBody): Promise<Gate> {
  await ctx.tx(async (tx) => {
    await lockNames(tx, [GATE_LOCK]);
    const id = uuidv7(tx.now);
    await queries.insertGateAction(tx, { id, action, reason });
    tx.record({
      kind: action === "hold" ? "gate.held" : "gate.released",
      resourceType: "gate",
      resourceId: id,
      version: 1,
      sensitivity: "internal",
    });
  });
  return await readGate(ctx);
}

/** Whether somebody holds the gate. */
export async function isHeld(tx: Tx): Promise<boolean> {
  const [last] = await queries.listGateActions(tx, 1);
  return last?.action === "hold";
}

/** @throws ServiceError `gate_closed` with the conditions that fail; `forced` passes all except a manual hold. */
export function requireOpenGate(gate: Gate, forced: boolean): void {
  const failing = gate.conditions.filter(({ name, passed }) => !passed && (!forced || name === "manual_hold"));
  if (failing.length === 0) return;
  throw new ServiceError(
    "gate_closed",
    `Cannot consolidate: the gate is closed by ${failing.map((condition) => condition.name).join(", ")}`,
    {
      errors: failing.map(({ name, message }) => ({ path: `gate.${name}`, message })),
      extra: { conditions: failing },
    },
  );
}
