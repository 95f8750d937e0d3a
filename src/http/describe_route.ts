/** The OpenAPI description of an operation: its error replies, headers and security follow from its declaration. */
import { createRoute, type RouteConfig, z } from "@hono/zod-openapi";
import { ERROR_CODES, type ErrorCode } from "../errors.ts";
import type { FileInput, Operation, OperationHead } from "../operations/operation.ts";
import replies from "../gen/reply_examples.json" with { type: "json" };

/** Recorded replies to the examples, by operation id; deprecated paths show none. */
const REPLIES: Readonly<Record<string, unknown>> = replies;

const IdempotencyKey = z.string().min(1).max(255).optional().meta({
  description:
    "The same key with the same request gets the first reply for 24 hours, with `idempotency-replayed: true`; with another request it is refused",
});

const FederationToken = z.string().max(4_096).optional().meta({
  description:
    "A JWS in compact form that the peer signs for this request: `typ` `svc-fed+jwt`, claims `iss`, `aud`, `iat`, `exp` (`iat` + 300), `jti`, `payload_hash`, `htm`, `htu`. It counts once. The reply carries one, too",
});

/** The method and path to which an operation is bound. */
export interface RoutePlace {
  readonly method: "get" | "post" | "patch" | "put" | "delete";
  /** Below `/v1`, with `{name}` for parameters. */
  readonly path: `/${string}`;
  readonly deprecated: boolean;
}

/** The OpenAPI description of an operation; `responses` has the success replies. */
export function describeRoute(
  { method, path, deprecated }: RoutePlace,
  operation: OperationHead,
  responses: RouteConfig["responses"],
): RouteConfig & { operationId: string } {
  const { id, scope, summary, description, params, query } = operation;
  const headers = {
    ...(operation.takesVersion && {
      "if-match": z.string().optional().meta({ description: 'The expected version, `"<n>"`' }),
    }),
    ...(operation.idempotency !== "none" && { "idempotency-key": IdempotencyKey }),
    ...(operation.bearer === "peer" && { "x-svc-federation-token": FederationToken }),
  };
  const route = createRoute({
    method,
    path,
    operationId: id,
    summary,
    description: [description, scope === "public" ? undefined : describeAccess(operation)].filter(Boolean).join("\n\n"),
    // The document states once what every other operation needs.
    ...(scope === "public" && { security: [] }),
    ...(deprecated && { deprecated }),
    request: {
      ...(params && { params }),
      ...(query && { query }),
      ...(Object.keys(headers).length > 0 && { headers: z.object(headers) }),
      ...describeBody(operation),
    },
    responses: {
      ...responses,
      ...Object.fromEntries(
        errorReplies(method, operation).filter(({ status }) => !(status in responses))
          .map(({ status, name }) => [status, { $ref: `#/components/responses/${name}` }]),
      ),
    },
  });
  return route as RouteConfig & { operationId: string };
}

/** The success replies of an operation. */
export function describeReplies(operation: Operation): RouteConfig["responses"] {
  const { status, otherStatus, reply, isVersioned, example } = operation;
  const describe = (description: string, given: unknown) => ({
    description,
    ...(isVersioned && { headers: { etag: { $ref: "#/components/headers/ETag" } } }),
    content: { "application/json": { schema: reply, ...exampleOf(given) } },
  });
  return {
    [status]: describe(describeReply(operation), example.reply ?? REPLIES[operation.id]),
    ...(otherStatus && { [otherStatus.status]: describe(otherStatus.description, undefined) }),
  };
}

/** Describes a reply by its schema; a test requires a description if the schema has none. */
function describeReply({ reply, summary }: Operation): string {
  const items = reply instanceof z.ZodObject && "nextCursor" in reply.shape ? reply.shape["data"] : undefined;
  const item = items instanceof z.ZodArray ? (items.element as z.ZodType).meta()?.id : undefined;
  return reply.meta()?.description ?? (item === undefined ? summary : `A page of a list of \`${item}\``);
}

/** An error reply in the document: under its status or range of statuses, with its name among the components. */
export interface ErrorReply {
  readonly status: string;
  readonly name: string;
  readonly response: ResponseConfig;
}

type ResponseConfig = {
  readonly description: string;
  readonly headers?: Record<string, { $ref: string }>;
  readonly content: Record<string, { schema: { $ref: string } }>;
};

/**
 * The error replies of an operation. Refusals that all operations of its kind share stand under
 * `4XX`, failures of any operation under `5XX`. A status has a reply of its own if the operation
 * gives it another meaning.
 */
export function errorReplies(method: string, operation: OperationHead): ErrorReply[] {
  const common = commonCodes(method, operation);
  const isCommon = (status: number, all: readonly ErrorCode[]) =>
    all.every((code) => statusOf(code) !== status || common.includes(code) || FAILURES.includes(code));
  const named = ownCodes(operation);
  const own = named.filter((code) => !isCommon(statusOf(code), named));
  const refused = Map.groupBy(new Set([...common, ...own]), statusOf);
  const replies = [...new Set(own.map(statusOf))].map((status) => {
    const codes = refused.get(status)!;
    return {
      status: String(status),
      name: nameOf(codes),
      response: describeError(codes.toSorted().map(quote).join(", ")),
    };
  });
  const kind = ACCESS_NAMES[operation.scope] ?? BEARER_NAMES[operation.bearer];
  const verb = operation.idempotency !== "none" ? "Change" : method === "get" ? "Read" : "Query";
  return [
    {
      status: "4XX",
      name: `${kind}${verb}Refused`,
      response: { ...describeError(listCodes(common)), headers: LIMIT_HEADERS },
    },
    ...replies.sort((a, b) => a.status < b.status ? -1 : 1),
    {
      status: "5XX",
      name: "Failed",
      response: describeError(listCodes(FAILURES)),
    },
  ];
}

