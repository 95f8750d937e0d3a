/**
 * Answers one call of an operation, from any face: records it in the audit log, lets repetitions with the same
 * `Idempotency-Key` take effect once, and validates its input before the operation runs.
 */
import type { OperationContext } from "../context.ts";
import { answerAfter, answerOnce } from "../domain/access/idempotency.ts";
import { auditTrailOf } from "../domain/audit/trail.ts";
import { ServiceError } from "../errors.ts";
import { Faults } from "../schema/faults.ts";
import type { Chunks, FileOperation, Given, Operation, OperationInput, Replied } from "./operation.ts";

/** A reply in the form in which a face sends it and in which it is stored for repetitions. */
export interface FaceReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One call, as the face passes it on. */
export interface Call<O> {
  /**
   * Returns the caller's `Idempotency-Key`, if it sent one.
   * @throws ServiceError `invalid_request` if the key is malformed
   */
  readonly key: () => string | undefined;
  /**
   * The request as sent. It names a request whose input cannot be read, or is read before the call; any other is named by
   * its input as it was read, so that a repetition may spell out defaults or order members otherwise.
   */
  readonly fingerprint: () => Promise<object> | object;
  /** The name under which the face stores replies, so that faces do not share them; default: the operation's id. */
  readonly keptAs?: string;
  /** The caller's bearer token; a stored reply that contains a secret is encrypted with it. */
  readonly credential: string;
  /** Returns the caller's input, and adds the faults that the face itself finds in it. */
  readonly given: (faults: Faults) => Promise<Given>;
  readonly present: (replied: Replied<O>) => FaceReply;
}

export interface Answer {
  readonly reply: FaceReply;
  /** The reply is the stored one of an earlier call. */
  readonly isReplay: boolean;
}

/** Answers a call of an admitted caller. @throws ServiceError */
export function answer<I, O>(ctx: OperationContext, operation: Operation<I, O>, call: Call<O>): Promise<Answer> {
  return audited(ctx, () =>
    runOnce(ctx, operation, call, {
      async read() {
        const faults = new Faults();
        return await operation.read(await call.given(faults), faults);
      },
      partsOf,
    }));
}

/** The parts of a request's input that a repetition must have unchanged. */
async function partsOf(input: unknown): Promise<readonly unknown[]> {
  const { file, ...read } = input as OperationInput;
  const bytes = file as Uint8Array<ArrayBuffer> | undefined;
  const digest = bytes && new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toBase64();
  return [read.params, read.query, read.body, read.expectedVersion, digest];
}

/**
 * Like `answer`, for an operation inside a conversation, whose caller itself records it in the audit log and has validated
 * its input piece by piece.
 */
export function answerWithin<I, O>(
  ctx: OperationContext,
  operation: Operation<I, O>,
  input: I,
  call: Omit<Call<O>, "given">,
): Promise<Answer> {
  return runOnce(ctx, operation, call, { read: () => Promise.resolve(input) });
}

async function runOnce<I, O>(
  ctx: OperationContext,
  operation: Operation<I, O>,
  call: Omit<Call<O>, "given">,
  { read, partsOf }: { readonly read: () => Promise<I>; readonly partsOf?: (input: I) => Promise<readonly unknown[]> },
): Promise<Answer> {
  const key = call.key();
  const { idempotency } = operation;
  if (key === undefined || idempotency === "none") {
    return { reply: call.present(await operation.run(ctx, await read())), isReplay: false };
  }
  const sent = await call.fingerprint();
  // A request that cannot be read is refused only after it is known that no other one has its key.
  const reading = await read().then((input) => ({ input }), (refusal: unknown) => ({ refusal }));
  const parts = "input" in reading && partsOf !== undefined ? await partsOf(reading.input) : [sent];
  const execute = async (ctx: OperationContext) => {
    if ("refusal" in reading) throw reading.refusal;
    return call.present(await operation.run(ctx, reading.input));
  };
  // Admins share one store of replies, and must not get each other's.
  const fingerprint = operation.bearer === "admin" ? [...parts, ctx.actor] : parts;
  // Brokers share the store, too, and none may take a name that another one uses.
  const name = ctx.key?.broker === undefined ? key : `${ctx.actor} ${key}`;
  const sealing = operation.repliesSecret ? { sealedUnder: call.credential } : {};
  const once = { operationId: call.keptAs ?? operation.id, key: name, fingerprint, ...sealing };
  return await (idempotency === "kept" ? answerOnce : answerAfter)(ctx, once, execute);
}

/** Answers a call of an operation that returns a file. The face reports errors that occur after the file has begun. */
export function answerFile<I>(
  ctx: OperationContext,
  operation: FileOperation<I>,
  { key, given }: Pick<Call<never>, "key" | "given">,
): Promise<Chunks> {
  return audited(ctx, async () => {
    key();
    const faults = new Faults();
    return await operation.run(ctx, await operation.read(await given(faults), faults));
  });
}

/** Runs an admitted call and records its outcome in the audit log. */
export async function audited<T>(ctx: OperationContext, run: () => Promise<T>): Promise<T> {
  const audit = auditTrailOf(ctx.deps);
  try {
    const result = await run();
    audit.noteRequest(ctx, "ok");
    return result;
  } catch (error) {
    audit.noteRequest(ctx, error instanceof ServiceError ? error.code : "internal");
    throw error;
  }
}
