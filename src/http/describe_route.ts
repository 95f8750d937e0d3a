/** An operation as OpenAPI sees it: its error replies, headers and security follow from what it declares. */
import { createRoute, type RouteConfig, z } from "@hono/zod-openapi";
import { costOf } from "../edge/costs.ts";
import { ERROR_CODES, type ErrorCode } from "../errors.ts";
import type { BytesBody, CommonSpec, EndpointSpec, SuccessStatus } from "./endpoint.ts";
import { Problem } from "./problem.ts";

const IdempotencyKey = z.string().min(1).max(255).optional().meta({
  description:
    "The same key with the same request gets the first reply for 24 hours, with `idempotency-replayed: true`; with another request it is refused",
});

/** Whether the operation changes something, so that a repetition has to be recognised. */
export function isKept({ method, scope, readOnly }: CommonSpec<unknown, unknown>): boolean {
  return method !== "get" && scope !== "public" && !(readOnly ?? scope === "memory:read");
}

/** Whether `If-Match` says which version of the resource in the path is expected. */
export function takesVersion(
  { method, params, versioned, errors }: CommonSpec<unknown, unknown> & { readonly versioned?: boolean },
): boolean {
  if (method === "get" || params === undefined) return false;
  return (versioned === true && method !== "post") || errors?.includes("version_mismatch") === true;
}

/** The operation as OpenAPI sees it. */
export function describeRoute<P, Q, B, R extends z.ZodType>(
  spec: EndpointSpec<P, Q, B, R>,
  status: SuccessStatus,
) {
  const mutates = spec.method !== "get";
  const codes = new Set<ErrorCode>([
    "invalid_request",
    "validation_failed",
    "internal",
    "unavailable",
    "deadline_exceeded",
  ]);
  if (spec.scope !== "public") {
    for (const code of ["unauthenticated", "ip_not_allowed", "insufficient_scope", "rate_limited"] as const) {
      codes.add(code);
    }
    if (spec.bearer !== "admin") {
      for (const code of ["wrong_region", "break_glass_required"] as const) codes.add(code);
    }
  }
  if (mutates) { for (const code of ["payload_too_large", "unsupported_media_type"] as const) codes.add(code); }
  const kept = isKept(spec);
  if (kept) { for (const code of ["idempotency_in_progress", "idempotency_key_reused"] as const) codes.add(code); }
  if (spec.params) codes.add("not_found");
  if (takesVersion(spec)) codes.add("version_mismatch");
  for (const code of spec.errors ?? []) codes.add(code);
  const byStatus = Map.groupBy(codes, (code) => ERROR_CODES[code].status);
  const etag = spec.versioned
    ? { headers: { etag: { description: "The version", schema: { type: "string" as const } } } }
    : {};
  const headers = {
    ...(takesVersion(spec) && {
      "if-match": z.string().optional().meta({ description: 'The expected version, `"<n>"`' }),
    }),
    ...(kept && { "idempotency-key": IdempotencyKey }),
  };
  const example = (value: unknown) => (value === undefined ? {} : { example: value });
  const reply = (description: string) =>
    status === 204 ? { description } : {
      description,
      ...etag,
      content: { "application/json": { schema: spec.response, ...example(spec.example?.response) } },
    };
  const route = createRoute({
    method: spec.method,
    path: spec.path,
    operationId: spec.operationId,
    summary: spec.summary,
    description: [spec.description, spec.scope === "public" ? undefined : describeAccess(spec)]
      .filter(Boolean).join("\n\n"),
    tags: [tagOf(spec.path)],
    security: spec.scope === "public" ? [] : [{ BearerAuth: [] }],
    request: {
      ...(spec.params ? { params: spec.params as unknown as z.ZodObject } : {}),
      ...(spec.query ? { query: spec.query as unknown as z.ZodObject } : {}),
      ...(Object.keys(headers).length > 0 && { headers: z.object(headers) }),
      ...(spec.body
        ? {
          body: {
            required: true,
            content: {
              "application/json": { schema: spec.body as unknown as z.ZodType, ...example(spec.example?.body) },
            },
          },
        }
        : {}),
    },
    responses: {
      [status]: reply(spec.summary),
      ...(spec.otherStatus && { [spec.otherStatus.status]: reply(spec.otherStatus.description) }),
      ...Object.fromEntries(
        [...byStatus].map(([code, names]) => [code, {
          description: names.map((name) => `\`${name}\``).join(", "),
          ...(code === 429 && { headers: LIMIT_HEADERS }),
          content: { "application/problem+json": { schema: Problem } },
        }]),
      ),
    },
  });
  return route as RouteConfig & { operationId: string };
}

function describeAccess({ scope, bearer, operationId }: CommonSpec<unknown, unknown>): string {
  const access = bearer === "admin" ? `An admin's bearer. Scope: \`${scope}\`.` : `Scope: \`${scope}\`.`;
  const { tokens, perItem, bySize, isHeavy } = costOf(operationId);
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

/** `/memory/facts/{id}` → `memory/facts`; `/admin/keys/{id}/revoke` → `admin/keys`; `/facts` → `facts`. */
function tagOf(path: string): string {
  const parts = path.split("/").slice(1).filter((part) => !part.startsWith("{"));
  return ["memory", "admin"].includes(parts[0]!) ? parts.slice(0, 2).join("/") : parts[0] ?? "root";
}

/** The request of an operation that reads its body itself. */
export function describeBytes(route: RouteConfig, { mediaTypes, description, example }: BytesBody) {
  const schema = { type: "string" as const, description };
  const content = mediaTypes.map((type, i) => [type, i === 0 ? { schema, example } : { schema }]);
  return { ...route.request, body: { required: true, content: Object.fromEntries(content) } };
}
