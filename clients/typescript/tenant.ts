/** Clients of an app's users: each has the tokens of one tenant, which the key of the app's broker gets and renews. */
import type { Methods } from "./client.ts";
import type { OpenTenantBody } from "./gen/types.ts";

/** What the tokens of a tenant may do; by default all that the broker may give. */
export type TenantOptions = Pick<OpenTenantBody, "scopes" | "maxSensitivity" | "ttlSeconds">;

/** The most tenants whose clients are kept; beyond it, the one that was asked for longest ago is forgotten. */
const TENANTS_MAX = 1_000;
const TTL_SECONDS = 3_600;
/** A token is renewed after this part of its life. */
const USED_PART = 0.9;

/** The tokens of one tenant. Callers at the same time share one renewal. */
export class TenantTokens {
  readonly #open: () => Promise<string>;
  readonly #lifeMs: number;
  #token: Promise<string> | undefined;
  #renewAt = 0;

  constructor(svc: Pick<Methods, "openTenant">, externalId: string, options: TenantOptions) {
    const input = { ...options, externalId, credential: "token" } as const;
    this.#open = async () => (await svc.openTenant(input)).token!.token;
    this.#lifeMs = (options.ttlSeconds ?? TTL_SECONDS) * 1_000 * USED_PART;
  }

  /** The present token; a new one when there is none, or it has nearly ended, or the service refused this one. */
  get(refused?: string): Promise<string> {
    const known = this.#token;
    if (known === undefined || performance.now() >= this.#renewAt) return this.#renew();
    return refused === undefined ? known : known.then((token) => token === refused ? this.#renewAfter(known) : token);
  }

  #renewAfter(known: Promise<string>): Promise<string> {
    return this.#token === known || this.#token === undefined ? this.#renew() : this.#token;
  }

  #renew(): Promise<string> {
    // By the caller's own clock, from before it was made: the clock of the service may be another.
    this.#renewAt = performance.now() + this.#lifeMs;
    const token = this.#open();
    this.#token = token;
    token.catch(() => {
      if (this.#token === token) this.#token = undefined;
    });
    return token;
  }
}

/** A `fetch` that sends the tenant's token, and once a new one if the service refuses it. */
export function withTokens(fetch: typeof globalThis.fetch, tokens: TenantTokens): typeof globalThis.fetch {
  return async (input, init) => {
    const send = (token: string) => {
      const headers = new Headers(init?.headers);
      headers.set("authorization", `Bearer ${token}`);
      return fetch(input, { ...init, headers });
    };
    const token = await tokens.get();
    const response = await send(token);
    // A stream as the body was read by then.
    const isRepeatable = init?.body === undefined || init.body === null || typeof init.body === "string";
    if (response.status !== 401 || !isRepeatable) return response;
    await response.body?.cancel();
    return await send(await tokens.get(token));
  };
}

/** Keeps the clients of the tenants that were asked for last. */
export class TenantClients<C> {
  readonly #made = new Map<string, C>();

  get(externalId: string, options: TenantOptions, make: () => C): C {
    if (externalId === "") throw new TypeError("Cannot name a tenant by nothing");
    const { scopes, maxSensitivity, ttlSeconds } = options;
    const name = JSON.stringify([externalId, scopes && [...scopes].sort(), maxSensitivity, ttlSeconds]);
    const client = this.#made.get(name) ?? make();
    this.#made.delete(name);
    this.#made.set(name, client);
    if (this.#made.size > TENANTS_MAX) this.#made.delete(this.#made.keys().next().value!);
    return client;
  }
}
