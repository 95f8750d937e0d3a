/**
 * Cleartext HTTP/2. One connection carries requests of several workspaces at once, so a server in the front separates
 * them and passes each request to its worker. This costs more CPU than HTTP/1.1, whose bytes are passed on unchanged.
 */
import { ServiceError } from "../errors.ts";
import { OWN_PREFIX, PEER_HEADER, type RequestHead } from "./head.ts";
import type { Peer } from "./placement.ts";
import { refusalOf } from "./reply.ts";

/** What the HTTP/2 server needs of the front. */
export interface Http2Router {
  answer(head: RequestHead, peer: Peer): Promise<Response> | undefined;
  workerOf(head: RequestHead, peer: Peer): Promise<number>;
  /** @throws ServiceError `unavailable` */
  clientOf(worker: number): Promise<Deno.HttpClient>;
}

/** Headers that concern one connection and are not passed on. */
const HOP_BY_HOP = ["connection", "keep-alive", "te", "transfer-encoding", "upgrade", "proxy-connection"];

export class Http2Server implements AsyncDisposable {
  readonly #router: Http2Router;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  /** The caller behind each of the front's connections to this server, by that connection's local port. */
  readonly #peers = new Map<number, Peer>();

  constructor(router: Http2Router) {
    this.#router = router;
    this.#server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      (request, { remoteAddr }) => this.#answer(request, this.#peers.get((remoteAddr as Deno.NetAddr).port)),
    );
  }

  /** Opens a connection to this server on behalf of one caller. */
  async dial(peer: Peer): Promise<Deno.Conn> {
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
    await this.#server.shutdown();
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
