/**
 * Requests to servers that a person, a peer or a name server named: HTTP/1.1 over connections that are vetted, bounded in
 * time and size, without redirects, compression and cookies. Federation and webhooks share it.
 */
import { Agent } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { parseTarget, type Target, type TargetRules } from "./addresses.ts";
import { OutboundError } from "./failure.ts";
import { findAddresses, type NameServer, requireCallable } from "./lookup.ts";
import { probe, type Probed } from "./probe.ts";
import type { OutboundReply, OutboundRequest, OutboundUse } from "./request.ts";
import { exchange, UnansweredError } from "./exchange.ts";
import { connect, type Connection, createTlsContexts, type TlsContexts, type TlsFiles } from "./socket.ts";

const DEADLINE_MS = 60_000;
/** A kept connection that nobody uses is closed after this time. */
const KEPT_MS = 30_000;
const CONNECTIONS_MAX = 2;
/** Targets with kept connections; the one that was used longest ago goes. */
const POOLS_MAX = 1_000;

export interface OutboundOptions {
  /** Ports that may be called. */
  readonly ports: readonly number[];
  /** Ranges of addresses that may be called although they are not of the internet. */
  readonly allowed: readonly string[];
  readonly tls: TlsFiles;
  readonly now: () => Date;
  /** Told of every request that was tried: `2xx` to `5xx`, or why it came to nothing. */
  readonly onResult: (use: OutboundUse, result: string) => void;
  /** Asked instead of the system's name servers. */
  readonly nameServer?: NameServer | undefined;
}

/** A party's connections. */
interface Pool {
  /** What they were made for: origin, pins, whether the client certificate was presented. */
  readonly made: string;
  readonly idle: KeptConnection[];
  readonly open: Set<KeptConnection>;
  /** Requests that wait for one of its places. */
  readonly waiting: Set<() => void>;
  /** Places that are taken by requests. */
  taken: number;
  isClosed: boolean;
}

/** One connection with the agent that sends over it, and nothing else. */
class KeptConnection extends Agent {
  readonly connection: Connection;
  /** What had been read of it when its last reply was whole: more means that it says what nobody asked for. */
  bytesRead = 0;
  closing: ReturnType<typeof setTimeout> | undefined;
  #isGiven = false;

  constructor(connection: Connection) {
    super({ keepAlive: true, maxSockets: 1 });
    this.connection = connection;
  }

  /** Gives the connection once. Whatever sends again by itself gets none: only `Outbound` knows what may be repeated. */
  override createConnection(_options: unknown, callback?: (error: Error | null, socket: Duplex) => void): Duplex {
    const { socket } = this.connection;
    const isGone = this.#isGiven || socket.destroyed;
    this.#isGiven = true;
    callback?.(isGone ? new Error("the connection is closed") : null, socket);
    return undefined as unknown as Duplex;
  }

  get socket(): Socket {
    return this.connection.socket;
  }

  close(): void {
    clearTimeout(this.closing);
    this.connection.close();
    this.destroy();
  }
}

/** The way out. One of them in a service. */
export class Outbound implements Disposable {
  readonly #options: OutboundOptions;
  readonly #tls: TlsContexts;
  readonly #pools = new Map<string, Pool>();
  #isClosed = false;

  /** @throws Error when a certificate or a key cannot be read */
  constructor(options: OutboundOptions) {
    this.#options = options;
    this.#tls = createTlsContexts(options.tls);
  }

  /** The name server that is asked instead of the system's, for who looks up something else than an address. */
  get nameServer(): NameServer | undefined {
    return this.#options.nameServer;
  }

