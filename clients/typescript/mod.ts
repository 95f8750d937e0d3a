/**
 * A client of the service: memory and knowledge for software agents.
 *
 * ```ts
 * import { createClient } from "@svc/client";
 *
 * const svc = createClient({ url: "http://127.0.0.1:8787", key: "svc_live_…" });
 * await svc.createFact({ statement: "Backups are kept for ninety days." });
 * const { results } = await svc.recall({ query: "How long do we keep backups?" });
 * ```
 *
 * It runs wherever there is `fetch`, and needs no other package.
 * @module
 */
import type { Lists, Methods } from "./client.ts";
import { ROUTES, VERSION } from "./gen/operations.ts";
import { call, readDefaults } from "./http.ts";
import type { CallDefaults, Route, Target } from "./route.ts";
import { type Page, paginate } from "./paginate.ts";
import type { Input, Options } from "./request.ts";
import { SessionHandle, type SessionName, type SessionStart } from "./session.ts";
import { type Streams, watch, type WatchedEvent, type WatchOptions, type WebSocketMaker } from "./stream.ts";
import { TenantClients, type TenantOptions, TenantTokens, withTokens } from "./tenant.ts";
import type { StreamChannel } from "./gen/types.ts";

export type {
  CallOptions,
  InputOf,
  ItemOf,
  ListId,
  Lists,
  Method,
  Methods,
  OperationId,
  OptionsOf,
  OutputOf,
} from "./client.ts";
export { SvcError, type SvcErrorCode, type SvcErrorOptions, type SvcFieldError } from "./error.ts";
export type * from "./gen/types.ts";
export { VERSION } from "./gen/operations.ts";
export type { CallDefaults } from "./route.ts";
export { takesNoMore } from "./session.ts";
export type { SessionHandle, SessionName, SessionStart } from "./session.ts";
export type { WatchedEvent, WatchOptions, WebSocketMaker } from "./stream.ts";
export type { TenantOptions } from "./tenant.ts";

/** The address of the service, the caller's key, and limits. */
export interface ClientOptions extends CallDefaults {
  /** The address of the service, such as `http://127.0.0.1:8787`, including the path of a proxy. */
  readonly url: string | URL;
  /** The key of a workspace (`svc_live_…`). null: the client sends none, because `fetch` adds one or none is needed. */
  readonly key: string | null;
  /** Replaces the runtime's own `fetch`. */
  readonly fetch?: typeof fetch;
  /**
   * Makes the WebSocket of a watch, with the key in the headers of its handshake:
   * `(url, headers) => new WebSocket(url, { headers })`. Default: the runtime's own, by a one-use ticket.
   */
  readonly webSocket?: WebSocketMaker;
}

/** The service as an object with a method for each operation. */
export interface Client extends Methods {
  /** Lists page by page: `for await (const fact of svc.all.listFacts({ tags: ["backup"] }))`. */
  readonly all: Lists;
  /**
   * Follows a channel: `for await (const { event } of svc.watch("memory"))`. If the connection breaks off, it continues
   * at the same place.
   */
  watch<Channel extends StreamChannel>(
    channel: Channel,
    options?: WatchOptions,
  ): AsyncGenerator<WatchedEvent<Channel>, void, undefined>;
  /** The session with the caller's name for it; it is found or started at its first use. */
  session(name: SessionName, start?: SessionStart): SessionHandle;
  /**
   * The client of one user of an app, by the app's own id of the user; for a client with the key of a broker. The user's
   * workspace is found or created at the first call, and the token is renewed by itself. Clients of the same user are one.
   */
  tenant(externalId: string, options?: TenantOptions): Client;
}

const OPTIONS = ["url", "key", "fetch", "webSocket", "timeoutMs", "retries"];

/**
 * Makes a client. It connects at its first call.
 * @throws TypeError for an invalid address, key or limit; the message never holds the key
 */
export function createClient(options: ClientOptions): Client {
  return makeClient(readTarget(options), options.webSocket);
}

function makeClient(target: Target, webSocket: WebSocketMaker | undefined, tokens?: TenantTokens): Client {
  const ask = (id: string, route: Route) => (input: Input = {}, callOptions: Options = {}) =>
    call(target, id, route, input, callOptions);
  const methods: Record<string, unknown> = {};
  const all: Record<string, unknown> = {};
  for (const [id, route] of Object.entries(ROUTES)) {
    const method = ask(id, route);
    methods[id] = method;
    if (!route.pages) continue;
    all[id] = (input?: Input, callOptions?: Options) =>
      paginate(method as (input: Input, options: Options) => Promise<Page<unknown>>, input, callOptions);
  }
  const client = { ...methods, all } as unknown as Methods & { readonly all: Lists };
  let opening: string | undefined;
  const streams: Streams = {
    url: `${target.origin.replace(/^http/, "ws")}/v1/stream`,
    async readHeaders(isRefused) {
      if (tokens === undefined) return target.headers;
      opening = await tokens.get(isRefused ? opening : undefined);
      return { ...target.headers, authorization: `Bearer ${opening}` };
    },
    renews: tokens !== undefined,
    retries: target.retries,
    makeSocket: webSocket ?? (tokens && openWithHeaders),
    createTicket: async (signal) => (await client.createStreamTicket({}, signal && { signal })).ticket,
  };
  const tenants = new TenantClients<Client>();
  return {
    ...client,
    watch: (channel, watchOptions = {}) => watch(streams, channel, watchOptions) as AsyncGenerator<never, void>,
    session: (name, start) => new SessionHandle(client, name, start),
    tenant: (externalId, tenantOptions = {}) =>
      tenants.get(externalId, tenantOptions, () => {
        const own = new TenantTokens(client, externalId, tenantOptions);
        const { authorization: _, ...headers } = target.headers;
        return makeClient({ ...target, headers, fetch: withTokens(target.fetch, own) }, webSocket, own);
      }),
  };
}

/** A token opens a stream itself, in the headers of the handshake, which browsers cannot send and servers can. */
const openWithHeaders: WebSocketMaker = (url, headers) =>
  new WebSocket(url, { headers } as unknown as ConstructorParameters<typeof WebSocket>[1]);

function readTarget(options: ClientOptions): Target {
  const unknown = Object.keys(options).find((name) => !OPTIONS.includes(name));
  if (unknown !== undefined) throw new TypeError(`Cannot create a client: it takes no option ${unknown}`);
  const { key, fetch = globalThis.fetch } = options;
  if (key !== null && !/^[!-~]+$/.test(key ?? "")) {
    const fault = key ? "has characters that no key has" : "is missing (is its variable set?)";
    throw new TypeError(`Cannot create a client: key ${fault}; null says that there is none`);
  }
  return {
    ...readDefaults("create a client", options, { timeoutMs: 30_000, retries: 3 }),
    origin: readOrigin(options.url),
    fetch: (...request) => fetch(...request),
    headers: { "x-svc-client": `sdk/${VERSION}`, ...(key !== null && { authorization: `Bearer ${key}` }) },
  };
}

/** The address without `/v1`, which people add because the documentation of the API shows it. */
function readOrigin(address: string | URL): string {
  const url = parseUrl(address);
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new TypeError("Cannot create a client: url is not the http or https address of a service");
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new TypeError("Cannot create a client: url has a user, a query or a fragment, which are never sent");
  }
  const parts = url.pathname.split("/");
  while (parts.at(-1) === "") parts.pop();
  if (parts.at(-1) === "v1") parts.pop();
  return [url.origin, ...parts.slice(1)].join("/");
}

function parseUrl(address: string | URL): URL | undefined {
  try {
    return new URL(address);
  } catch {
    return undefined;
  }
}
