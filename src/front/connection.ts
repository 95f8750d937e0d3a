/**
 * One caller's HTTP/1.1 connection. Each request goes to its worker over a connection that only this caller uses, and
 * its bytes pass unchanged except for one added header with the caller's address. So if somebody sends a message that
 * two parsers could split differently, the message harms nobody but its sender.
 */
import { Buffer } from "node:buffer";
import { ServiceError } from "../errors.ts";
import { BodyMeter } from "./body_meter.ts";
import {
  findHeadEnd,
  HEAD_BYTES_MAX,
  HeadFault,
  type Http1Head,
  PEER_HEADER,
  readReplyHead,
  readRequestHead,
  type ReplyHead,
  type RequestHead,
} from "./head.ts";
import type { Peer } from "./placement.ts";
import { formatReply, refusalOf } from "./reply.ts";
import { Wire } from "./wire.ts";

/** The functions of the front that a connection uses. */
export interface Router {
  isStopping(): boolean;
  /** The reply, when the front itself answers the request; undefined when a worker has to. */
  answer(head: RequestHead, peer: Peer): Promise<Response> | undefined;
  workerOf(head: RequestHead, peer: Peer): Promise<number>;
  /** @throws ServiceError `unavailable` */
  dial(worker: number): Promise<Deno.Conn>;
  /** Opens a connection to the front's HTTP/2 server. */
  dialHttp2(peer: Peer): Promise<Deno.Conn>;
}

const HTTP2_LINE = "PRI * HTTP/2.0\r\n";
/**
 * How long a caller may go on sending a body that nobody reads, in milliseconds, so that it can read the reply first.
 */
const LINGER_MS = 1_000;

export class Connection {
  readonly client: Wire;
  readonly #router: Router;
  readonly #peer: Peer;
  /** The connections to workers that this caller uses, by worker. */
  readonly #links = new Map<number, Wire>();
  /** Whether a request is being answered. */
  #isBusy = false;
  /** The fault in the body that the caller sends, if there is one. */
  #fault: HeadFault | undefined;

  constructor(router: Router, conn: Deno.Conn, peer: Peer) {
    this.#router = router;
    this.client = new Wire(conn);
    this.#peer = peer;
  }

  /** Serves requests one after the other until either side ends. Never throws. */
  async serve(): Promise<void> {
    try {
      while (!this.#router.isStopping() || this.client.held.length > 0) {
        const head = await this.#readRequest();
        if (head === undefined) return;
        this.#isBusy = true;
        if (head === "http2") return await this.#tunnel(new Wire(await this.#router.dialHttp2(this.#peer)));
        if (!await this.#exchange(head)) return;
        this.#isBusy = false;
      }
    } catch (error) {
      if (error instanceof HeadFault) await this.#refuseFault(error);
    } finally {
      this.close();
    }
  }

  close(): void {
    this.client.close();
    for (const link of this.#links.values()) link.close();
  }

  /** Closes the connection if no request is under way. */
  closeIdle(): void {
    if (!this.#isBusy) this.close();
  }

  /** Waits for a complete head. @returns undefined when the caller has closed the connection */
  async #readRequest(): Promise<Http1Head | "http2" | undefined> {
    for (let from = 0;;) {
      const { held } = this.client;
      const end = findHeadEnd(held, from);
      if (end !== undefined) {
        if (
          end === HTTP2_LINE.length + 2 && Buffer.from(held.subarray(0, end)).toString("latin1").startsWith(HTTP2_LINE)
        ) {
          return "http2";
        }
        return readRequestHead(held.subarray(0, end));
      }
      if (held.length > HEAD_BYTES_MAX) throw new HeadFault(431, `its head is longer than ${HEAD_BYTES_MAX} bytes`);
      from = Math.max(0, held.length - 3);
      if (!await this.client.fill()) return undefined;
    }
  }

  /** Answers one request. @returns whether the connection can serve another */
  async #exchange(head: Http1Head): Promise<boolean> {
    const own = head.framing === "none" ? this.#router.answer(head, this.#peer) : undefined;
    if (own !== undefined) {
      this.client.consume(head.bytes);
      return await this.#send(head, await own);
    }
    const meter = new BodyMeter(head.framing);
    let link: Wire;
    try {
      link = await this.#forwardHead(head, meter);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      this.client.consume(head.bytes);
      if (head.framing === "none") return await this.#send(head, refusalOf(error, head));
      // The part of the body that has arrived must not be read as the next request, so the connection ends with the
      // refusal.
      await this.#send(head, refusalOf(error, head), true);
      await this.#linger(Promise.resolve());
      return false;
    }
    const upload = this.#upload(meter, link);
    const goesOn = await this.#passReply(head, link, upload);
    if (!meter.isDone) await this.#linger(upload);
    const isReusable = goesOn && meter.isDone && !head.isLast && !this.client.isClosed;
    // An idle worker sends nothing, so this read returns only when the worker closes the connection.
    if (isReusable) {
      link.isIdle = true;
      link.fill().then(() => link.isIdle && link.close(), () => {});
    }
    return isReusable;
  }

  /** Sends the head and what has arrived of the body to the worker in one write. */
  async #forwardHead(head: Http1Head, meter: BodyMeter): Promise<Wire> {
    const worker = await this.#router.workerOf(head, this.#peer);
    const { held } = this.client;
    const body = meter.take(held.subarray(head.bytes));
    const { hostname, port } = this.#peer;
    const own = Buffer.from(`${PEER_HEADER}: ${hostname} ${port}\r\n`, "latin1");
    const message = new Uint8Array(head.bytes + own.length + body);
    message.set(held.subarray(0, head.lineBytes));
    message.set(own, head.lineBytes);
    message.set(held.subarray(head.lineBytes, head.bytes + body), head.lineBytes + own.length);
    let link = this.#links.get(worker);
    if (link?.isClosed) link = undefined;
    if (link !== undefined) link.isIdle = false;
    try {
      link ??= await this.#open(worker);
      await link.write(message);
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      // The worker closed the connection before it read any of this request.
      link = await this.#open(worker);
      await link.write(message);
    }
    this.client.consume(head.bytes + body);
    return link;
  }

