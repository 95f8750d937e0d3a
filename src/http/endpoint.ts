/**
 * `endpoint()`: one operation of the HTTP surface in one value: schemas, scope and handler together.
 *
 * It alone adds what all operations share, so that none can be without it: the security scheme, the error replies, the
 * fixed order of checks (decisions §1), validation, `ETag`/`If-Match`, the request's context. A handler is one
 * expression into the domain and never sees Hono.
 */
import { type RouteConfig, z } from "@hono/zod-openapi";
import type { OperationContext } from "../context.ts";
import type { Access } from "../edge/admit.ts";
import { checkInput, invalidInput } from "../edge/input.ts";
import type { BodyLimits } from "../edge/read_bytes.ts";
import { noteShown } from "../edge/shown.ts";
import { type ErrorCode, ServiceError } from "../errors.ts";
import { Faults } from "../schema/faults.ts";
import { readJsonBody, readOptionalJsonBody, readTypedBytes } from "./body.ts";
import type { SharedFile, SharedFiles } from "./shared_file.ts";
import { describeBytes, describeRoute, isKept, takesVersion } from "./describe_route.ts";

type Input<S> = S extends z.ZodType ? z.output<S> : undefined;

export type Method = "get" | "post" | "patch" | "put" | "delete";
export type Bearer = "key" | "admin";
export type SuccessStatus = 200 | 201 | 202 | 204;

export interface CommonSpec<P, Q> {
  readonly method: Method;
  /** Below `/v1`, with `{name}` for parameters. */
  readonly path: `/${string}`;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly scope: Access;
  /** Whose bearer it takes: the key of a workspace unless told, or that of an admin. */
  readonly bearer?: Bearer;
  readonly params?: P;
  readonly query?: Q;
  /** Codes beside those that every operation may answer. */
  readonly errors?: readonly ErrorCode[];
  /** It changes nothing although it is no GET, so that an `Idempotency-Key` has nothing to do; by its scope unless said. */
  readonly readOnly?: boolean;
}

export interface EndpointSpec<P, Q, B, R> extends CommonSpec<P, Q> {
  readonly body?: B;
  /** The most bytes the body may have; 1 MiB unless said. */
  readonly bodyBytesMax?: number;
  readonly status?: SuccessStatus;
  /** A second status with the same body, such as 200 where the resource was there already; answer it with `Replied`. */
  readonly otherStatus?: { readonly status: SuccessStatus; readonly description: string };
  readonly response: R;
  /** The resource carries a version: the reply has an `ETag`, and PATCH and DELETE honour `If-Match`. */
  readonly versioned?: boolean;
  /** The reply holds a secret that is shown once: what is kept of it for a repetition is sealed. */
  readonly repliesSecret?: boolean;
  /** A request body that a test sends as it is, and a reply of the declared shape. */
  readonly example?: { readonly body?: unknown; readonly response?: unknown };
}

export interface EndpointInput<P, Q, B> {
  readonly params: Input<P>;
  readonly query: Input<Q>;
  readonly body: Input<B>;
  /** The version that `If-Match` names, if the caller sent one. */
  readonly ifMatch: number | undefined;
}

/** What the router needs of an operation. */
export interface Endpoint {
  readonly scope: Access;
  readonly bearer: Bearer;
  readonly route: RouteConfig & { readonly operationId: string };
  readonly bodyBytesMax: number;
  /**
   * `kept`: a repetition with the same `Idempotency-Key` gets the first reply, which commits with the write;
   * `kept_after`: the same, but the reply is kept after writes that commit in parts; `none`: there is nothing to repeat.
   */
  readonly idempotency: "kept" | "kept_after" | "none";
  readonly repliesSecret: boolean;
  /** The parameter `ticket` may stand in the place of the bearer. */
  readonly takesTicket: boolean;
  readonly handle: (ctx: OperationContext, request: OperationRequest) => Promise<Response>;
}

