/**
 * `operation()` declares an operation that callers can request. One value holds its id, its scope, its input and output
 * schemas, its cost and its handler.
 *
 * An operation does not depend on a face. HTTP, RPC and other faces bind the same value, so that scope, validation,
 * idempotency, audit and cost are declared once and hold for every face: a face calls `answer` (or `answerFile`), which
 * calls `read` and `run`.
 */
import { z } from "zod";
import type { OperationContext } from "../context.ts";
import { hideAbove } from "../domain/common/hidden.ts";
import { type ErrorCode, ServiceError } from "../errors.ts";
import { Faults } from "../schema/faults.ts";
import { checkInput, invalidInput } from "../schema/field_errors.ts";
import type { Scope } from "../schema/scopes.ts";
import { type Cost, ONE } from "./cost.ts";
import { noteShown } from "./shown.ts";

/** The scope that an operation requires of a key; `any`: it takes every valid key, whatever its scopes. */
export type KeyAccess = Scope | "any";
/** What an operation requires of its caller; `public`: no token. It is a required field, so that access is decided for each. */
export type Access = KeyAccess | "public";
/**
 * The kind of bearer token that an operation takes: the key of a workspace, the key of an admin, or the credentials of
 * another instance, which are a key or a client certificate, and a token.
 */
export type Bearer = "key" | "admin" | "peer";
/**
 * The callers that an operation between instances admits besides approved and verified peers: holders of a key that belongs
 * to no peer; approved peers before their first handshake; issuers of tokens that are no peers yet.
 */
export type PeerAdmission = "key_holder" | "unverified" | "stranger";
export type SuccessStatus = 200 | 201 | 202;
/**
 * `kept`: a repetition with the same `Idempotency-Key` gets the first reply, which is stored in the transaction of the
 * write; `kept_after`: the same, but the reply is stored after the last of several transactions; `none`: no reply is stored,
 * because the operation changes nothing.
 */
export type Idempotency = "kept" | "kept_after" | "none";

export const BODY_BYTES_MAX = 1_048_576;
/** The largest body of import and batch operations. */
export const BATCH_BYTES_MAX = 33_554_432;

/** A file that an operation takes instead of a JSON body. */
export interface FileInput {
  /** The media types that the operation accepts; the example in the OpenAPI document has the first one. */
  readonly mediaTypes: readonly string[];
  readonly description: string;
  readonly example: string;
}

type Schema = z.ZodType | undefined;
type ObjectSchema = z.ZodObject | undefined;

/** The part of a declaration that all operations share. */
export interface CommonSpec<P, Q, B> {
  /** A verb and a noun, such as `createFact`. The exported value that holds the operation has the same name. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  readonly scope: Access;
  /** Default: `key`. */
  readonly bearer?: Bearer;
  /** Which other callers an operation with the bearer `peer` admits; default: none. */
  readonly admits?: readonly PeerAdmission[];
  /** Whether an operation with the bearer `admin` takes the key of a broker, too; default: false. */
  readonly takesBrokers?: boolean;
  /** Identifies the resource, such as by the id of a fact. */
  readonly params?: P;
  /** Filters, cursors and similar options. */
  readonly query?: Q;
  readonly body?: B;
  /** The file that the operation takes instead of `body`. */
  readonly file?: FileInput;
  /** The most bytes that the body may have; default: 1 MiB. */
  readonly bodyBytesMax?: number;
  /** Error codes besides those that every operation may return. */
  readonly errors?: readonly ErrorCode[];
  /**
   * Whether it changes something, so that repetitions must be recognised; default: true unless its scope only allows
   * reads.
   */
  readonly changes?: boolean;
  /** It writes in several transactions, and repeating these changes nothing. Its reply is stored after the last one. */
  readonly writesInParts?: boolean;
  /** How much of the key's rate limit it uses; default: one token. */
  readonly cost?: Cost;
}

export interface OperationSpec<P, Q, B, R> extends CommonSpec<P, Q, B> {
  readonly scope: KeyAccess;
  readonly reply: R;
  /** The status of success; default: 200. */
  readonly status?: SuccessStatus;
  /**
   * A second success status with the same reply, such as 200 if the resource existed already; the handler returns a
   * `Replied`.
   */
  readonly otherStatus?: { readonly status: SuccessStatus; readonly description: string };
  /**
   * The reply has a version. If the operation changes the resource in `params`, it takes the version that the caller
   * expects.
   */
  readonly versioned?: boolean;
  /** False if the operation changes a versioned resource whatever its version is. */
  readonly expectsVersion?: boolean;
  /** The reply contains a secret that is shown once. The copy that is stored for repetitions is therefore encrypted. */
  readonly repliesSecret?: boolean;
  /** A body that tests send unchanged, and a reply that the schema accepts. */
  readonly example?: { readonly body?: unknown; readonly reply?: unknown };
}

