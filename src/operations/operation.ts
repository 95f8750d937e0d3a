/**
 * `operation()`: something that a caller can ask for, in one value: what it is called, who may ask for it, what it takes
 * and answers, what it costs, and what runs.
 *
 * An operation names no face. HTTP, RPC and other faces bind the same value, so that scope, validation, idempotency, audit
 * and cost are said once and no face can be without them: a face calls `answer` (or `answerFile`), which calls `read` and
 * `run`.
 */
import { z } from "zod";
import type { OperationContext } from "../context.ts";
import { type ErrorCode, ServiceError } from "../errors.ts";
import { Faults } from "../schema/faults.ts";
import { checkInput, invalidInput } from "../schema/field_errors.ts";
import type { Scope } from "../schema/scopes.ts";
import { type Cost, ONE } from "./cost.ts";
import { noteShown } from "./shown.ts";

/** `public`: no token. A required field of every operation, so that none ships without a decision about access. */
export type Access = Scope | "public";
/**
 * Whose bearer an operation takes: the key of a workspace, that of an admin, or what another instance proves itself with:
 * a key or a client certificate, and a token.
 */
export type Bearer = "key" | "admin" | "peer";
/**
 * Whom an operation between instances takes beside peers that were approved and verified: holders of a key that belongs to
 * no peer; approved peers before their first handshake; issuers of tokens that are no peers yet.
 */
export type PeerAdmission = "key_holder" | "unverified" | "stranger";
export type SuccessStatus = 200 | 201 | 202;
/**
 * `kept`: a repetition with the same `Idempotency-Key` gets the first reply, which commits with the write;
 * `kept_after`: the same, but the reply is kept after writes that commit in parts; `none`: there is nothing to repeat.
 */
export type Idempotency = "kept" | "kept_after" | "none";

export const BODY_BYTES_MAX = 1_048_576;
/** Import and batch operations. */
export const BATCH_BYTES_MAX = 33_554_432;

/** What an operation takes in the place of a body that is JSON. */
export interface FileInput {
  /** The media types that are understood; the first is the one that the document's example has. */
  readonly mediaTypes: readonly string[];
  readonly description: string;
  readonly example: string;
}

type Schema = z.ZodType | undefined;
type ObjectSchema = z.ZodObject | undefined;

/** What every operation says of itself. */
export interface CommonSpec<P, Q, B> {
  /** Verb and noun, such as `createFact`; the name of the value that holds the operation. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  readonly scope: Access;
  /** `key` unless said. */
  readonly bearer?: Bearer;
  /** Of one whose bearer is `peer`: nobody unless said. */
  readonly admits?: readonly PeerAdmission[];
  /** What it is about, such as the id of a fact. */
  readonly params?: P;
  /** Filters, places in a list and the like. */
  readonly query?: Q;
  readonly body?: B;
  /** A file in the place of `body`. */
  readonly file?: FileInput;
  /** The most bytes that the body may have; 1 MiB unless said. */
  readonly bodyBytesMax?: number;
  /** Codes beside those that every operation may answer. */
  readonly errors?: readonly ErrorCode[];
  /** Whether it changes something, so that a repetition has to be recognised; by its scope unless said. */
  readonly changes?: boolean;
  /** What it writes commits in parts and is the same when it is written again; its reply is kept after the last part. */
  readonly writesInParts?: boolean;
  /** What it takes of the key's rate; one token unless said. */
  readonly cost?: Cost;
}

export interface OperationSpec<P, Q, B, R> extends CommonSpec<P, Q, B> {
  readonly scope: Scope;
  readonly reply: R;
  /** The status of success; default: 200. */
  readonly status?: SuccessStatus;
  /** A second status with the same reply, such as 200 where the resource was there already; answer it with `Replied`. */
  readonly otherStatus?: { readonly status: SuccessStatus; readonly description: string };
  /** The reply carries a version. What changes the resource that `params` name takes the version that is expected. */
  readonly versioned?: boolean;
  /** False where a versioned resource is changed whatever its version is. */
  readonly expectsVersion?: boolean;
  /** The reply holds a secret that is shown once: what is kept of it for a repetition is sealed. */
  readonly repliesSecret?: boolean;
  /** A body that a test sends as it is, and a reply of the declared shape. */
  readonly example?: { readonly body?: unknown; readonly reply?: unknown };
}

