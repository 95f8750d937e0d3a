/**
 * Records reads and refusals, which have no transaction of their own, in the audit log. Entries are kept in memory in
 * their order and written in batches, so that no read waits for them. If too many wait, because the database cannot
 * take them, the service shows nothing more. So a process that dies loses at most the last moments, and never silently.
 */
import type { OperationContext, Principal } from "../../context.ts";
import { appendAudit } from "../../db/audit.ts";
import type { AuditEntry, AuditEvent, AuditSubject } from "../../db/tx.ts";
import type { Database } from "../../db/database.ts";
import { ServiceError } from "../../errors.ts";
import { auditWriteFailed } from "../../telemetry/events.ts";
import type { Log } from "../../telemetry/log.ts";
import { activityOf } from "../common/activity.ts";
import { LateWriter } from "../common/late_writer.ts";
import { perService } from "../common/per_service.ts";

/** How long an entry waits for others, in milliseconds. */
const WAIT_MS = 200;
const RETRY_MS = 1_000;
/** The most entries in one transaction. Their rows are built in one go, during which the process serves no request. */
const BATCH_MAX = 50;
/** Entries of all workspaces that may wait. */
const WAITING_MAX = 20_000;
/** This many refusals of one key for one reason get rows of their own in a window; further ones are counted. */
const REFUSALS_MAX = 20;
const REFUSALS_WINDOW_MS = 60_000;

/** The refusals of a key for one reason in the present window. */
interface Refusals {
  readonly timer: ReturnType<typeof setTimeout>;
  readonly outcome: string;
  readonly from: Date;
  count: number;
  last: { readonly workspaceId: string; readonly subject: AuditSubject };
}

export interface AuditTrailOptions {
  readonly db: Database;
  readonly clock: () => Date;
  readonly log: () => Log;
  /** Called after entries were written to a workspace's chain. */
  readonly onWritten?: (workspaceId: string) => void;
}

/** The entries that wait to be written to a service's audit log. */
export const auditTrailOf = perService((deps) => {
  const { db, clock, telemetry } = deps;
  const onWritten = (workspaceId: string) => activityOf(deps).noteUse(workspaceId);
  return new AuditTrail({ db, clock, log: () => telemetry.log, onWritten });
});

export class AuditTrail implements AsyncDisposable {
  readonly #options: AuditTrailOptions;
  readonly #waiting = new Map<string, AuditEntry[]>();
  #count = 0;
  readonly #writer: LateWriter;
  readonly #refusals = new Map<string, Refusals>();

  constructor(options: AuditTrailOptions) {
    this.#options = options;
    this.#writer = new LateWriter({
      waitMs: WAIT_MS,
      retryMs: RETRY_MS,
      write: () => this.#write(),
      tellFailure: (error) => this.#tellFailure(error),
    });
  }

  /**
   * Refuses if no more entries can be recorded.
   * @throws ServiceError `unavailable` while too many entries wait to be written.
   */
  requireRoom(): void {
    if (this.#count < WAITING_MAX) return;
    throw new ServiceError("unavailable", "Cannot serve: the audit log cannot be written");
  }

  /**
   * Records the resources that a request's reply shows, or its refusal, unless the transaction of its write has
   * recorded it.
   */
  noteRequest(ctx: OperationContext, outcome: string): void {
    const { trail, operationId } = ctx;
    if (trail.isWritten) return;
    this.note(ctx.workspaceId, subjectOf(ctx), {
      eventType: `${outcome === "ok" ? "read" : "refused"}.${operationId}`,
      outcome,
      targets: trail.shown,
      targetCount: trail.shownCount,
    });
  }

  /**
   * Records that a valid key was refused before its rate was checked. The first refusals of a window get a row each; a
   * row at its end counts the others, so that a flood does not make the log grow at its own rate.
   */
  noteRefusal(ctx: OperationContext, outcome: string): void {
    const { workspaceId, actor } = ctx;
    const name = `${workspaceId} ${actor} ${outcome}`;
    const seen = this.#refusals.get(name) ?? this.#openWindow(ctx, name, outcome);
    seen.count++;
    seen.last = { workspaceId, subject: subjectOf(ctx) };
    if (seen.count <= REFUSALS_MAX) this.noteRequest(ctx, outcome);
  }

  #openWindow(ctx: OperationContext, name: string, outcome: string): Refusals {
    const timer = setTimeout(() => this.#closeWindow(name), REFUSALS_WINDOW_MS);
    const last = { workspaceId: ctx.workspaceId, subject: subjectOf(ctx) };
    const opened = { timer, outcome, from: this.#options.clock(), count: 0, last };
    this.#refusals.set(name, opened);
    return opened;
  }

  #closeWindow(name: string): void {
    const { count, from, last, outcome, timer } = this.#refusals.get(name)!;
    clearTimeout(timer);
    this.#refusals.delete(name);
    if (count <= REFUSALS_MAX) return;
    this.note(last.workspaceId, last.subject, {
      eventType: "refused.repeatedly",
      outcome,
      detail: { count: count - REFUSALS_MAX, from: from.toISOString() },
    });
  }

  /** Queues an event to be written later, in order. */
  note(workspaceId: string, subject: AuditSubject, event: AuditEvent): void {
    const entries = this.#waiting.get(workspaceId);
    const entry = { ...event, subject, at: this.#options.clock() };
    if (entries) entries.push(entry);
    else this.#waiting.set(workspaceId, [entry]);
    this.#count++;
    this.#writer.wake();
  }

  /**
   * Writes everything that waits.
   * @throws ServiceError if the database cannot take it; the rest stays in the queue
   */
  flush(): Promise<void> {
    return this.#writer.flush();
  }

  #tellFailure(error: unknown): void {
    auditWriteFailed(this.#options.log(), { error, waiting: this.#count });
  }

  async #write(): Promise<void> {
    const faults: unknown[] = [];
    for (const [workspaceId, entries] of this.#waiting) {
      try {
        await this.#writeAll(workspaceId, entries);
        this.#waiting.delete(workspaceId);
      } catch (error) {
        // Without a database no entry can be written. A chain that cannot be written does not hold up the others.
        if (error instanceof ServiceError) throw error;
        faults.push(error);
      }
    }
    if (faults.length > 0) throw faults[0];
  }

  async #writeAll(workspaceId: string, entries: AuditEntry[]): Promise<void> {
    while (entries.length > 0) {
      const batch = entries.slice(0, BATCH_MAX);
      const scope = { workspaceId, maxSensitivity: "public", actor: "system:audit" } as const;
      await this.#options.db.tx(scope, (tx) => appendAudit(tx, batch));
      entries.splice(0, batch.length);
      this.#count -= batch.length;
      this.#options.onWritten?.(workspaceId);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const name of this.#refusals.keys()) this.#closeWindow(name);
    this.#writer.stop();
    await this.flush().catch((error) => this.#tellFailure(error));
    this.#writer.stop();
  }
}

/** The subject of a request for the audit log. */
export function subjectOf(
  { actor, adminName, token, operationId, requestId, address, via }: Pick<Principal, "actor"> & AuditSubject,
): AuditSubject {
  return { actor, adminName, token, operationId, requestId, address, via };
}