/** The codes with which any operation may fail. */
const FAILURES: readonly ErrorCode[] = ["internal", "unavailable", "deadline_exceeded"];

/** The codes that follow from the kind of the operation. */
function commonCodes(method: string, { scope, bearer, takesBrokers, idempotency }: OperationHead): ErrorCode[] {
  return [
    "invalid_request",
    ...(scope === "public" ? [] : ["unauthenticated", "ip_not_allowed"] as const),
    ...(scope === "public" || scope === "any" ? [] : ["insufficient_scope"] as const),
    ...(scope !== "public" && (bearer !== "admin" || takesBrokers) ? ["wrong_region"] as const : []),
    ...(scope !== "public" && bearer !== "admin" ? ["workspace_suspended"] as const : []),
    ...(scope !== "public" && bearer === "key" ? ["break_glass_required"] as const : []),
    ...(bearer === "peer" ? ["federation_token_invalid", "replay_detected"] as const : []),
    ...(idempotency === "none" ? [] : ["idempotency_in_progress"] as const),
    ...(method === "get" ? [] : ["payload_too_large", "unsupported_media_type"] as const),
    "validation_failed",
    ...(idempotency === "none" ? [] : ["idempotency_key_reused"] as const),
    ...(scope === "public" ? [] : ["rate_limited"] as const),
  ];
}

/** The error codes beyond those of the operation's kind: what its path, its version check and its own code may refuse. */
function ownCodes({ params, bearer, takesVersion, errors }: OperationHead): ErrorCode[] {
  return [
    ...new Set<ErrorCode>([
      ...(params || bearer === "peer" ? ["not_found"] as const : []),
      ...(takesVersion ? ["version_mismatch"] as const : []),
      ...errors,
    ]),
  ];
}

const statusOf = (code: ErrorCode) => ERROR_CODES[code].status;
const quote = (code: ErrorCode) => `\`${code}\``;

function listCodes(codes: readonly ErrorCode[]): string {
  return [...Map.groupBy(codes, statusOf)].map(([status, names]) => `${status}: ${names.map(quote).join(", ")}`).join(
    "; ",
  );
}

/** `ConflictOrInProgress` */
function nameOf(codes: readonly ErrorCode[]): string {
  const names = codes.map((code) =>
    code.toLowerCase().replace("idempotency_", "").replaceAll(/(?:^|_)([a-z])/g, (_, letter) => letter.toUpperCase())
  );
  return names.toSorted().join("Or");
}

function describeError(description: string): ResponseConfig {
  return { description, content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } } };
}

/** Describes the kind of bearer, if it is not any key. */
const BEARERS = {
  admin: "An admin's bearer. ",
  peer: "Between instances: a key or a client certificate, and a token. ",
  key: "",
} as const;
const ACCESS_NAMES: Readonly<Record<string, string>> = { public: "Public", any: "AnyScope" };
const BEARER_NAMES = { admin: "Admin", peer: "Peer", key: "" } as const;

function describeAccess(
  { scope, bearer, takesBrokers, cost: { tokens, perItem, bySize, isHeavy } }: OperationHead,
): string {
  const access = `${takesBrokers ? "An admin's bearer or a broker's key. " : BEARERS[bearer]}${
    scope === "any" ? "Any scope" : `Scope: \`${scope}\``
  }.`;
  if (bySize !== undefined) {
    return `${access} It costs ${tokens} of the key's rate for each ${bySize.each} ${bySize.of}s, and is heavy beyond them.`;
  }
  if (!isHeavy && tokens === 1) return access;
  const cost = perItem === undefined ? `${tokens} of the key's rate` : `1 of the key's rate for each ${perItem}`;
  return `${access} It costs ${cost}${isHeavy ? ", and is heavy" : ""}.`;
}

/** The headers of a reply beyond a limit, by the names under which `openapi.ts` describes them. */
const LIMIT_HEADERS = Object.fromEntries(
  ["Retry-After", "RateLimit", "RateLimit-Policy"].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
);

function describeBody({ body, file, example }: OperationHead): RouteConfig["request"] {
  if (file !== undefined) return { body: { required: true, content: describeFile(file) } };
  if (body === undefined) return {};
  return {
    body: { required: true, content: { "application/json": { schema: body, ...exampleOf(example.body) } } },
  };
}

function describeFile({ mediaTypes, description, example }: FileInput) {
  const schema = { type: "string" as const, description };
  return Object.fromEntries(mediaTypes.map((type, i) => [type, i === 0 ? { schema, example } : { schema }]));
}

function exampleOf(value: unknown) {
  return value === undefined ? {} : { example: value };
}
