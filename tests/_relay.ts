/** A TCP relay on loopback, to spoil the way between the service and what it talks to. */

/** `up` is towards the target, `down` is back from it. */
export type Direction = "up" | "down";

export interface Piece {
  /** Which connection, 1 for the first. */
  readonly connection: number;
  readonly direction: Direction;
  readonly bytes: Uint8Array;
}

export interface Relay extends AsyncDisposable {
  readonly port: number;
  /** Stops all traffic in a direction and closes nothing, as when a network drops packets. Default: both directions. */
  freeze(direction?: Direction): void;
  /** Lets everything pass again, including bytes that were held back. */
  thaw(): void;
  /** Delays every piece by so many milliseconds in each direction. */
  delay(ms: number): void;
  /** Limits each connection to so many bytes a second in each direction. */
  limitRate(bytesPerSecond: number): void;
  /** Replaces the next reply on each connection by noise, and then ends the connection. */
  garble(): void;
  /** Leads new connections to another target, and breaks off the open ones, as when an address moves. */
  moveTo(target: { readonly hostname: string; readonly port: number }): void;
  /** Breaks one connection off, or by default all; new ones can be made. */
  cut(connection?: number): void;
  /** Undoes `freeze`, `delay`, `limitRate` and `garble`. */
  heal(): void;
  /** Called with each piece before it passes. Its promise holds up only this direction of this connection. */
  onPiece: ((piece: Piece) => void | Promise<void>) | undefined;
}

interface Connection {
  readonly number: number;
  readonly sockets: readonly Deno.TcpConn[];
  readonly closed: PromiseWithResolvers<void>;
  isClosed: boolean;
}

export function startRelay(target: { readonly hostname: string; readonly port: number }): Relay {
  return new TcpRelay(target);
}

class TcpRelay implements Relay {
  readonly port: number;
  onPiece: Relay["onPiece"];
  #target: { readonly hostname: string; readonly port: number };
  readonly #listener: Deno.TcpListener;
  readonly #connections = new Set<Connection>();
  readonly #pumps = new Set<Promise<void>>();
  readonly #accepting: Promise<void>;
  #held: Record<Direction, PromiseWithResolvers<void> | undefined> = { up: undefined, down: undefined };
  #delayMs = 0;
  #bytesPerSecond = Infinity;
  #garbling = false;
  #count = 0;

  constructor(target: { readonly hostname: string; readonly port: number }) {
    this.#target = target;
    this.#listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    this.port = this.#listener.addr.port;
    this.#accepting = this.#accept();
  }

  freeze(direction?: Direction): void {
    for (const way of direction === undefined ? ["up", "down"] as const : [direction]) {
      this.#held[way] ??= Promise.withResolvers<void>();
    }
  }

  thaw(): void {
    for (const held of Object.values(this.#held)) held?.resolve();
    this.#held = { up: undefined, down: undefined };
  }

  delay(ms: number): void {
    this.#delayMs = ms;
  }

  limitRate(bytesPerSecond: number): void {
    this.#bytesPerSecond = bytesPerSecond;
  }

  garble(): void {
    this.#garbling = true;
  }

  moveTo(target: { readonly hostname: string; readonly port: number }): void {
    this.#target = target;
    this.cut();
  }

  cut(number?: number): void {
    for (const connection of this.#connections) {
      if (number === undefined || connection.number === number) this.#close(connection);
    }
  }

  heal(): void {
    this.#delayMs = 0;
    this.#bytesPerSecond = Infinity;
    this.#garbling = false;
    this.thaw();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    this.thaw();
    this.cut();
    await this.#accepting;
    // For a connection that was just being made.
    this.cut();
    await Promise.all(this.#pumps);
  }

  async #accept(): Promise<void> {
    for await (const client of this.#listener) {
      const server = await Deno.connect(this.#target).catch(() => undefined);
      if (server === undefined) {
        client.close();
        continue;
      }
      const sockets = [client, server];
      const connection = { number: ++this.#count, sockets, closed: Promise.withResolvers<void>(), isClosed: false };
      this.#connections.add(connection);
      for (const pump of [this.#pump(connection, "up"), this.#pump(connection, "down")]) {
        this.#pumps.add(pump);
        pump.finally(() => this.#pumps.delete(pump));
      }
    }
  }

  async #pump(connection: Connection, direction: Direction): Promise<void> {
    const [from, to] = direction === "up" ? connection.sockets : connection.sockets.toReversed();
    const buffer = new Uint8Array(65_536);
    try {
      for (let n = await from.read(buffer); n !== null; n = await from.read(buffer)) {
        const bytes = buffer.slice(0, n);
        const garbled = this.#garbling && direction === "down";
        if (garbled) crypto.getRandomValues(bytes);
        await this.#holdUp(connection, { connection: connection.number, direction, bytes });
        for (let sent = 0; sent < n;) sent += await to.write(bytes.subarray(sent));
        if (garbled) break;
      }
    } catch {
      // One end has broken off; closing both below tells the other.
    }
    this.#close(connection);
  }

  /** Waits as long as the piece is held up, or until its connection is closed. */
  async #holdUp(connection: Connection, piece: Piece): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const held = async () => {
      await this.onPiece?.(piece);
      const ms = this.#delayMs + piece.bytes.length / this.#bytesPerSecond * 1_000;
      if (ms > 0) await new Promise((resolve) => timer = setTimeout(resolve, ms));
      await this.#held[piece.direction]?.promise;
    };
    await Promise.race([connection.closed.promise, held()]);
    clearTimeout(timer);
  }

  #close(connection: Connection): void {
    if (connection.isClosed) return;
    connection.isClosed = true;
    this.#connections.delete(connection);
    for (const socket of connection.sockets) socket.close();
    connection.closed.resolve();
  }
}

/** Accepts connections and never answers. */
export function startBlackHole(): { readonly port: number } & AsyncDisposable {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const held: Deno.TcpConn[] = [];
  const accepting = (async () => {
    for await (const connection of listener) held.push(connection);
  })();
  return {
    port: (listener.addr as Deno.NetAddr).port,
    async [Symbol.asyncDispose]() {
      listener.close();
      await accepting;
      for (const connection of held) connection.close();
    },
  };
}

/** A port that nothing listens on. */
export function findDeadPort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return (listener.addr as Deno.NetAddr).port;
}
