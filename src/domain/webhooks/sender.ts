/**
 * The sender of one process: looks what is due, takes up changes and delivers, each endpoint by itself, so that one that
 * hangs holds up no other.
 */
import type { Deps, OperationContext } from "../../context.ts";
import { uuidv7 } from "../../crypto/ids.ts";
import * as deliveries from "../../db/queries/webhook_deliveries.ts";
import * as queries from "../../db/queries/webhooks.ts";
import type { Tx } from "../../db/tx.ts";
import type { Sensitivity } from "../../schema/common.ts";
import { workerFailed } from "../../telemetry/events.ts";
import { pause } from "../../pause.ts";
import { perService } from "../common/per_service.ts";
import { messageOf } from "./message.ts";
import { type Ended, noteEnded } from "./results.ts";
import { LANES_MAX, sendMessage } from "./send.ts";
import { takeUpChanges } from "./take_up.ts";
import { verifyWhenDue } from "./verify.ts";

/** Between two looks, unless something wakes it up. */
const REST_MS = 1_000;
/** The same while no workspace has an endpoint. */
const IDLE_MS = 5_000;
/** What wakes it up within this time is looked at together. */
const GATHER_MS = 20;
const DUE_MAX = 1_000;
/** Messages on their way at once, of the process; those of endpoints that failed last, or never succeeded, among them. */
const MESSAGES_MAX = 64;
const DOUBTFUL_MAX = 32;
/** Deliveries that are taken at once for an endpoint that answers. */
const BATCH_MAX = 20;
/** Longer than a batch can take: an attempt has 15 s, and five follow each other in a lane. */
const LEASE_SECONDS = 120;

/** Makes the context of an endpoint: its workspace, its clearance, and what aborts its statements. */
export type ContextOf = (workspaceId: string, maxSensitivity: Sensitivity, signal: AbortSignal) => OperationContext;

/** What became of attempts is written also when the service stops. */
const NEVER = new AbortController().signal;

