/**
 * `route()` binds an operation to a method and a path. It adds only what is specific to HTTP: it reads the input from path,
 * query, headers and body, and sends the reply. Everything else comes from the operation.
 */
import type { RouteConfig, z } from "@hono/zod-openapi";
import type { OperationContext } from "../context.ts";
import { answer, audited, type FaceReply } from "../operations/answer.ts";
import {
  type CommonSpec,
  type FileOperation,
  headOf,
  type Operation,
  type OperationHead,
  type OperationInput,
  readInput,
  renamed,
  type Replied,
} from "../operations/operation.ts";
import { Faults } from "../schema/faults.ts";
import { checkInput } from "../schema/field_errors.ts";
import { describeReplies, describeRoute, type RoutePlace } from "./describe_route.ts";
import { type HttpRequest, readRequest } from "./input.ts";

/** An operation with its method and path, as the router takes it. */
export interface Endpoint extends OperationHead {
  /** The operation that it binds, possibly under another id; undefined for an endpoint that only HTTP has. */
  readonly operation: Operation | FileOperation | undefined;
  readonly route: RouteConfig & { readonly operationId: string };
  /** Whether the parameter `ticket` may replace the bearer token. */
  readonly takesTicket: boolean;
  readonly answer: (ctx: OperationContext, request: HttpRequest) => Promise<Response>;
}

/** The parts of the reference, in their order. */
export const SECTIONS = [
  "Start here",
  "Knowledge",
  "Overviews and feeds",
  "Agents",
  "Upkeep",
  "Administration",
  "Operation",
] as const;

/** The group of the endpoints of a route module in the API reference. Modules about the same resource share a group. */
export interface Group {
  /** The heading in the reference. */
  readonly name: string;
  readonly section: (typeof SECTIONS)[number];
  /** The rank among the groups of its section, lowest first. Groups without one come last, sorted by name. */
  readonly place?: number;
  readonly description: string;
}

/** The `servers` entry for paths outside `/v1`, which is the document's own server. */
export const AT_ROOT = [{ url: "/" }];

/** Binds an operation. */
export function route<I, O>(
  method: RoutePlace["method"],
  path: RoutePlace["path"],
  operation: Operation<I, O>,
): Endpoint {
  return bind({ method, path, deprecated: false }, operation, operation);
}

/**
 * Binds an operation to its path in version 2 of the interface. Its id is the operation's with `V2` at the end, unless
 * it had a name of its own.
 */
export function alias<I, O>(
  method: RoutePlace["method"],
  path: RoutePlace["path"],
  operation: Operation<I, O>,
  id: string = `${operation.id}V2`,
): Endpoint {
  return bind({ method, path, deprecated: true }, renamed(operation, id), operation);
}

function bind<I, O>(place: RoutePlace, bound: Operation<I, O>, operation: Operation<I, O>): Endpoint {
  return {
    ...bound,
    operation: operation,
    route: describeRoute(place, bound, describeReplies(bound)),
    takesTicket: false,
    async answer(ctx, request) {
      const { reply, isReplay } = await answer(ctx, bound, {
        ...readRequest(place.method, bound, request),
        present: (replied) => present(bound, replied, request.checkReply),
      });
      return new Response(reply.body, {
        status: reply.status,
        headers: { ...reply.headers, ...(isReplay && { "idempotency-replayed": "true" }) },
      });
    },
  };
}

function present<O>(operation: Operation<unknown, O>, { body, status }: Replied<O>, isChecked: boolean): FaceReply {
  if (isChecked) assertReply(operation, body);
  return {
    status,
    headers: {
      "content-type": "application/json",
      ...(operation.isVersioned && { etag: `"${(body as { version: number }).version}"` }),
    },
    body: JSON.stringify(body),
  };
}

function assertReply({ id, reply }: { id: string; reply: z.ZodType }, body: unknown): void {
  const { faults } = checkInput(reply, body === undefined ? body : JSON.parse(JSON.stringify(body)));
  if (faults) throw new Error(`${id} broke its reply schema: ${JSON.stringify(faults.list())}`);
}

interface RawSpec<P, Q> extends CommonSpec<P, Q, undefined> {
  readonly method: "get";
  readonly path: RoutePlace["path"];
  /** The success replies. */
  readonly responses: RouteConfig["responses"];
  readonly takesTicket?: boolean;
  readonly servers?: RouteConfig["servers"];
}

interface RawInput<P, Q> extends HttpRequest {
  readonly input: OperationInput<P, Q>;
}

/**
 * Declares an endpoint that only HTTP has and that builds its own reply: the documentation, a probe, the WebSocket. It must
 * not change data.
 */
export function rawRoute<
  P extends z.ZodObject | undefined = undefined,
  Q extends z.ZodObject | undefined = undefined,
>(
  spec: RawSpec<P, Q>,
  run: (ctx: OperationContext, request: RawInput<P, Q>) => Promise<Response>,
): Endpoint {
  const { method, path, responses, servers, takesTicket = false } = spec;
  const head = headOf({ ...spec, changes: false });
  const answerRaw = async (ctx: OperationContext, request: HttpRequest) => {
    const { key, given } = readRequest(method, head, request);
    if (head.scope !== "public") key();
    const faults = new Faults();
    const input = await readInput(head, await given(faults), faults);
    await ctx.begin?.();
    return await run(ctx, { ...request, input: input as OperationInput<P, Q> });
  };
  return {
    ...head,
    operation: undefined,
    route: { ...describeRoute({ method, path, deprecated: false }, head, responses), ...(servers && { servers }) },
    takesTicket,
    answer: (ctx, request) =>
      head.scope === "public" ? answerRaw(ctx, request) : audited(ctx, () => answerRaw(ctx, request)),
  };
}
