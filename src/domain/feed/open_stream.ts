/**
 * One open stream: its owner, whether its key may still have it, and why it ends. docs/reference/guarantees.md T10, T56, F13.
 *
 * After a key was changed, nothing is sent on its streams until it was looked up again, so a revocation takes effect as
 * soon as this process hears of it. The stream then sees what the key's new clearance allows.
 */
import { createContext, type Deps, type OperationContext, type Principal, type VerifiedKey } from "../../context.ts";
import { findApiKey } from "../../db/queries/api_keys.ts";
import { ServiceError } from "../../errors.ts";
import type { RateLimitSetting } from "../../kv/rate_limit.ts";
import type { Sensitivity } from "../../schema/common.ts";
import type { Scope } from "../../schema/scopes.ts";
import type { StreamEnd } from "../../telemetry/metrics.ts";
import { isExpired, refuseAddress, refusedCredentials, refuseRegion, refuseSuspended } from "../access/credentials.ts";
import { takeRequest } from "../access/request_rate.ts";
import { leastSensitive } from "../unit/trust.ts";

/** The time after which a key is looked up again even if no notification about it came, in milliseconds. */
const CHECK_AFTER_MS = 45_000;
/** A reader that has taken nothing for this many checks, one each second, is cut off. */
const LOOKS_MAX = 30;
/** A reader that takes nothing between two checks while this many changes came is cut off, too. */
const BEHIND_MAX = 1_000;

export interface OpenStreamOptions {
  readonly ctx: OperationContext;
  /** The scope that the key needs as long as the stream is open; `any`: a valid key is enough. */
  readonly scope: Scope | "any";
  /** Runs database work when it is this stream's turn. */
  readonly turn: <T>(work: () => Promise<T>) => Promise<T>;
  /** Called when the stream has ended; its connection may still be open. */
  readonly onEnd: (end: StreamEnd) => void;
  /** Called when its connection is closed. */
  readonly onGone: (stream: OpenStream) => void;
}

/** Events that a watch has given to its reader, who has not asked for more yet. */
export interface Held {
  /** The feed's end when they were given. */
  readonly headAtGiving: number;
  readonly headNow: () => number;
}

/** What a stream has to know of its key. */
interface KeyNow
  extends
    Pick<VerifiedKey, "actor" | "maxSensitivity" | "rateLimit" | "expiresAt" | "cidrs" | "region" | "isSuspended"> {
  readonly scopes: Iterable<Scope>;
}

export class OpenStream implements Disposable {
  readonly deps: Deps;
  /** The public id of the key that opened it; undefined for the service's own. */
  readonly credential: string | undefined;
  readonly workspaceId: string;
  readonly actor: string;
  readonly #options: OpenStreamOptions;
  readonly #ending = new AbortController();
  readonly #held = new Map<Held, number>();
  readonly #onTouched = new Set<() => void>();
  #end: StreamEnd | undefined;
  #scopes: ReadonlySet<Scope>;
  #clearance: Sensitivity;
  #rateLimit: RateLimitSetting | null = null;
  /** The key against whose rate messages count, whoever uses it. */
  #payer: string | undefined;
  #expiresAt: Date | null = null;
  /** Grows whenever the key is touched. */
  #touches = 1;
  #touchesChecked = 0;
  #checkedAtMs = -Infinity;
  #checking: Promise<void> | undefined;

  constructor(options: OpenStreamOptions) {
    const { ctx } = options;
    this.#options = options;
    this.deps = ctx.deps;
    this.credential = ctx.credential;
    this.workspaceId = ctx.workspaceId;
    this.actor = ctx.actor;
    this.#scopes = ctx.scopes;
    this.#clearance = ctx.maxSensitivity;
  }

  /** Aborted when the stream ends; its reason is the `ServiceError` that says why. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** How it ended; undefined while it is open. */
  get end(): StreamEnd | undefined {
    return this.#end;
  }

  /** What the stream may see now. */
  get maxSensitivity(): Sensitivity {
    return this.#clearance;
  }

  /** The caller on whose behalf it is open, for the audit log. */
  get subject(): OperationContext {
    return this.#options.ctx;
  }

  has(scope: Scope): boolean {
    return this.#scopes.has(scope);
  }