  async #open(worker: number): Promise<Wire> {
    const link = new Wire(await this.#router.dial(worker));
    this.#links.get(worker)?.close();
    this.#links.set(worker, link);
    return link;
  }

  /** Passes on the rest of the body, then watches whether the caller closes the connection. Never throws. */
  async #upload(meter: BodyMeter, link: Wire): Promise<void> {
    try {
      while (!meter.isDone) {
        if (this.client.held.length === 0 && !await this.client.fill()) return link.close();
        const { held } = this.client;
        const taken = meter.take(held);
        await link.write(held.subarray(0, taken));
        this.client.consume(taken);
      }
      if (this.client.held.length === 0 && !await this.client.fill()) link.close();
    } catch (error) {
      if (error instanceof HeadFault) this.#fault = error;
      // Otherwise the worker has stopped reading the body; it may have replied.
      await link.closeWrite();
    }
  }

  /** Passes the reply on. @returns whether the connection can be used again */
  async #passReply(head: Http1Head, link: Wire, upload: Promise<void>): Promise<boolean> {
    for (;;) {
      const reply = await readReply(link, head.method);
      if (reply === undefined) return await this.#refuseBroken(head);
      const isInterim = reply.status < 200 && reply.status !== 101;
      const meter = new BodyMeter(isInterim ? "none" : reply.framing);
      let { held } = link;
      let taken = reply.bytes + meter.take(held.subarray(reply.bytes));
      for (;;) {
        await this.client.write(held.subarray(0, taken));
        link.consume(taken);
        if (meter.isDone) break;
        if (!await link.fill()) return false;
        ({ held } = link);
        taken = meter.take(held);
      }
      if (isInterim) continue;
      if (reply.status === 101) {
        await this.#tunnel(link, upload);
        return false;
      }
      return !reply.isLast && !link.isClosed;
    }
  }

  /** Passes bytes in both directions until either side ends. */
  async #tunnel(link: Wire, upload?: Promise<void>): Promise<void> {
    try {
      const up = (async () => {
        // `upload` owns the reader of the caller's side until the caller has sent something.
        await upload;
        await pass(this.client, link);
      })();
      await Promise.race([up, pass(link, this.client)]);
    } finally {
      link.close();
    }
  }

  /** The worker closed the connection before it replied; what it did of the request is unknown. */
  async #refuseBroken(head: Http1Head): Promise<boolean> {
    if (this.client.isClosed) return false;
    if (this.#fault !== undefined) throw this.#fault;
    const error = new ServiceError("unavailable", "Cannot finish the request: the process that served it has ended", {
      headers: { "retry-after": "1" },
    });
    await this.#send(head, refusalOf(error, head), true);
    return false;
  }

  async #refuseFault(fault: HeadFault): Promise<void> {
    const message = `Cannot read the request: ${fault.message}`;
    const body = new TextEncoder().encode(message);
    await this.client.write(formatReply(new Response(null, { status: fault.status }), body, true)).catch(() => {});
    await this.#linger(this.#discard());
  }

  async #send(head: Http1Head, response: Response, isLast = head.isLast): Promise<boolean> {
    const body = new Uint8Array(await response.arrayBuffer());
    const bytes = formatReply(response, head.method === "HEAD" ? new Uint8Array() : body, isLast, body.length);
    await this.client.write(bytes);
    return !isLast;
  }

  /**
   * Closes only the sending side first, so that the caller, which still sends, reads the reply before the connection
   * ends.
   */
  async #linger(sending: Promise<void>): Promise<void> {
    await this.client.closeWrite();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => timer = setTimeout(resolve, LINGER_MS));
    await Promise.race([sending.then(() => this.#discard()), late]);
    clearTimeout(timer);
  }

  async #discard(): Promise<void> {
    do this.client.consume(this.client.held.length); while (await this.client.fill());
  }
}

/** Waits for the head of a reply. @returns undefined when the worker has closed the connection */
async function readReply(link: Wire, method: string): Promise<ReplyHead | undefined> {
  for (let from = 0;;) {
    const { held } = link;
    const end = findHeadEnd(held, from);
    if (end !== undefined) return readReplyHead(held.subarray(0, end), method);
    from = Math.max(0, held.length - 3);
    if (!await link.fill()) return undefined;
  }
}

async function pass(from: Wire, to: Wire): Promise<void> {
  try {
    do {
      const { held } = from;
      if (held.length === 0) continue;
      await to.write(held);
      from.consume(held.length);
    } while (await from.fill());
  } catch {
    // The other side has closed the connection.
  }
}
