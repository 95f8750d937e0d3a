/**
 * The outbound client: requests to servers that a person, a peer or a name server named. It speaks HTTP/1.1 over
 * connections whose address it has checked, bounds the time and the size of each request, and accepts no redirects, no
 * compression and no cookies. Federation, webhooks and questions to issuers share it.
 */
import { Agent } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { parseTarget, type Target, type TargetRules } from "./addresses.ts";
import { OutboundError } from "./failure.ts";
import { findAddresses, type NameServer, requireCallable } from "./lookup.ts";
import { Places } from "./places.ts";
import { probe, type Probed } from "./probe.ts";
import type { OutboundReply, OutboundRequest, OutboundUse } from "./request.ts";
import { exchange, UnansweredError } from "./exchange.ts";
import { connect, type Connection, createTlsContexts, type TlsContexts, type TlsFiles } from "./socket.ts";

const DEADLINE_MS = 60_000;
/** The client closes a kept connection that nobody has used for this time. */
const KEPT_MS = 30_000;
const CONNECTIONS_MAX = 2;
/** The client keeps connections for at most this many parties; it drops the one that was used longest ago. */
const POOLS_MAX = 1_000;

/** How the outbound client is set up. */
export interface OutboundOptions {
  /** The ports that the client may call. */
  readonly ports: readonly number[];
  /** Ranges of private addresses that the client may call. */
  readonly allowed: readonly string[];
  readonly tls: TlsFiles;
  readonly now: () => Date;
  /** Is called after every request: with `2xx` to `5xx`, or with the reason of the failure. */
  readonly onResult: (use: OutboundUse, result: string) => void;
  /** The name server that is asked instead of the system's. */
  readonly nameServer?: NameServer | undefined;
}

/** A party's connections. */
interface Pool {
  /** Identifies the use of the connections: the origin, the pins, and whether they present the client certificate. */
  readonly made: string;
  readonly idle: KeptConnection[];
  readonly open: Set<KeptConnection>;
  readonly places: Places;
  isClosed: boolean;
}

/** A connection, and the agent that sends requests over it and over no other. */
class KeptConnection extends Agent {
  readonly connection: Connection;
  /** The bytes that had been read when the last reply ended. If more have come since, the server sent them unasked. */
  bytesRead = 0;
  closing: ReturnType<typeof setTimeout> | undefined;
  #isGiven = false;

  constructor(connection: Connection) {
    super({ keepAlive: true, maxSockets: 1 });
    this.connection = connection;
  }

  /** Gives away the connection once. Node may not repeat a request by itself: only `Outbound` knows which may be repeated. */
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

/** The outbound client; a service has one. */
export class Outbound implements Disposable {
  readonly #options: OutboundOptions;
  readonly #tls: TlsContexts;
  readonly #pools = new Map<string, Pool>();
  #isClosed = false;

  /** @throws Error when a certificate or a key in `tls` is malformed */
  constructor(options: OutboundOptions) {
    this.#options = options;
    this.#tls = createTlsContexts(options.tls);
  }

  /** The name server that is asked instead of the system's; SRV lookups use it, too. */
  get nameServer(): NameServer | undefined {
    return this.#options.nameServer;
  }

  /**
   * Checks a URL that the service will call, now or later. A host name is looked up only when the service calls it.
   * @throws OutboundError `target_refused`; `address_refused` when the host is an address that the service may not call
   */
  parse(url: string, rules: Omit<TargetRules, "ports"> = {}): Target {
    const target = parseTarget(url, { ...rules, ports: this.#options.ports });
    if (target.isAddress) requireCallable(target, [target.host], this.#options.allowed);
    return target;
  }

  /**
   * Sends a request and reads the whole reply. Any status is a reply, except a redirect, which is an error. If the connection
   * breaks before the status comes, the client sends a request that may be repeated once more, over a new connection.
   * @throws OutboundError; `aborted` also when `closeParty` ended the request
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
   * Reads the certificate that a server shows, and sends the server nothing.
   * @throws OutboundError
   */
  async probe(url: string, rules: Omit<TargetRules, "ports"> = {}): Promise<Probed> {
    const target = this.parse(url, rules);
    const { allowed, nameServer } = this.#options;
    const [address] = await findAddresses(target, { allowed, nameServer });
    return await probe(target, address, this.#tls.plain);
  }

  /** Closes all connections of a party, and ends the requests that use them. */
  closeParty(party: string): void {
    const pool = this.#pools.get(party);
    this.#pools.delete(party);
    if (pool === undefined) return;
    pool.isClosed = true;
    for (const kept of [...pool.open]) kept.close();
    pool.places.close();
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
      if (!await pool.places.enter(request.connectionsMax ?? CONNECTIONS_MAX, ended)) throw abortedCall(target);
      try {
        const kept = await this.#connection(pool, { request, target, ended, isAgain });
        return await this.#exchange(pool, kept, { request, target, ended });
      } catch (error) {
        // Somebody closed the party during the request. The request must not be repeated: its URL may be a former one.
        if (pool.isClosed) throw abortedCall(target, error);
        throw error;
      } finally {
        pool.places.leave();
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

  /** Finds the pool of the party. If it is for another origin or other pins, the client closes it and makes a new one. */
  #poolOf({ party, pins = [], presentsCertificate = false }: OutboundRequest, target: Target): Pool {
    if (this.#isClosed) throw new OutboundError("aborted", `Cannot call ${target.host}: the service is stopping`);
    const made = JSON.stringify([target.url.origin, pins, presentsCertificate]);
    let pool = this.#pools.get(party);
    if (pool && pool.made !== made) {
      this.closeParty(party);
      pool = undefined;
    }
    this.#pools.delete(party);
    pool ??= { made, idle: [], open: new Set(), places: new Places(), isClosed: false };
    this.#pools.set(party, pool);
    if (this.#pools.size > POOLS_MAX) {
      const old = [...this.#pools].find(([, { places }]) => places.taken === 0)?.[0];
      if (old !== undefined && old !== party) this.closeParty(old);
    }
    return pool;
  }

  /** Takes a kept connection if the host still has its address, or opens a new one. The host is looked up each time. */
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

function abortedCall({ host }: Target, cause?: unknown): OutboundError {
  return new OutboundError("aborted", `Cannot call ${host}: the call was aborted`, { cause });
}
