/**
 * Answers one call of an operation, whichever the face: the audit log records it, it has one effect for each
 * `Idempotency-Key`, and its input is checked against the schemas before anything runs.
 */
import type { OperationContext } from "../context.ts";
import { answerAfter, answerOnce } from "../domain/access/idempotency.ts";
import { auditTrailOf } from "../domain/audit/trail.ts";
import { ServiceError } from "../errors.ts";
import { Faults } from "../schema/faults.ts";
import type { Chunks, FileOperation, Given, Operation, OperationHead, Replied } from "./operation.ts";

/** A reply as a face sends it, and as it is kept for a repetition. */
export interface FaceReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a face knows of one call. */
export interface Call<O> {
  /**
   * The caller's key for repetitions, where there is one.
   * @throws ServiceError `invalid_request` for one that is no key
   */
  readonly key: () => string | undefined;
  /** What must be the same in a repetition under that key. */
  readonly fingerprint: () => Promise<object> | object;
  /** The name under which the face keeps replies, so that no face gets another's; the operation's id unless said. */
  readonly keptAs?: string;
  /** What the caller presented: a reply that holds a secret is kept sealed under it. */
  readonly credential: string;
  /** What the caller sent; what the face itself finds wrong with it is added to the faults. */
  readonly given: (faults: Faults) => Promise<Given>;
  readonly present: (replied: Replied<O>) => FaceReply;
}

export interface Answer {
  readonly reply: FaceReply;
  /** The first reply, sent again. */
  readonly isReplay: boolean;
}

/** Answers a call of an admitted caller. @throws ServiceError */
export function answer<I, O>(ctx: OperationContext, operation: Operation<I, O>, call: Call<O>): Promise<Answer> {
  return audited(ctx, () =>
    runOnce(ctx, operation, call, async () => {
      const faults = new Faults();
      return await operation.read(await call.given(faults), faults);
    }));
}

/** Like `answer`, inside a conversation, which records itself in the audit log and has read the input piece by piece. */
export function answerWithin<I, O>(
  ctx: OperationContext,
  operation: Operation<I, O>,
  input: I,
  call: Omit<Call<O>, "given">,
): Promise<Answer> {
  return runOnce(ctx, operation, call, () => Promise.resolve(input));
}

async function runOnce<I, O>(
  ctx: OperationContext,
  operation: Operation<I, O>,
  call: Omit<Call<O>, "given">,
  read: () => Promise<I>,
): Promise<Answer> {
  const execute = async (ctx: OperationContext) => call.present(await operation.run(ctx, await read()));
  const key = call.key();
  const { idempotency } = operation;
  if (key === undefined || idempotency === "none") return { reply: await execute(ctx), isReplay: false };
  const fingerprint = fingerprintOf(ctx, operation, await call.fingerprint());
  const sealing = operation.repliesSecret ? { sealedUnder: call.credential } : {};
  const once = { operationId: call.keptAs ?? operation.id, key, fingerprint, ...sealing };
  return await (idempotency === "kept" ? answerOnce : answerAfter)(ctx, once, execute);
}

/** Admins share the place where their replies are kept; none is served another's. */
function fingerprintOf({ actor }: OperationContext, { bearer }: OperationHead, parts: object): string {
  return JSON.stringify(bearer === "admin" ? [parts, actor].flat() : parts);
}

/** Answers a call of an operation that gives a file. What goes wrong after its beginning is the face's to tell. */
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

/** Does what an admitted caller asks for, and records in the audit log how it ended. */
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