type Member<Name extends string, S> = S extends z.ZodType ? { readonly [name in Name]: z.output<S> }
  : { readonly [name in Name]?: undefined };

/** Input that was validated against the operation's schemas. */
export type OperationInput<P = undefined, Q = undefined, B = undefined> =
  & Member<"params", P>
  & Member<"query", Q>
  & Member<"body", B>
  & {
    /** The version that the caller expects the resource to have; undefined: any. */
    readonly expectedVersion?: number | undefined;
    /** The bytes of the file, if the operation takes one. */
    readonly file?: Uint8Array | undefined;
  };

/** A caller's input before it is validated against the schemas. */
export interface Given {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
  readonly expectedVersion?: number | undefined;
  /** Reads the file; called only if the operation takes one and the rest of the input is valid. */
  readonly file?: () => Promise<Uint8Array>;
}

/** A reply with the operation's `otherStatus`. */
export class Replied<T> {
  constructor(readonly body: T, readonly status: SuccessStatus) {}
}

/** The properties of an operation that faces and admission (`src/edge`) use. */
export interface OperationHead {
  readonly id: string;
  readonly summary: string;
  readonly description: string | undefined;
  readonly scope: Access;
  readonly bearer: Bearer;
  readonly admits: readonly PeerAdmission[];
  readonly takesBrokers: boolean;
  readonly params: ObjectSchema;
  readonly query: ObjectSchema;
  readonly body: Schema;
  readonly file: FileInput | undefined;
  readonly bodyBytesMax: number;
  readonly errors: readonly ErrorCode[];
  readonly idempotency: Idempotency;
  /** The caller may state which version of the resource it expects. */
  readonly takesVersion: boolean;
  readonly repliesSecret: boolean;
  readonly cost: Cost;
  readonly example: { readonly body?: unknown; readonly reply?: unknown };
}

interface Runs<I, O> {
  /**
   * Validates a caller's input against the schemas; refuses members that the operation does not take.
   * @param faults the faults that the face has found already; all faults are reported together
   * @throws ServiceError `validation_failed`, and the errors of reading the file
   */
  read(given: Given, faults?: Faults): Promise<I>;
  /**
   * Waits for the operation's turn and runs it with validated input.
   * @throws ServiceError `insufficient_scope`, `rate_limited`, and the errors of the operation
   */
  run(ctx: OperationContext, input: I): Promise<O>;
}

/** An operation that replies with JSON. */
export interface Operation<I = unknown, O = unknown> extends OperationHead, Runs<I, Replied<O>> {
  readonly scope: KeyAccess;
  readonly reply: z.ZodType;
  readonly status: SuccessStatus;
  readonly otherStatus: { readonly status: SuccessStatus; readonly description: string } | undefined;
  readonly isVersioned: boolean;
}

/** A file that is made while it is read. */
export interface FileAnswer {
  readonly mediaType: string;
  readonly description: string;
  /** The file name under which clients save it. */
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
      const { body, status: by } = result instanceof Replied ? result : new Replied(result, status);
      const replied = new Replied(await hideAbove(ctx, body), by);
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

/** Computes the head of an operation from its declaration. */
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
    takesBrokers: spec.takesBrokers === true,
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

/**
 * Checks the key's scope. Admission has checked it for the operation of a request, but an RPC conversation is admitted by
 * one operation and then calls others.
 */
function requireScope(ctx: OperationContext, { id, scope }: OperationHead): void {
  if (scope === "public" || scope === "any" || ctx.scopes.has(scope)) return;
  throw new ServiceError("insufficient_scope", `Cannot call ${id}: the key lacks the scope ${scope}`);
}

/** Built once: building a schema costs more than validating with it. */
const NO_MEMBERS = z.strictObject({});

/** Validates a caller's input against an operation's schemas. @throws like the operation's `read` */
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
  // If there is no schema, every member is unknown; unknown members are refused, not ignored.
  const read = {
    params: params && check(params, given.params),
    query: check(query ?? NO_MEMBERS, given.query ?? {}),
    body: body === undefined ? check(NO_MEMBERS, given.body ?? {}) : check(body, given.body),
    expectedVersion: given.expectedVersion,
  };
  if (faults.size > 0) throw invalidInput(faults);
  return { ...read, file: file && await given.file?.() } as unknown as OperationInput;
}
