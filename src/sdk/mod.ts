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
import { call, type CallDefaults, type Route, type Target } from "./http.ts";
import { type Page, paginate } from "./paginate.ts";
import type { Input, Options } from "./request.ts";

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
export type { CallDefaults } from "./http.ts";

/** Where the service is, who asks, and how long to try. */
export interface ClientOptions extends CallDefaults {
  /** The address of the service, such as `http://127.0.0.1:8787`; with the path below which a proxy has it. */
  readonly url: string | URL;
  /** The key of a workspace (`svc_live_…`). null: requests have none, because `fetch` adds one or none is needed. */
  readonly key: string | null;
  /** Instead of the runtime's own `fetch`. */
  readonly fetch?: typeof fetch;
}

/** The service as an object with a method for each operation. */
export interface Client extends Methods {
  /** Lists page by page: `for await (const fact of svc.all.listFacts({ tags: ["backup"] }))`. */
  readonly all: Lists;
}

const OPTIONS = ["url", "key", "fetch", "timeoutMs", "retries"];

/**
 * Makes a client. It connects when it is first asked.
 * @throws TypeError for an address, a key or a limit that cannot be right; the message never holds the key
 */
export function createClient(options: ClientOptions): Client {
  const target = readTarget(options);
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
  return { ...methods, all } as unknown as Client;
}

function readTarget(options: ClientOptions): Target {
  const unknown = Object.keys(options).find((name) => !OPTIONS.includes(name));
  if (unknown !== undefined) throw new TypeError(`Cannot create a client: it takes no option ${unknown}`);
  const { key, fetch = globalThis.fetch, timeoutMs = 30_000, retries = 3 } = options;
  if (key !== null && !/^[!-~]+$/.test(key ?? "")) {
    throw new TypeError("Cannot create a client: key is not a key; null says that there is none");
  }
  if (!(timeoutMs > 0)) throw new TypeError("Cannot create a client: timeoutMs is not above 0");
  if (!(Number.isInteger(retries) && retries >= 0 && retries <= 10)) {
    throw new TypeError("Cannot create a client: retries is not 0 to 10");
  }
  return {
    ...{ timeoutMs, retries, origin: readOrigin(options.url) },
    fetch: (...request) => fetch(...request),
    headers: { "x-svc-client": `sdk/${VERSION}`, ...(key !== null && { authorization: `Bearer ${key}` }) },
  };
}

/** The address without `/v1`, which people add because the documentation of the API shows it. */
function readOrigin(address: string | URL): string {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new TypeError("Cannot create a client: url is not the http or https address of a service");
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new TypeError("Cannot create a client: url has a user, a query or a fragment, which are never sent");
  }
  return url.origin + url.pathname.replace(/\/+$/, "").replace(/\/v1$/, "");
}
