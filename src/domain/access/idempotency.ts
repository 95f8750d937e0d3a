/**
 * Answers a request once: the same `Idempotency-Key` gets the same reply for 24 hours.
 *
 * The reply is stored in the transaction of the write that it answers, so that after a crash either both exist or
 * neither. Refusals are not stored: they have no effect, and the same request may succeed later.
 */
import type { OperationContext } from "../../context.ts";
import { canonicalJson } from "../../crypto/canonical_json.ts";
import { sha256Hex } from "../../crypto/hash.ts";
import { openText, sealText } from "../../crypto/sealed_text.ts";
import { HeldTransaction } from "../../db/held_transaction.ts";
import * as replies from "../../db/queries/idempotent_replies.ts";
import type { Tx } from "../../db/tx.ts";
import { ServiceError } from "../../errors.ts";
import { perService } from "../common/per_service.ts";
import { findUuids } from "../../schema/uuid.ts";

/** A reply in the form in which it is kept. */
export interface KeptReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface OnceRequest {
  readonly operationId: string;
  /** The caller's `Idempotency-Key`. */
  readonly key: string;
  /** The parts of the request that must be the same in a repetition, as JSON; the order of members is not a part. */
  readonly fingerprint: readonly unknown[];
  /** Set if the reply holds a secret: it is sealed under what the caller presents, which is stored nowhere. */
  readonly sealedUnder?: string;
}

/** Requests that this process is answering, so that their repetitions wait without a connection of their own. */
const runningOf = perService(() => new Map<string, Promise<void>>());
/** The longest wait for a running request, in milliseconds. */
const WAIT_MS = 10_000;

/**
 * Executes the request, or returns the reply that was given before. `execute` gets a context whose writes are held
 * until its reply is stored with them.
 * @throws ServiceError `idempotency_key_reused`, `idempotency_in_progress`, `erased` when the kept reply mentions
 * something that was erased since; whatever `execute` throws.
 */
export async function answerOnce(
  ctx: OperationContext,
  request: OnceRequest,
  execute: (ctx: OperationContext) => Promise<KeptReply>,
): Promise<{ readonly reply: KeptReply; readonly isReplay: boolean }> {
  const named = nameOf(ctx, request);
  const leave = await enter(ctx, named);
  try {
    const kept = await ctx.tx((tx) => replies.findReply(tx, named), { readOnly: true }) ??
      await executeHeld(ctx, named, execute);
    if ("reply" in kept) return { reply: kept.reply, isReplay: false };
    return { reply: readKept(kept, named), isReplay: true };
  } finally {
    leave();
  }
}

/**
 * Like `answerOnce`, for work that commits in parts and changes nothing when it is repeated. It
 * stores the request of the key before the first part and the reply after the last. If the work
 * breaks off in between, only the same request can repeat it. Several processes may work at the
 * same request; all return the reply that was stored first.
 */
export async function answerAfter(
  ctx: OperationContext,
  request: OnceRequest,
  execute: (ctx: OperationContext) => Promise<KeptReply>,
): Promise<{ readonly reply: KeptReply; readonly isReplay: boolean }> {
  const named = nameOf(ctx, request);
  const leave = await enter(ctx, named);
  try {
    const before = await ctx.tx((tx) => claimName(ctx, tx, named));
    if (before !== undefined) return { reply: readKept(before, named), isReplay: true };
    const reply = await executeClaimed(ctx, named, execute);
    const meanwhile = await ctx.tx(async (tx) => {
      await replies.lockReply(tx, named);
      const other = await replies.findReply(tx, named);
      if (other !== undefined && other.status !== null) return other;
      await replies.storeReply(tx, toRow(ctx, named, reply));
      return undefined;
    });
    return meanwhile === undefined ? { reply, isReplay: false } : { reply: readKept(meanwhile, named), isReplay: true };
  } finally {
    leave();
  }
}

/** The kept reply; undefined if there is none yet and only this request may make it. */
async function claimName(
  ctx: OperationContext,
  tx: Tx,
  named: NamedRequest,
): Promise<replies.IdempotentReplyRow | undefined> {
  await replies.lockReply(tx, named);
  const [kept, isKept] = await Promise.all([replies.findReply(tx, named), replies.isReplyKept(tx, named)]);
  if (kept === undefined && isKept) throw reused();
  if (kept === undefined) {
    await replies.claimReply(tx, { ...named, sensitivity: ctx.maxSensitivity });
    return undefined;
  }
  if (kept.fingerprint !== named.fingerprint) throw reused();
  return kept.status === null ? undefined : kept;
}

/** A refusal leaves the name free: it has no effect, and the caller may correct the request. */
async function executeClaimed(
  ctx: OperationContext,
  named: NamedRequest,
  execute: (ctx: OperationContext) => Promise<KeptReply>,
): Promise<KeptReply> {
  try {
    return await execute(ctx);
  } catch (error) {
    if (error instanceof ServiceError && error.status < 500 && !error.retryable) {
      await ctx.tx((tx) => replies.deleteClaim(tx, named));
    }
    throw error;
  }
}

