/** A running job: each step is one transaction that holds the lease and records what the step changed. */
import type { OperationContext } from "../../context.ts";
import * as queries from "../../db/queries/jobs.ts";
import type { JobRow } from "../../db/queries/jobs.ts";
import type { Tx } from "../../db/tx.ts";
import { ServiceError } from "../../errors.ts";
import type { JobReport, JobUnit } from "../../schema/job.ts";
import { isHeld } from "./consolidation_guard.ts";

/** A process that has not renewed its lease for this time has lost its job. */
export const LEASE_MS = 60_000;

/** The record of a step. */
export interface StepNote {
  readonly kind: string;
  readonly reason: string;
  readonly units: readonly JobUnit[];
  readonly undo: string | null;
}

/** Another process has the job now, so this one stops silently. */
export class LeaseLost extends Error {}
/** Somebody holds the gate: the job goes back to the queue. */
export class GateHeld extends Error {}

/** The job has failed, and its report says how far it came. */
export class JobFailed extends Error {
  constructor(message: string, readonly report: Omit<JobReport, "steps">) {
    super(message);
  }
}

/** The work of a kind of job; it runs again from its start if its process dies. */
export type JobWork = (job: RunningJob) => Promise<Omit<JobReport, "steps">>;

export class RunningJob {
  #phase: string | null = null;
  readonly #counts: Map<string, number>;
  readonly #done: Set<string>;
  /**
   * Ids of units that a dry run would have archived. They are still in force, and later steps must not name them again.
   */
  readonly #leaving = new Set<string>();
  /** Ids of units that a dry run would have changed. They would then be too recent to be archived. */
  readonly #kept = new Set<string>();

  constructor(
    /** Has the clearance of the caller who requested the job. */
    readonly ctx: OperationContext,
    readonly row: JobRow,
    steps: readonly queries.JobStepRow[],
  ) {
    this.#counts = new Map();
    for (const { kind } of steps) this.#counts.set(kind, this.countOf(kind) + 1);
    this.#done = new Set(steps.map((step) => nameOf(step.kind, step.unitIds)));
    for (const step of steps) this.#noteLeaving(step.detail["units"] as JobUnit[]);
  }

  get isDryRun(): boolean {
    return this.row.input["dryRun"] === true;
  }

  /** How many steps of a kind the job has made, including those before it was resumed. */
  countOf(kind: string): number {
    return this.#counts.get(kind) ?? 0;
  }

  get counts(): Record<string, number> {
    return Object.fromEntries(this.#counts);
  }

  enter(phase: string): void {
    this.#phase = phase;
  }

  /**
   * Whether a step over these units was made before, or a dry run would have expired, merged or archived one of them.
   * For archiving also whether a dry run would have merged another unit into one of them.
   */
  hasDone(kind: string, unitIds: readonly string[]): boolean {
    return this.#done.has(nameOf(kind, unitIds)) || unitIds.some((id) => this.#leaving.has(id)) ||
      (kind === "archive" && unitIds.some((id) => this.#kept.has(id)));
  }

  /**
   * Does one step; undefined: there was nothing to do.
   * @throws LeaseLost, GateHeld
   */
  async step(work: (tx: Tx) => Promise<StepNote | undefined>): Promise<StepNote | undefined> {
    this.ctx.signal.throwIfAborted();
    const note = await this.ctx.tx((tx) => this.#write(tx, work)).catch(passOverGone);
    if (note === undefined) return undefined;
    this.#counts.set(note.kind, this.countOf(note.kind) + 1);
    this.#done.add(nameOf(note.kind, note.units.map((unit) => unit.id)));
    this.#noteLeaving(note.units);
    return note;
  }

  #noteLeaving(units: readonly JobUnit[]): void {
    for (const { id, role, versionAfter } of units) {
      if (versionAfter !== null) continue;
      if (["expired", "merged", "archived"].includes(role)) this.#leaving.add(id);
      if (role === "kept") this.#kept.add(id);
    }
  }

  async #write(tx: Tx, work: (tx: Tx) => Promise<StepNote | undefined>): Promise<StepNote | undefined> {
    const until = new Date(tx.now.getTime() + LEASE_MS);
    if (!await queries.renewLease(tx, this.row, until)) throw new LeaseLost();
    if (this.row.kind === "consolidate" && !this.isDryRun && await isHeld(tx)) throw new GateHeld();
    const note = await work(tx);
    if (note === undefined) return undefined;
    const { kind, units, ...detail } = note;
    await queries.insertJobStep(tx, this.row, {
      kind,
      unitIds: units.map((unit) => unit.id),
      detail: { ...detail, units },
    }, this.#phase);
    return note;
  }
}

/** A unit that was erased since it was found is skipped; the step's transaction was undone. */
function passOverGone(error: unknown): undefined {
  if (error instanceof ServiceError && (error.code === "erased" || error.code === "not_found")) return undefined;
  throw error;
}

function nameOf(kind: string, unitIds: readonly string[]): string {
  return `${kind} ${unitIds.toSorted().join(" ")}`;
}