  /**
   * Reads a URL that is to be called, now or later. What its name will stand for then is not known before.
   * @throws OutboundError `target_refused`; `address_refused` where the host is an address that may not be called
   */
  parse(url: string, rules: Omit<TargetRules, "ports"> = {}): Target {
    const target = parseTarget(url, { ...rules, ports: this.#options.ports });
    if (target.isAddress) requireCallable(target, target.host, this.#options.allowed);
    return target;
  }

  /**
   * Sends a request and reads its reply whole. Any status but a redirect is a reply. What may be repeated is sent once more
   * over a new connection when the first one broke before a status came.
   * @throws OutboundError
   */
  async request(request: OutboundRequest): Promise<OutboundReply> {
    try {
      const reply = await this.#request(request);
      this.#options.onResult(request.use, `${Math.floor(reply.status / 100)}xx`);
      return reply;
    } catch (error) {
      this.#options.onResult(request.use, error instanceof OutboundError ? error.reason : "broken");
      throw error;
    }
  }

  /**
   * Looks at what a server shows of itself; nothing is sent to it.
   * @throws OutboundError
   */
  async probe(url: string, rules: Omit<TargetRules, "ports"> = {}): Promise<Probed> {
    const target = this.parse(url, rules);
    const { allowed, nameServer } = this.#options;
    const [address] = await findAddresses(target, { allowed, nameServer });
    return await probe(target, address, this.#tls.plain);
  }

  /** Closes the connections of a party, those in use as well. */
  closeParty(party: string): void {
    const pool = this.#pools.get(party);
    this.#pools.delete(party);
    if (pool === undefined) return;
    pool.isClosed = true;
    for (const kept of [...pool.open]) kept.close();
    for (const wake of [...pool.waiting]) wake();
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    for (const party of [...this.#pools.keys()]) this.closeParty(party);
  }

  async #request(request: OutboundRequest): Promise<OutboundReply> {
    const target = this.parse(request.url, request.rules);
    const deadline = AbortSignal.timeout(request.deadlineMs ?? DEADLINE_MS);
    const ended = request.signal ? AbortSignal.any([request.signal, deadline]) : deadline;
    const send = async (isAgain: boolean): Promise<OutboundReply> => {
      const pool = this.#poolOf(request, target);
      await enter(pool, request, target, ended);
      try {
        const kept = await this.#connection(pool, { request, target, ended, isAgain });
        return await this.#exchange(pool, kept, { request, target, ended });
      } finally {
        leave(pool);
      }
    };
    try {
      return await send(false).catch((error: unknown) => {
        const isRepeatable = request.isRepeatable ?? request.method === "GET";
        if (isRepeatable && !ended.aborted && error instanceof UnansweredError) return send(true);
        throw error;
      });
    } catch (error) {
      if (
        error instanceof OutboundError && error.reason === "aborted" && !request.signal?.aborted && deadline.aborted
      ) {
        const ms = request.deadlineMs ?? DEADLINE_MS;
        throw new OutboundError("timeout", `Cannot call ${target.host}: not done within ${ms} ms`, { cause: error });
      }
      throw error;
    }
  }

  /** The pool of the party. One that was made for something else is closed: its connections were vetted for that. */
  #poolOf({ party, pins = [], presentsCertificate = false }: OutboundRequest, target: Target): Pool {
    if (this.#isClosed) throw new OutboundError("aborted", `Cannot call ${target.host}: the service is stopping`);
    const made = JSON.stringify([target.url.origin, pins, presentsCertificate]);
    let pool = this.#pools.get(party);
    if (pool && pool.made !== made) {
      this.closeParty(party);
      pool = undefined;
    }
    this.#pools.delete(party);
    pool ??= { made, idle: [], open: new Set(), waiting: new Set(), taken: 0, isClosed: false };
    this.#pools.set(party, pool);
    if (this.#pools.size > POOLS_MAX) {
      const old = [...this.#pools].find(([, { taken }]) => taken === 0)?.[0];
      if (old !== undefined && old !== party) this.closeParty(old);
    }
    return pool;
  }

  /** A kept connection whose address the name still has, or a new one. Names are asked each time, connected to by number. */
  async #connection(
    pool: Pool,
    { request, target, ended, isAgain }: {
      readonly request: OutboundRequest;
      readonly target: Target;
      readonly ended: AbortSignal;
      readonly isAgain: boolean;
    },
  ): Promise<KeptConnection> {
    const { allowed, nameServer, now } = this.#options;
    const addresses = await findAddresses(target, { allowed, nameServer, signal: ended });
    for (let kept = pool.idle.pop(); kept !== undefined; kept = pool.idle.pop()) {
      clearTimeout(kept.closing);
      const isSound = !kept.socket.destroyed && kept.socket.bytesRead === kept.bytesRead;
      if (!isAgain && isSound && addresses.includes(kept.connection.address)) return kept;
      kept.close();
    }
    const secureContext = (request.presentsCertificate ? this.#tls.client : undefined) ?? this.#tls.plain;
    const pins = request.pins ?? [];
    const address = addresses[0];
    const connection = await connect({ target, address, pins, secureContext, now, signal: ended });
    const kept = new KeptConnection(connection);
    connection.socket.once("close", () => {
      pool.open.delete(kept);
      const at = pool.idle.indexOf(kept);
      if (at >= 0) pool.idle.splice(at, 1);
      clearTimeout(kept.closing);
    });
    pool.open.add(kept);
    return kept;
  }

  async #exchange(
    pool: Pool,
    kept: KeptConnection,
    { request, target, ended }: {
      readonly request: OutboundRequest;
      readonly target: Target;
      readonly ended: AbortSignal;
    },
  ): Promise<OutboundReply> {
    try {
      const reply = await exchange(kept, { request, target, ended });
      if (pool.isClosed || reply.isCut || kept.socket.destroyed || reply.headers.get("connection") === "close") {
        kept.close();
      } else {
        kept.bytesRead = kept.socket.bytesRead;
        kept.closing = setTimeout(() => kept.close(), KEPT_MS);
        Deno.unrefTimer(kept.closing as unknown as number);
        pool.idle.push(kept);
      }
      return reply;
    } catch (error) {
      kept.close();
      throw error;
    }
  }
}

/** Waits for a place among the party's connections: an agent that connects by itself does not count them. */
async function enter(pool: Pool, request: OutboundRequest, { host }: Target, ended: AbortSignal): Promise<void> {
  const givenUp = () => new OutboundError("aborted", `Cannot call ${host}: the call was given up`);
  while (!pool.isClosed && !ended.aborted) {
    if (pool.taken < (request.connectionsMax ?? CONNECTIONS_MAX)) return void pool.taken++;
    const { promise, resolve } = Promise.withResolvers<void>();
    pool.waiting.add(resolve);
    ended.addEventListener("abort", () => resolve(), { once: true });
    await promise;
    pool.waiting.delete(resolve);
  }
  throw givenUp();
}

function leave(pool: Pool): void {
  pool.taken--;
  const [first] = pool.waiting;
  first?.();
}