  /** A context with the clearance that the stream has now. */
  context(): OperationContext {
    const { ctx } = this.#options;
    const principal: Principal = { ...ctx, scopes: this.#scopes, maxSensitivity: this.#clearance };
    return createContext(this.deps, principal, { ...ctx, signal: this.signal });
  }

  /** Whether the key has to be looked up before anything more is sent. */
  get isDue(): boolean {
    return this.#touches !== this.#touchesChecked || performance.now() - this.#checkedAtMs > CHECK_AFTER_MS;
  }

  /** Notes that the key was revoked or changed, or may have been. */
  noteTouched(): void {
    this.#touches++;
    for (const tell of this.#onTouched) tell();
  }

  /** Calls `tell` when the key was changed, so that a waiting reader checks its rights again. */
  onTouched(tell: () => void): Disposable {
    this.#onTouched.add(tell);
    return { [Symbol.dispose]: () => void this.#onTouched.delete(tell) };
  }

  /**
   * Looks the key up if that is due, and ends the stream if the key may no longer have it.
   * @throws ServiceError the reason for which the stream has ended; `unavailable` while the key
   * cannot be looked up
   */
  async check(): Promise<void> {
    this.signal.throwIfAborted();
    if (isExpired({ expiresAt: this.#expiresAt }, this.deps.clock())) this.finish("access", refusedCredentials());
    while (this.end === undefined && this.isDue) {
      await (this.#checking ??= this.#lookUp().finally(() => this.#checking = undefined));
    }
    this.signal.throwIfAborted();
  }

  /**
   * Charges a message of the reader to the key's rate limit, like a request of this cost. @throws ServiceError
   * `rate_limited`
   */
  takeMessage(cost = 1): Promise<void> {
    const { actor, workspaceId } = this;
    return takeRequest(this.deps, { actor: this.#payer ?? actor, workspaceId, rateLimit: this.#rateLimit }, { cost });
  }

  /** Notes events that were given to the reader, until the reader asks for more. */
  hold(held: Held): Disposable {
    this.#held.set(held, 0);
    return { [Symbol.dispose]: () => void this.#held.delete(held) };
  }

  /** Ends the stream of a reader that does not keep up. */
  cutOff(): void {
    const message = "Cannot go on: the reader does not keep up; it may resume from its last cursor";
    this.finish("too_slow", new ServiceError("rate_limited", message));
  }

  /** Cuts off a reader that takes nothing. Called once a second. */
  look(): void {
    for (const [held, looks] of this.#held) {
      this.#held.set(held, looks + 1);
      const isBehind = looks > 0 && held.headNow() - held.headAtGiving > BEHIND_MAX;
      if (isBehind || looks >= LOOKS_MAX) return this.cutOff();
    }
  }

  finish(end: StreamEnd, reason: ServiceError): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#ending.abort(reason);
    this.#options.onEnd(end);
  }

  /** Closes the stream, when the face or the reader no longer needs it. */
  close(reason = new ServiceError("unavailable", "Cannot continue: the stream was closed")): void {
    this.finish("closed", reason);
  }

  /**
   * Call this when the connection has ended. Until then the stream counts, so that a reader who reads nothing cannot
   * open many.
   */
  [Symbol.dispose](): void {
    this.close();
    this.#options.onGone(this);
  }

  async #lookUp(): Promise<void> {
    const touches = this.#touches;
    const { credential } = this;
    if (credential !== undefined) {
      const key = await this.#options.turn(() => this.#findKey(credential));
      try {
        this.#take(key);
      } catch (error) {
        return this.finish("access", error as ServiceError);
      }
    }
    this.#touchesChecked = touches;
    this.#checkedAtMs = performance.now();
  }

  /** The key as it is now; undefined when it no longer counts. */
  async #findKey(credential: string): Promise<KeyNow | undefined> {
    const { key } = this.#options.ctx;
    try {
      if (key?.recheck !== undefined) return await key.recheck();
    } catch (error) {
      if (error instanceof ServiceError && error.code === "unauthenticated") return undefined;
      throw error;
    }
    const row = await this.deps.db.first((sql) => findApiKey(sql, credential), { readOnly: true });
    return row === undefined || row.revokedAt !== null ? undefined : { ...row, actor: `key:${row.keyId}` };
  }

  #take(key: KeyNow | undefined): void {
    const { ctx, scope } = this.#options;
    if (key === undefined || isExpired(key, this.deps.clock())) throw refusedCredentials();
    refuseAddress(key, ctx.address);
    refuseRegion(this.deps, key);
    refuseSuspended(key);
    this.#scopes = new Set(key.scopes);
    if (scope !== "any" && !this.has(scope)) {
      throw new ServiceError("insufficient_scope", `Cannot continue: the key no longer has the scope ${scope}`);
    }
    // A ticket may give a lower clearance than its key has.
    this.#clearance = leastSensitive(key.maxSensitivity, ctx.maxSensitivity);
    this.#rateLimit = key.rateLimit;
    this.#payer = key.actor;
    this.#expiresAt = key.expiresAt;
  }
}