export interface OperationRequest {
  readonly raw: Request;
  /** Decoded path parameters. */
  readonly params: Readonly<Record<string, string>>;
  /** Query parameters, repeated ones as arrays. */
  readonly query: Readonly<Record<string, string | string[]>>;
  /** How much of the body is read, and for how long. */
  readonly bodyLimits: BodyLimits;
  /** Whether replies are checked against their schema; on in tests. */
  readonly checkReply: boolean;
  /** The OpenAPI document; it describes the endpoint that serves it, too. */
  readonly apiDocument: () => SharedFile;
  /** What sends files that anybody may read. */
  readonly sharedFiles: SharedFiles;
}

export const BODY_BYTES_MAX = 1_048_576;
/** Import and batch operations. */
export const BATCH_BYTES_MAX = 33_554_432;

/** Declares an operation with a JSON reply. */
export function endpoint<
  R extends z.ZodType,
  P extends z.ZodObject | undefined = undefined,
  Q extends z.ZodObject | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
>(
  spec: EndpointSpec<P, Q, B, R>,
  run: (ctx: OperationContext, input: EndpointInput<P, Q, B>) => Promise<z.input<R> | Replied<z.input<R>>>,
): Endpoint {
  const status = spec.status ?? 200;
  return {
    scope: spec.scope,
    bearer: spec.bearer ?? "key",
    route: describeRoute(spec, status),
    bodyBytesMax: spec.bodyBytesMax ?? BODY_BYTES_MAX,
    idempotency: isKept(spec) ? "kept" : "none",
    repliesSecret: spec.repliesSecret === true,
    takesTicket: false,
    async handle(ctx, request) {
      const input = await readInput(spec, request);
      await ctx.begin?.();
      const result = await run(ctx, input as EndpointInput<P, Q, B>);
      const replied = result instanceof Replied ? result : new Replied(result, status);
      if (request.checkReply) assertReply(spec, replied.body);
      noteShown(ctx, replied.body);
      return jsonReply(replied.body, replied.status, spec.versioned === true);
    },
  };
}

/** A reply with the operation's `otherStatus`. */
export class Replied<T> {
  constructor(readonly body: T, readonly status: SuccessStatus) {}
}

/** A body that is not read as JSON. */
export interface BytesBody {
  /** The media types that are understood; the first is the one that the document's example has. */
  readonly mediaTypes: readonly string[];
  readonly description: string;
  readonly example: string;
}

interface RawSpec<P, Q, B> extends CommonSpec<P, Q> {
  /** A JSON body. */
  readonly body?: B;
  /** A body of another kind, in the place of one of JSON. */
  readonly bytes?: BytesBody;
  readonly bodyBytesMax?: number;
  /** What it writes commits in parts and is the same when it is written again; its reply is kept after the last part. */
  readonly writesInParts?: boolean;
  readonly example?: { readonly body?: unknown };
  /** The replies that are no errors. */
  readonly responses: RouteConfig["responses"];
  /** The parameter `ticket` may stand in the place of the bearer. */
  readonly takesTicket?: boolean;
  readonly servers?: RouteConfig["servers"];
}

interface RawInput<P, Q, B> {
  readonly params: Input<P>;
  readonly query: Input<Q>;
  readonly body: Input<B>;
  /** The body of an operation that declares `bytes`; empty otherwise. */
  readonly bytes: Uint8Array;
  readonly raw: Request;
  readonly apiDocument: () => SharedFile;
  readonly sharedFiles: SharedFiles;
}

/** Declares an operation that builds its own reply, or reads its own body: streams, text, the documentation. */
export function rawEndpoint<
  P extends z.ZodObject | undefined = undefined,
  Q extends z.ZodObject | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
