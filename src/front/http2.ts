/**
 * Cleartext HTTP/2. One connection carries requests of several workspaces at once, so a server in the front separates
 * them and passes each request to its worker. This costs more CPU than HTTP/1.1, whose bytes are passed on unchanged.
 */
import { ServiceError } from "../errors.ts";
import { pause } from "../pause.ts";
import { acceptFailed } from "../telemetry/events.ts";
import type { Log } from "../telemetry/log.ts";
import { OWN_PREFIX, PEER_HEADER, type RequestHead } from "./head.ts";
import type { Peer } from "./placement.ts";
import { refusalOf } from "./reply.ts";

/** The functions of the front that the HTTP/2 server uses. */
export interface Http2Router {
  answer(head: RequestHead, peer: Peer): Promise<Response> | undefined;
  workerOf(head: RequestHead, peer: Peer): Promise<number>;
  /** @throws ServiceError `unavailable` */
  clientOf(worker: number): Promise<Deno.HttpClient>;
}

/** The time after a failure to accept before the front tries again, in milliseconds. */
export const ACCEPT_RETRY_MS = 250;

/** Headers that concern one connection and are not passed on. */
const HOP_BY_HOP = ["connection", "keep-alive", "te", "transfer-encoding", "upgrade", "proxy-connection"];

export class Http2Server implements AsyncDisposable {
  readonly #router: Http2Router;
  readonly #log: Log;
  /** Undefined while it cannot listen. */
  #server: Deno.HttpServer<Deno.NetAddr> | undefined;
  readonly #serving: Promise<void>;
  readonly #stopping = new AbortController();
  /** The caller behind each of the front's connections to this server, by that connection's local port. */
  readonly #peers = new Map<number, Peer>();

  /** @throws Error when it cannot listen */
  constructor(router: Http2Router, log: Log) {
    this.#router = router;
    this.#log = log;
    this.#serving = this.#keepServing(this.#listen());
  }

  /**
   * Opens a connection to this server on behalf of one caller.
   * @throws ServiceError `unavailable` while it cannot listen
   */
  async dial(peer: Peer): Promise<Deno.Conn> {
    // Another program may have got the port of a server that has ended.
    if (this.#server === undefined) throw new ServiceError("unavailable", "Cannot serve HTTP/2 now");
    const conn = await Deno.connect({ hostname: "127.0.0.1", port: this.#server.addr.port });
    const { port } = conn.localAddr as Deno.NetAddr;
    this.#peers.set(port, peer);
    const close = conn.close.bind(conn);
    conn.close = () => {
      this.#peers.delete(port);
      close();
    };
    return conn;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#server?.shutdown();
    await this.#serving;
  }

  #listen(): Deno.HttpServer<Deno.NetAddr> {
    return this.#server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      (request, { remoteAddr }) => this.#answer(request, this.#peers.get((remoteAddr as Deno.NetAddr).port)),
    );
  }

  /**
   * Listens again when accepting fails, as it does when the process has no file descriptor left, and keeps open
   * connections.
   */
  async #keepServing(first: Deno.HttpServer): Promise<void> {
    for (let server: Deno.HttpServer | undefined = first; !this.#stopping.signal.aborted;) {
      try {
        server ??= this.#listen();
        return await server.finished;
      } catch (error) {
        // Nobody reads any more from its connections: they are closed when their open requests are finished.
        server?.shutdown().catch(() => {});
        server = this.#server = undefined;
        acceptFailed(this.#log, { error, retryMs: ACCEPT_RETRY_MS });
        await pause(ACCEPT_RETRY_MS, this.#stopping.signal);
      }
    }
  }

  async #answer(request: Request, peer: Peer | undefined): Promise<Response> {
    const { method, headers, url } = request;
    const { pathname, search } = new URL(url);
    const head: RequestHead = { method, target: pathname + search, header: (name) => headers.get(name) };
    // Somebody else on this machine found the port; the front does not know the caller's address.
    if (peer === undefined) return new Response(null, { status: 403 });
    if ([...headers.keys()].some((name) => name.startsWith(OWN_PREFIX))) return new Response(null, { status: 400 });
    const own = this.#router.answer(head, peer);
    if (own !== undefined) return await own;
    try {
      const client = await this.#router.clientOf(await this.#router.workerOf(head, peer));
      return await forward(request, head, peer, client);
    } catch (cause) {
      if (request.signal.aborted) throw cause;
      if (cause instanceof ServiceError) return refusalOf(cause, head);
      const message = "Cannot finish the request: the process that serves it cannot be reached, or has ended";
      return refusalOf(new ServiceError("unavailable", message, { cause, headers: { "retry-after": "1" } }), head);
    }
  }
}

async function forward(
  request: Request,
  { method, target }: RequestHead,
  { hostname, port }: Peer,
  client: Deno.HttpClient,
): Promise<Response> {
  const headers = new Headers(request.headers);
  for (const name of HOP_BY_HOP) headers.delete(name);
  headers.set(PEER_HEADER, `${hostname} ${port}`);
  const { body, signal } = request;
  const host = headers.get("host") ?? "svc";
  const reply = await fetch(`http://${host}${target}`, { method, headers, body, signal, client, redirect: "manual" });
  const passed = new Headers(reply.headers);
  for (const name of HOP_BY_HOP) passed.delete(name);
  return new Response(reply.body, { status: reply.status, headers: passed });
}