type Member<Name extends string, S> = S extends z.ZodType ? { readonly [name in Name]: z.output<S> }
  : { readonly [name in Name]?: undefined };

/** What has been held against the operation's schemas. */
export type OperationInput<P = undefined, Q = undefined, B = undefined> =
  & Member<"params", P>
  & Member<"query", Q>
  & Member<"body", B>
  & {
    /** The version that the caller expects the resource to have, where one is named. */
    readonly expectedVersion?: number | undefined;
    /** The bytes of the file, where the operation takes one. */
    readonly file?: Uint8Array | undefined;
  };

/** What a caller sent, before it is held against the schemas. */
export interface Given {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
  readonly expectedVersion?: number | undefined;
  /** Reads the file; called only where the operation takes one and the rest of the input is good. */
  readonly file?: () => Promise<Uint8Array>;
}

/** A reply with the operation's `otherStatus`. */
export class Replied<T> {
  constructor(readonly body: T, readonly status: SuccessStatus) {}
}

/** What faces and the way in have to know of an operation. */
export interface OperationHead {
  readonly id: string;
  readonly summary: string;
  readonly description: string | undefined;
  readonly scope: Access;
  readonly bearer: Bearer;
  readonly admits: readonly PeerAdmission[];
  readonly params: ObjectSchema;
  readonly query: ObjectSchema;
  readonly body: Schema;
  readonly file: FileInput | undefined;
  readonly bodyBytesMax: number;
  readonly errors: readonly ErrorCode[];
  readonly idempotency: Idempotency;
  /** The caller may say which version of the resource is expected. */
  readonly takesVersion: boolean;
  readonly repliesSecret: boolean;
  readonly cost: Cost;
  readonly example: { readonly body?: unknown; readonly reply?: unknown };
}

interface Runs<I, O> {
  /**
   * Holds what a caller sent against the schemas; what the operation does not take is refused.
   * @param faults those that the face has found already: all are reported together
   * @throws ServiceError `validation_failed`; what reading the file throws
   */
  read(given: Given, faults?: Faults): Promise<I>;
  /**
   * Runs the operation with input that has been held against its schemas, when its turn has come.
   * @throws ServiceError `insufficient_scope`, `rate_limited`; what the operation is refused with
   */
  run(ctx: OperationContext, input: I): Promise<O>;
}

/** An operation that replies with JSON. */
export interface Operation<I = unknown, O = unknown> extends OperationHead, Runs<I, Replied<O>> {
  readonly scope: Scope;
  readonly reply: z.ZodType;
  readonly status: SuccessStatus;
  readonly otherStatus: { readonly status: SuccessStatus; readonly description: string } | undefined;
  readonly isVersioned: boolean;
}

/** A file that is made while it is read. */
export interface FileAnswer {
  readonly mediaType: string;
  readonly description: string;
  /** What it is called where it is saved. */
  readonly nameOf: (ctx: OperationContext) => string;
}

export type Chunks = AsyncIterableIterator<Uint8Array<ArrayBuffer>>;

/** An operation that answers with a file. It changes nothing. */
export interface FileOperation<I = unknown> extends OperationHead, Runs<I, Chunks> {
  readonly answers: FileAnswer;
}

/** Declares an operation. `handle` is one expression into the domain. */
export function operation<
  R extends z.ZodType,
  P extends ObjectSchema = undefined,
  Q extends ObjectSchema = undefined,
  B extends Schema = undefined,