>(
  spec: RawSpec<P, Q, B>,
  run: (ctx: OperationContext, input: RawInput<P, Q, B>) => Promise<Response>,
): Endpoint {
  const described = describeRoute({ ...spec, readOnly: spec.writesInParts !== true, response: z.unknown() }, 200);
  const route = spec.bytes === undefined ? described : { ...described, request: describeBytes(described, spec.bytes) };
  const { 200: _, ...refusals } = route.responses;
  const bodyBytesMax = spec.bodyBytesMax ?? BODY_BYTES_MAX;
  return {
    scope: spec.scope,
    bearer: spec.bearer ?? "key",
    route: {
      ...route,
      responses: { ...refusals, ...spec.responses },
      ...(spec.servers && { servers: spec.servers }),
    },
    bodyBytesMax,
    // A stream is not kept; such an operation changes nothing.
    idempotency: spec.writesInParts === true ? "kept_after" : "none",
    repliesSecret: false,
    takesTicket: spec.takesTicket === true,
    async handle(ctx, request) {
      const { params, query, body } = await readInput(spec, request);
      const { raw, apiDocument, sharedFiles } = request;
      const bytes = spec.bytes === undefined
        ? new Uint8Array(0)
        : await readTypedBytes(raw, spec.bytes.mediaTypes, request.bodyLimits);
      await ctx.begin?.();
      return run(ctx, {
        params: params as Input<P>,
        query: query as Input<Q>,
        body: body as Input<B>,
        bytes,
        raw,
        apiDocument,
        sharedFiles,
      });
    },
  };
}

/** Made once: a schema costs more to make than to check. */
const NO_MEMBERS = z.strictObject({});

/** Raw request parts → validated input; collects the faults of path, query and body together. */
async function readInput(
  spec: CommonSpec<z.ZodObject | undefined, z.ZodObject | undefined> & {
    readonly body?: z.ZodType | undefined;
    readonly bytes?: BytesBody;
    readonly versioned?: boolean;
  },
  request: OperationRequest,
): Promise<EndpointInput<unknown, unknown, unknown>> {
  const faults = new Faults();
  addNul(faults, request.params);
  addNul(faults, request.query);
  const check = (schema: z.ZodType | undefined, value: unknown): unknown => {
    if (!schema) return undefined;
    const checked = checkInput(schema, value);
    if (checked.faults) faults.addAll(checked.faults);
    return checked.data;
  };
  const ifMatch = readIfMatch(request.raw.headers.get("if-match"));
  if (ifMatch !== undefined && spec.method !== "get" && !takesVersion(spec)) {
    throw new ServiceError(
      "invalid_request",
      "Cannot take If-Match: there is no version here that it could be held against",
    );
  }
  const params = check(spec.params, request.params);
  // Without a schema no parameter is known, and an unknown one is refused like an unknown field.
  const query = check(spec.query ?? NO_MEMBERS, request.query);
  const { bodyLimits } = request;
  // Where no body is known, one without members says nothing; any member of it is refused, not ignored.
  const body = spec.body
    ? check(spec.body, await readJsonBody(request.raw, bodyLimits))
    : spec.method !== "get" && spec.bytes === undefined &&
      check(NO_MEMBERS, await readOptionalJsonBody(request.raw, bodyLimits) ?? {});
  if (faults.size > 0) throw invalidInput(faults);
  return { params, query, body, ifMatch } as EndpointInput<unknown, unknown, unknown>;
}

/** The reader of bodies refuses what no store can keep; of paths and queries this is all of it that UTF-8 lets through. */
function addNul(faults: Faults, values: Readonly<Record<string, string | string[]>>): void {
  for (const [path, value] of Object.entries(values)) {
    if ([value].flat().some((text) => text.includes("\0"))) faults.add(() => path, "must not contain NUL");
  }
}

function readIfMatch(header: string | null): number | undefined {
  if (header === null || header === "*") return undefined;
  const match = /^"(\d{1,10})"$/.exec(header);
  if (!match) throw new ServiceError("invalid_request", `Cannot read If-Match: it is not "<version>"`);
  return Number(match[1]);
}

function jsonReply(body: unknown, status: SuccessStatus, versioned: boolean): Response {
  if (status === 204) return new Response(null, { status });
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (versioned) headers["etag"] = `"${(body as { version: number }).version}"`;
  return new Response(JSON.stringify(body), { status, headers });
}

function assertReply(spec: { operationId: string; response: z.ZodType }, body: unknown): void {
  const { faults } = checkInput(spec.response, body === undefined ? body : JSON.parse(JSON.stringify(body)));
  if (faults) throw new Error(`${spec.operationId} broke its reply schema: ${JSON.stringify(faults.list())}`);
}
