/** A TCP relay on loopback, to make a connection go silent or break between the service and Postgres. */

export interface Relay extends AsyncDisposable {
  readonly port: number;
  /** From now on nothing passes and nothing is closed, as when a network swallows packets. */
  freeze(): void;
  /** Lets everything pass again, also what was held back. */
  thaw(): void;
}

export function startRelay(target: { readonly hostname: string; readonly port: number }): Relay {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const sockets = new Set<Deno.TcpConn>();
  let flowing = Promise.resolve();
  let thaw = () => {};

  async function pump(from: Deno.TcpConn, to: Deno.TcpConn): Promise<void> {
    const buffer = new Uint8Array(65_536);
    try {
      for (let n = await from.read(buffer); n !== null; n = await from.read(buffer)) {
        await flowing;
        for (let sent = 0; sent < n;) sent += await to.write(buffer.subarray(sent, n));
      }
    } catch {
      // One end has broken off; closing both below tells the other.
    }
    for (const socket of [from, to]) {
      if (!sockets.delete(socket)) continue;
      socket.close();
    }
  }

  async function relay(): Promise<void> {
    for await (const client of listener) {
      sockets.add(client);
      const server = await Deno.connect(target).catch(() => undefined);
      if (server === undefined) {
        sockets.delete(client);
        client.close();
        continue;
      }
      sockets.add(server);
      pumps.add(pump(client, server));
      pumps.add(pump(server, client));
    }
  }
  const pumps = new Set<Promise<void>>();
  const accepting = relay();

  return {
    port: (listener.addr as Deno.NetAddr).port,
    freeze() {
      const held = Promise.withResolvers<void>();
      flowing = held.promise;
      thaw = held.resolve;
    },
    thaw: () => {
      thaw();
      flowing = Promise.resolve();
    },
    async [Symbol.asyncDispose]() {
      thaw();
      listener.close();
      for (const socket of sockets) socket.close();
      sockets.clear();
      await accepting;
      await Promise.all(pumps);
    },
  };
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
