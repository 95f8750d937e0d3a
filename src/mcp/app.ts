/**
 * The MCP surface: `POST /mcp` and `POST /mcp/all`, without state, for the revision 2026-07-28 and earlier ones.
 *
 * The library gets only requests that have passed all checks: origin, size, key, address, region, rate, body.
 */
import type { Deps } from "../context.ts";
import { withChallenge } from "../domain/access/protected_resource.ts";
import { admit } from "../edge/admit.ts";
import { observe, type Observed, toRefusal } from "../edge/observe.ts";
import { problemOf } from "../edge/problem.ts";
import { refuseWideQuery } from "../edge/query_limits.ts";
import { readBytes } from "../edge/read_bytes.ts";
import { ServiceError } from "../errors.ts";
import { ONE } from "../operations/cost.ts";
import { BODY_BYTES_MAX } from "../operations/operation.ts";
import { parseJson } from "../schema/json_text.ts";
import { Call } from "./call.ts";
import { refuseHead } from "./head.ts";
import { type Exchange, makeServer } from "./server.ts";
import { loadLibrary, type McpLibrary } from "./library.ts";
import type { Tool } from "./tool.ts";
import { ALL_TOOLS, TOOLS } from "./tools/mod.ts";

export type FetchHandler = (request: Request, info?: Partial<Deno.ServeHandlerInfo>) => Promise<Response>;

/** The beginning of every path of MCP. */
export const MCP_PATH = "/mcp";

const PATHS: ReadonlyMap<string, readonly Tool[]> = new Map([[MCP_PATH, TOOLS], [`${MCP_PATH}/all`, ALL_TOOLS]]);

export interface McpOptions {
  /** Checks every answer against its declared schema; for tests. */
  readonly checkReplies?: boolean;
}

/** The handlers by path. Each path has its own list of tools, because lists may not vary by connection. */
export function createMcpApp(deps: Deps, options: McpOptions = {}): ReadonlyMap<string, FetchHandler> {
  const face = new Face(deps, options.checkReplies === true);
  return new Map(
    [...PATHS].map(([path, tools]): [string, FetchHandler] => [
      path,
      (request, info) => observe(deps, request, info, (observed) => face.serve(request, observed, path, tools)),
    ]),
  );
}

/** A parsed JSON-RPC message. */
interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
}

class Face {
  readonly #exchanges = new WeakMap<Request, Exchange>();
  #modern: ReturnType<McpLibrary["createMcpHandler"]> | undefined;

  constructor(readonly deps: Deps, readonly checkReply: boolean) {}

  /** Answers a request; every fault becomes a reply. */
  async serve(request: Request, observed: Observed, path: string, tools: readonly Tool[]): Promise<Response> {
    observed.route = path;
    let message: Message | undefined;
    try {
      const call = await this.#admit(request, observed);
      message = await this.#readMessage(request);
      return await this.#answer(request, message, { call, tools, checkReply: this.checkReply });
    } catch (error) {
      const refusal = toRefusal(this.deps, observed, error, request.signal);
      const said = withChallenge(this.deps, refusal, request, observed.remoteAddress);
      return toErrorReply(said, observed.requestId, message);
    }
  }

  /** Identifies the caller. Each operation checks the rights of the key. */
  async #admit(request: Request, observed: Observed): Promise<Call> {
    const { headers, signal, url, method } = request;
    refuseWideQuery(url);
    refuseHead.origin(request, this.deps.config, observed.remoteAddress);
    const operation = {
      id: "mcp",
      scope: "any",
      bearer: "key",
      admits: [],
      cost: ONE,
      bodyBytesMax: BODY_BYTES_MAX,
    } as const;
    const ctx = await admit(this.deps, operation, observed, { headers, signal, url, via: "mcp" });
    if (method !== "POST") {
      throw new ServiceError("method_not_allowed", `Cannot ${method} here: allowed is POST`, {
        headers: { allow: "POST" },
      });
    }
    refuseHead.query(url);
    refuseHead.version(headers);
    refuseHead.mediaType(headers);
    return new Call(ctx, headers, observed, this.checkReply);
  }

  async #readMessage(request: Request): Promise<Message> {
    const limits = { bytesMax: BODY_BYTES_MAX, deadlineMs: this.deps.config.bodyDeadlineMs, signal: request.signal };
    const message = parseJson(await readBytes(request, limits));
    if (Array.isArray(message)) {
      // Nobody has admitted the single messages of a batch as calls.
      throw new ServiceError("invalid_request", "Cannot read the message: a batch is not taken, send one message");
    }
    if (typeof message !== "object" || message === null) {
      throw new ServiceError("invalid_request", "Cannot read the message: it is not an object");
    }
    return message;
  }

  async #answer(request: Request, message: Message, exchange: Exchange): Promise<Response> {
    if (message.method === "subscriptions/listen") return refuseStream(message);
    const library = await loadLibrary();
    this.#exchanges.set(request, exchange);
    const reply = await library.isLegacyRequest(request, message)
      ? await answerLegacy(library, request, message, exchange)
      : await this.#handler(library).fetch(request, { parsedBody: message });
    if (exchange.refusal !== undefined) throw exchange.refusal;
    // Read here, so that no part of the call runs after its turns were given back.
    const body = await reply.text();
    return new Response(body === "" ? null : body, { status: reply.status, headers: reply.headers });
  }

  #handler(library: McpLibrary) {
    return this.#modern ??= library.createMcpHandler(
      ({ requestInfo }) => makeServer(library, this.#exchanges.get(requestInfo!)!),
      { legacy: "reject", maxSubscriptions: 0, keepAliveMs: 0 },
    );
  }
}

/** Refuses a stream: this face opens none, because streams are counted, and end with their key, elsewhere. */
function refuseStream({ id }: Message): Response {
  const error = { code: METHOD_NOT_FOUND, message: "Cannot subscribe: this server tells of no changes" };
  const known = typeof id === "string" || typeof id === "number" ? id : null;
  return Response.json({ jsonrpc: "2.0", id: known, error }, { status: 404 });
}

/** Answers requests of revisions before 2026-07-28, each by itself, in JSON. */
async function answerLegacy(
  library: McpLibrary,
  request: Request,
  message: Message,
  exchange: Exchange,
): Promise<Response> {
  const server = makeServer(library, exchange);
  const transport = new library.WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody: message });
  } finally {
    await server.close();
  }
}

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const METHOD_NOT_FOUND = -32_601;
const SERVER_ERROR = -32_000;

/** A refusal of the whole request: problem+json, inside a JSON-RPC error if the message has an id. */
function toErrorReply(error: ServiceError, requestId: string, message: Message | undefined): Response {
  const problem = problemOf(error, requestId);
  const { id } = message ?? {};
  const isOfRequest = typeof id === "string" || typeof id === "number";
  const isOfBody = error.code === "invalid_request" || error.code === "validation_failed";
  if (!isOfRequest && !isOfBody) return reply(error, problem, "application/problem+json");
  const code = isOfRequest ? SERVER_ERROR : /JSON/.test(error.message) ? PARSE_ERROR : INVALID_REQUEST;
  const body = { jsonrpc: "2.0", id: isOfRequest ? id : null, error: { code, message: error.message, data: problem } };
  return reply(error, body, "application/json");
}

function reply({ status, headers }: ServiceError, body: object, contentType: string): Response {
  return new Response(JSON.stringify(body), { status, headers: { ...headers, "content-type": contentType } });
}