function nameOf(ctx: OperationContext, request: OnceRequest): NamedRequest {
  const { operationId, key, fingerprint, sealedUnder } = request;
  // Each by itself: a body may be as deep as canonical JSON can be.
  const said = fingerprint.map((part) => part === undefined ? null : canonicalJson(part));
  const parts = [said, ctx.maxSensitivity, sealedUnder && sha256Hex(sealedUnder)];
  return { ...request, operationId, keyHash: sha256Hex(key), fingerprint: sha256Hex(JSON.stringify(parts)) };
}

/** Waits until no other request of this process answers under the same name, and takes its place. */
async function enter(ctx: OperationContext, { operationId, keyHash }: NamedRequest): Promise<() => void> {
  const name = `${ctx.workspaceId} ${operationId} ${keyHash}`;
  const here = runningOf(ctx.deps);
  const until = performance.now() + WAIT_MS;
  for (let other = here.get(name); other !== undefined; other = here.get(name)) {
    const timeout = Promise.withResolvers<void>();
    const timer = setTimeout(timeout.resolve, Math.max(0, until - performance.now()));
    await Promise.race([other, timeout.promise]);
    clearTimeout(timer);
    ctx.signal.throwIfAborted();
    if (performance.now() >= until) throw inProgress();
  }
  const done = Promise.withResolvers<void>();
  here.set(name, done.promise);
  return () => {
    here.delete(name);
    done.resolve();
  };
}

type NamedRequest = Omit<OnceRequest, "fingerprint"> & replies.ReplyName & { readonly fingerprint: string };

/** Returns the new reply, or the kept one if another process was faster. */
async function executeHeld(
  ctx: OperationContext,
  request: NamedRequest,
  execute: (ctx: OperationContext) => Promise<KeptReply>,
): Promise<{ readonly reply: KeptReply } | replies.IdempotentReplyRow> {
  const claim = async (tx: Tx) => {
    if (!await replies.tryLockReply(tx, request)) throw inProgress();
    const [kept, isKept] = await Promise.all([replies.findReply(tx, request), replies.isReplyKept(tx, request)]);
    if (kept !== undefined) throw new AnsweredMeanwhile(kept);
    // The kept reply was made for a caller of a higher clearance.
    if (isKept) throw reused();
  };
  const held = new HeldTransaction((work, options) => ctx.tx(work, options), claim);
  try {
    const reply = await execute({
      ...ctx,
      // A read before the first write needs no lock; a later read has to see what was written.
      tx: (work, options) => options?.readOnly && !held.isOpen ? ctx.tx(work, options) : held.run(work, options),
    });
    await held.commit((tx) => replies.storeReply(tx, toRow(ctx, request, reply)));
    return { reply };
  } catch (error) {
    await held.rollback();
    if (error instanceof AnsweredMeanwhile) return error.kept;
    throw error;
  }
}

class AnsweredMeanwhile extends Error {
  constructor(readonly kept: replies.IdempotentReplyRow) {
    super("another process has answered this request");
  }
}

function toRow(ctx: OperationContext, request: NamedRequest, reply: KeptReply): replies.NewIdempotentReply {
  const { sealedUnder: secret, operationId, keyHash, fingerprint } = request;
  return {
    operationId,
    keyHash,
    fingerprint,
    sensitivity: ctx.maxSensitivity,
    status: reply.status,
    headers: reply.headers,
    body: secret === undefined ? reply.body : sealText(reply.body, secret, operationId),
    sealed: secret !== undefined,
    resourceIds: [...new Set(findUuids(reply.body))],
  };
}

function readKept(kept: replies.IdempotentReplyRow, request: NamedRequest): KeptReply {
  if (kept.fingerprint !== request.fingerprint) throw reused();
  if (kept.status === null) throw inProgress();
  if (kept.body === null) {
    throw new ServiceError("erased", "Cannot repeat the reply: a resource in it was erased");
  }
  const body = kept.sealed ? openText(kept.body, request.sealedUnder ?? "", request.operationId) : kept.body;
  if (body === undefined) throw reused();
  return { status: kept.status, headers: kept.headers, body };
}

function reused(): ServiceError {
  return new ServiceError(
    "idempotency_key_reused",
    "Cannot accept the request: its Idempotency-Key was used for a different one",
  );
}

function inProgress(): ServiceError {
  return new ServiceError(
    "idempotency_in_progress",
    "Cannot answer yet: a request with the same Idempotency-Key is still running",
    { headers: { "retry-after": "1" } },
  );
}

/** Deletes replies that are too old to be served; returns whether there may be more. */
export async function forgetOldReplies(ctx: OperationContext): Promise<boolean> {
  return await ctx.tx((tx) => replies.deleteOldReplies(tx, OLD_REPLIES_MAX)) === OLD_REPLIES_MAX;
}

const OLD_REPLIES_MAX = 1_000;
