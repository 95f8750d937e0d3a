/**
 * The sender of one process: finds due endpoints, takes up changes for them and delivers these. Each endpoint runs
 * independently, so one that hangs does not delay the others.
 */
import type { Deps, OperationContext } from "../../context.ts";
import * as queries from "../../db/queries/webhooks.ts";
import type { Sql } from "../../db/tx.ts";
import type { Sensitivity } from "../../schema/common.ts";
import { workerFailed } from "../../telemetry/events.ts";
import { pause } from "../../pause.ts";
import { perService } from "../common/per_service.ts";
import { deliverDue, type TurnEnd } from "./batch.ts";
import { LANES_MAX } from "./send.ts";
import { takeUpChanges } from "./take_up.ts";
import { verifyWhenDue } from "./verify.ts";

/** The pause between two checks, unless something wakes the sender. */
const REST_MS = 1_000;
/** The same while no workspace has an endpoint. */
const IDLE_MS = 5_000;
/** One check serves everything that wakes the sender within this time. */
const GATHER_MS = 20;
const DUE_MAX = 1_000;
/** The most messages of the process that are on their way at once. */
const MESSAGES_MAX = 64;
/** The most of these that go to doubtful endpoints: their last attempt failed, or they have never succeeded. */
const DOUBTFUL_MAX = 32;

/** Makes the context of an endpoint: its workspace, its clearance, and the signal that aborts its statements. */
export type ContextOf = (workspaceId: string, maxSensitivity: Sensitivity, signal: AbortSignal) => OperationContext;

/** Results of attempts are written also while the service stops. */
const NEVER = new AbortController().signal;

/** Returns a row if there is an endpoint, as `each` needs it. */
const findAny = async (sql: Sql) => await queries.hasWebhooks(sql) ? [{}] : [];

export class WebhookSender implements AsyncDisposable {
  readonly #deps: Deps;
  /** The endpoints that are being served. */
  readonly #running = new Map<string, Promise<void>>();
  /** Endpoints to check again when their turn is over. */
  readonly #again = new Set<string>();
  /** Aborts attempts when the service stops and its grace is over. */
  readonly #ending = new AbortController();
  #sending = 0;
  #doubtful = 0;
  #isNeeded = false;
  #isWoken = false;
  #wake: (() => void) | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Hears that the feed of a workspace has grown. Does nothing as long as no workspace has an endpoint. */
  noteChange(): void {
    if (this.#isNeeded) this.wake();
  }

  /** Makes the sender check now. */
  wake(): void {
    this.#isNeeded = true;
    this.#isWoken = true;
    this.#wake?.();
  }

  /** Checks and sends until the service stops. */
  async run(contextOf: ContextOf): Promise<void> {
    const { stopping, telemetry: { log }, db } = this.#deps;
    while (!stopping.aborted) {
      this.#isWoken = false;
      try {
        this.#isNeeded = (await db.each(findAny, { readOnly: true, partial: true })).length > 0;
        if (this.#isNeeded) await this.look(contextOf);
      } catch (error) {
        if (!stopping.aborted) workerFailed(log, { worker: "webhooks", error, retryMs: REST_MS });
      }
      await this.#rest(this.#isNeeded ? REST_MS : IDLE_MS);
    }
  }

  async #rest(ms: number): Promise<void> {
    const { stopping } = this.#deps;
    if (!this.#isWoken) {
      const resting = new AbortController();
      this.#wake = () => resting.abort();
      await pause(ms, AbortSignal.any([stopping, resting.signal]));
      this.#wake = undefined;
    }
    await pause(GATHER_MS, stopping);
  }

  /** Whether something has woken the sender since its last check. */
  get isWoken(): boolean {
    return this.#isWoken;
  }

  /** Begins to serve the endpoints that are due now. */
  async look(contextOf: ContextOf): Promise<void> {
    this.#isWoken = false;
    const { db, clock, config: { region } } = this.#deps;
    const due = await db.each((sql) => queries.listDueWebhooks(sql, { now: clock(), region, limit: DUE_MAX }), {
      readOnly: true,
      partial: true,
    });
    for (const one of due) {
      const { endpointId } = one;
      if (this.#deps.stopping.aborted) return;
      if (this.#running.has(endpointId)) this.#again.add(endpointId);
      else this.#running.set(endpointId, this.#serve(contextOf, one));
    }
  }

  /** Resolves when no endpoint is being served. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  /** Aborts the attempts that are still on their way, and waits until their leases are released. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.settled();
  }

  async #serve(contextOf: ContextOf, due: queries.DueWebhook): Promise<void> {
    const { endpointId, workspaceId, maxSensitivity } = due;
    const { stopping, telemetry: { log } } = this.#deps;
    // Begins later than `look` stores the promise: `finally` below must find it there.
    await Promise.resolve();
    const ctx = contextOf(workspaceId, maxSensitivity, NEVER);
    try {
      if (due.isUnverified) return await verifyWhenDue({ ...ctx, signal: this.#ending.signal }, endpointId);
      let end: TurnEnd = "more";
      for (let isBehind = true; (isBehind || end === "more") && end !== "later" && !stopping.aborted;) {
        isBehind = await takeUpChanges(ctx, endpointId);
        end = await this.#deliver(ctx, due);
      }
      if (end === "later") this.#again.add(endpointId);
    } catch (error) {
      if (!stopping.aborted) workerFailed(log, { worker: "webhooks", error, retryMs: REST_MS });
    } finally {
      this.#running.delete(endpointId);
      if (this.#again.delete(endpointId)) this.wake();
    }
  }

  /** Sends what is due for an endpoint, over as many lanes as the process has left for it. */
  async #deliver(ctx: OperationContext, { endpointId, isTrusted }: queries.DueWebhook): Promise<TurnEnd> {
    const lanes = this.#enter(isTrusted);
    if (lanes === 0) return "done";
    try {
      return await deliverDue(ctx, endpointId, { lanes, isTrusted, ending: this.#ending.signal });
    } finally {
      this.#leave(isTrusted, lanes);
    }
  }

  /** Returns how many messages may go to an endpoint at once; they count as on their way until `#leave`. */
  #enter(isTrusted: boolean): number {
    const left = isTrusted ? MESSAGES_MAX - this.#sending : DOUBTFUL_MAX - this.#doubtful;
    const lanes = Math.max(0, Math.min(isTrusted ? LANES_MAX : 1, left, MESSAGES_MAX - this.#sending));
    this.#sending += lanes;
    if (!isTrusted) this.#doubtful += lanes;
    return lanes;
  }

  #leave(isTrusted: boolean, lanes: number): void {
    this.#sending -= lanes;
    if (!isTrusted) this.#doubtful -= lanes;
  }
}

export const webhookSenderOf = perService((deps) => new WebhookSender(deps));