>(
  spec: OperationSpec<P, Q, B, R>,
  handle: (ctx: OperationContext, input: OperationInput<P, Q, B>) => Promise<z.input<R> | Replied<z.input<R>>>,
): Operation<OperationInput<P, Q, B>, z.input<R>> {
  const { scope, reply, status = 200, otherStatus, versioned = false } = spec;
  const head = headOf(spec);
  return {
    ...head,
    scope,
    reply,
    status,
    otherStatus,
    isVersioned: versioned,
    read: (given, faults) => readInput(head, given, faults) as Promise<OperationInput<P, Q, B>>,
    async run(ctx, input) {
      requireScope(ctx, head);
      await ctx.begin?.();
      const result = await handle(ctx, input);
      const replied = result instanceof Replied ? result : new Replied(result, status);
      noteShown(ctx, replied.body);
      return replied;
    },
  };
}

/** Declares an operation that answers with a file. */
export function fileOperation<
  P extends ObjectSchema = undefined,
  Q extends ObjectSchema = undefined,
  B extends Schema = undefined,
>(
  spec: CommonSpec<P, Q, B> & { readonly answers: FileAnswer; readonly example?: { readonly body?: unknown } },
  handle: (ctx: OperationContext, input: OperationInput<P, Q, B>) => Promise<Chunks>,
): FileOperation<OperationInput<P, Q, B>> {
  const head = headOf({ ...spec, changes: false });
  return {
    ...head,
    answers: spec.answers,
    read: (given, faults) => readInput(head, given, faults) as Promise<OperationInput<P, Q, B>>,
    async run(ctx, input) {
      requireScope(ctx, head);
      await ctx.begin?.();
      return await handle(ctx, input);
    },
  };
}

/** The same operation under another id, for a caller that knows it by that. */
export function renamed<I, O>(operation: Operation<I, O>, id: string): Operation<I, O> {
  return { ...operation, id };
}

type AnySpec =
  & CommonSpec<ObjectSchema, ObjectSchema, Schema>
  & Partial<
    Pick<
      OperationSpec<unknown, unknown, unknown, unknown>,
      "versioned" | "expectsVersion" | "repliesSecret" | "example"
    >
  >;

/** What follows from what an operation says of itself. */
export function headOf(spec: AnySpec): OperationHead {
  const { id, summary, description, scope, bearer = "key", params, query, body, file, errors = [], example = {} } =
    spec;
  const changes = spec.changes ?? !(scope === "public" || scope.endsWith(":read"));
  const expectsVersion = spec.expectsVersion ?? (spec.versioned === true || errors.includes("version_mismatch"));
  return {
    id,
    summary,
    description,
    scope,
    bearer,
    admits: spec.admits ?? [],
    params,
    query,
    body,
    file,
    bodyBytesMax: spec.bodyBytesMax ?? BODY_BYTES_MAX,
    errors,
    idempotency: !changes ? "none" : spec.writesInParts === true ? "kept_after" : "kept",
    takesVersion: changes && params !== undefined && expectsVersion,
    repliesSecret: spec.repliesSecret === true,
    cost: spec.cost ?? ONE,
    example,
  };
}

/** The way in has looked at the scope already; a conversation of several operations came in by one of them. */
function requireScope(ctx: OperationContext, { id, scope }: OperationHead): void {
  if (scope === "public" || ctx.scopes.has(scope)) return;
  throw new ServiceError("insufficient_scope", `Cannot call ${id}: the key lacks the scope ${scope}`);
}

/** Made once: a schema costs more to make than to check. */
const NO_MEMBERS = z.strictObject({});

/** Holds what a caller sent against an operation's schemas. @throws as `read` of the operation does */
export async function readInput(
  { params, query, body, file }: OperationHead,
  given: Given,
  faults: Faults = new Faults(),
): Promise<OperationInput> {
  const check = (schema: z.ZodType, value: unknown): unknown => {
    const checked = checkInput(schema, value);
    if (checked.faults) faults.addAll(checked.faults);
    return checked.data;
  };
  // Without a schema no member is known, and an unknown one is refused, not ignored.
  const read = {
    params: params && check(params, given.params),
    query: check(query ?? NO_MEMBERS, given.query ?? {}),
    body: body === undefined ? check(NO_MEMBERS, given.body ?? {}) : check(body, given.body),
    expectedVersion: given.expectedVersion,
  };
  if (faults.size > 0) throw invalidInput(faults);
  return { ...read, file: file && await given.file?.() } as unknown as OperationInput;
}
