/** An operation as OpenAPI sees it: its error replies, headers and security follow from what it declares. */
import { createRoute, type RouteConfig, z } from "@hono/zod-openapi";
import { ERROR_CODES, type ErrorCode } from "../errors.ts";
import type { FileInput, Operation, OperationHead } from "../operations/operation.ts";
import { Problem } from "./problem.ts";
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
export interface Place {
  readonly method: "get" | "post" | "patch" | "put" | "delete";
  /** Below `/v1`, with `{name}` for parameters. */
  readonly path: `/${string}`;
  readonly deprecated: boolean;
}

/** The OpenAPI description of an operation; `responses` has the success replies. */
export function describeRoute(
  { method, path, deprecated }: Place,
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
    security: scope === "public" ? [] : [{ BearerAuth: [] }],
    ...(deprecated && { deprecated }),
    request: {
      ...(params && { params }),
      ...(query && { query }),
      ...(Object.keys(headers).length > 0 && { headers: z.object(headers) }),
      ...describeBody(operation),
    },
    responses: { ...describeErrors(method, operation), ...responses },
  });
  return route as RouteConfig & { operationId: string };
}

/** The replies of an operation that are no errors. */
export function describeReplies(operation: Operation): RouteConfig["responses"] {
  const { status, otherStatus, reply, isVersioned, summary, example } = operation;
  const describe = (description: string) => ({
    description,
    ...(isVersioned && { headers: { etag: { description: "The version", schema: { type: "string" as const } } } }),
    content: { "application/json": { schema: reply, ...exampleOf(example.reply ?? REPLIES[operation.id]) } },
  });
  return {
    [status]: describe(summary),
    ...(otherStatus && { [otherStatus.status]: describe(otherStatus.description) }),
  };
}

function describeErrors(method: string, operation: OperationHead): RouteConfig["responses"] {
  const codes = new Set<ErrorCode>([
    "invalid_request",
    "validation_failed",
    "internal",
    "unavailable",
    "deadline_exceeded",
  ]);
  const add = (...more: readonly ErrorCode[]) => more.forEach((code) => codes.add(code));
  if (operation.scope !== "public") {
    add("unauthenticated", "ip_not_allowed", "rate_limited");
    if (operation.scope !== "any") add("insufficient_scope");
    if (operation.bearer !== "admin") add("wrong_region");
    if (operation.bearer === "key") add("break_glass_required");
    if (operation.bearer === "peer") add("federation_token_invalid", "replay_detected", "not_found");
  }
  if (method !== "get") add("payload_too_large", "unsupported_media_type");
  if (operation.idempotency !== "none") add("idempotency_in_progress", "idempotency_key_reused");
  if (operation.params) add("not_found");
  if (operation.takesVersion) add("version_mismatch");
  add(...operation.errors);
  const byStatus = Map.groupBy(codes, (code) => ERROR_CODES[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, names]) => [status, {
      description: names.map((name) => `\`${name}\``).join(", "),
      ...(status === 429 && { headers: LIMIT_HEADERS }),
      content: { "application/problem+json": { schema: Problem } },
    }]),
  );
}

/** Whose bearer it is, where it is not any key's. */
const BEARERS = {
  admin: "An admin's bearer. ",
  peer: "Between instances: a key or a client certificate, and a token. ",
  key: "",
} as const;

function describeAccess({ scope, bearer, cost: { tokens, perItem, bySize, isHeavy } }: OperationHead): string {
  const access = `${BEARERS[bearer]}${scope === "any" ? "Any scope" : `Scope: \`${scope}\``}.`;
  if (bySize !== undefined) {
    return `${access} It costs ${tokens} of the key's rate for each ${bySize.each} ${bySize.of}s, and is heavy beyond them.`;
  }
  if (!isHeavy && tokens === 1) return access;
  const cost = perItem === undefined ? `${tokens} of the key's rate` : `1 of the key's rate for each ${perItem}`;
  return `${access} It costs ${cost}${isHeavy ? ", and is heavy" : ""}.`;
}

/** What a reply beyond a limit says, by the names under which `openapi.ts` describes it. */
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