export class WebhookSender implements AsyncDisposable {
  readonly #deps: Deps;
  /** What runs, by endpoint. */
  readonly #running = new Map<string, Promise<void>>();
  /** Endpoints that were found due while they ran. */
  readonly #again = new Set<string>();
  /** Aborts attempts when their time is over. */
  readonly #ending = new AbortController();
  #sending = 0;
  #doubtful = 0;
  #isNeeded = false;
  #isWoken = false;
  #wake: (() => void) | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** The feed of a workspace has grown. Costs nothing where there is no endpoint. */
  noteChange(): void {
    if (this.#isNeeded) this.wake();
  }

  /** Something is to be looked at now. */
  wake(): void {
    this.#isNeeded = true;
    this.#isWoken = true;
    this.#wake?.();
  }

  /** Looks and sends until the service stops. */
  async run(contextOf: ContextOf): Promise<void> {
    const { stopping, telemetry: { log }, db } = this.#deps;
    while (!stopping.aborted) {
      this.#isWoken = false;
      try {
        this.#isNeeded = await db.system(queries.hasWebhooks, { readOnly: true });
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

  /** Begins what is due now. */
  async look(contextOf: ContextOf): Promise<void> {
    const { db, clock, config: { region } } = this.#deps;
    const due = await db.system((sql) => queries.listDueWebhooks(sql, { now: clock(), region, limit: DUE_MAX }), {
      readOnly: true,
    });
    for (const one of due) {
      const { endpointId } = one;
      if (this.#deps.stopping.aborted) return;
      if (this.#running.has(endpointId)) this.#again.add(endpointId);
      else this.#running.set(endpointId, this.#serve(contextOf, one));
    }
  }

  /** Resolves when nothing runs any more. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  /** Attempts that are on their way end, for a short time yet; the leases of the others are given back. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.settled();
  }

  async #serve(contextOf: ContextOf, due: queries.DueWebhook): Promise<void> {
    const { endpointId, workspaceId, maxSensitivity } = due;
    const { stopping, telemetry: { log } } = this.#deps;
    // In a turn of its own, so that it stands among what runs before it can have ended.
    await Promise.resolve();
    const ctx = contextOf(workspaceId, maxSensitivity, NEVER);
    try {
      if (due.isUnverified) await verifyWhenDue({ ...ctx, signal: this.#ending.signal }, endpointId);
      else {
        let isMore = true;
        while (isMore && !stopping.aborted) {
          const isBehind = await takeUpChanges(ctx, endpointId);
          isMore = await this.#deliver(ctx, endpointId, due.isTrusted) || isBehind;
        }
      }
    } catch (error) {
      if (!stopping.aborted) workerFailed(log, { worker: "webhooks", error, retryMs: REST_MS });
    } finally {
      this.#running.delete(endpointId);
      if (this.#again.delete(endpointId)) this.wake();
    }
  }

  /** Takes what is due and sends it; answers whether there may be more. */
  async #deliver(ctx: OperationContext, endpointId: string, isTrusted: boolean): Promise<boolean> {
    const lanes = this.#enter(isTrusted);
    if (lanes === 0) return false;
    try {
      const leaseId = uuidv7(this.#deps.clock());
      const { row, leased } = await ctx.tx(async (tx) => {
        const limit = isTrusted ? BATCH_MAX : 1;
        const row = await queries.findWebhook(tx, endpointId);
        const lease = { leaseId, seconds: LEASE_SECONDS, limit: row?.ratePerMinute ? 1 : limit };
        return { row, leased: await deliveries.leaseDeliveries(tx, endpointId, lease) };
      });
      if (row === undefined || leased.length === 0) return false;
      return await this.#send(ctx, { row, leaseId, leased, lanes });
    } finally {
      this.#leave(isTrusted, lanes);
    }
  }

  /** Takes one of the messages that the endpoint takes in a minute; when there is none left, it rests. */
  async #mayGo(ctx: OperationContext, { id, ratePerMinute: perMinute }: queries.WebhookRow): Promise<boolean> {
    if (perMinute === null) return true;
    const burst = Math.max(1, Math.ceil(perMinute / 60));
    const { isAllowed, retryAfterSeconds } = await this.#deps.rateLimit.take(`webhook:${id}`, { perMinute, burst });
    if (!isAllowed) await ctx.tx((tx) => rest(tx, id, retryAfterSeconds));
    return isAllowed;
  }

  /** How many messages of an endpoint may be on their way now; they are counted until `#leave`. */
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

  /** Sends what was leased, some at once; what becomes of it is written as it comes, together where it comes together. */
  async #send(ctx: OperationContext, { row, leaseId, leased, lanes }: Batch): Promise<boolean> {
    const waiting = [...leased];
    const ended: Ended[] = [];
    let isOpen = true;
    let writing: Promise<void> | undefined;
    const write = async () => {
      while (ended.length > 0) isOpen = await noteEnded(ctx, row.id, leaseId, ended.splice(0)) && isOpen;
    };
    const sending = { ...ctx, signal: this.#ending.signal };
    const lane = async () => {
      while (isOpen && waiting.length > 0 && !this.#deps.stopping.aborted && await this.#mayGo(ctx, row)) {
        const next = waiting.shift();
        if (next === undefined) return;
        const attempt = await sendMessage(sending, row, messageOf(ctx.workspaceId, next.id, next));
        // Given up because the service stops: it is none of the receiver's failures.
        if (this.#ending.signal.aborted && attempt.error === "aborted") return void waiting.push(next);
        ended.push({ seq: next.seq, attempts: next.attempts, attempt });
        writing ??= write().finally(() => writing = undefined);
      }
    };
    const results = await Promise.allSettled(Array.from({ length: lanes }, lane));
    while (writing !== undefined) await writing;
    if (waiting.length > 0) {
      const seqs = waiting.map(({ seq }) => seq);
      await ctx.tx((tx) => deliveries.releaseDeliveries(tx, row.id, leaseId, seqs));
    }
    for (const result of results) if (result.status === "rejected") throw result.reason;
    return isOpen;
  }
}

/** Nothing is sent to an endpoint for so many seconds. */
async function rest(tx: Tx, endpointId: string, seconds: number): Promise<void> {
  const row = await queries.findWebhook(tx, endpointId, true);
  if (row === undefined) return;
  const throttledUntil = new Date(tx.now.getTime() + seconds * 1_000);
  await queries.updateWebhook(tx, endpointId, { ...row, throttledUntil }, false);
}

interface Batch {
  readonly row: queries.WebhookRow;
  readonly leaseId: string;
  readonly leased: readonly deliveries.LeasedDelivery[];
  readonly lanes: number;
}

/** The sender of a service. */
export const webhookSenderOf = perService((deps) => new WebhookSender(deps));
