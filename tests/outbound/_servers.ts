/** TLS servers that count what they get, and an outbound client that trusts their authority. */
import type { Socket } from "node:net";
import { createServer, type TlsOptions } from "node:tls";
import { Outbound, type OutboundOptions } from "../../src/outbound/client.ts";
import { OutboundError, type OutboundReason } from "../../src/outbound/failure.ts";
import type { Identity } from "../_certificates.ts";

export interface RawServer extends AsyncDisposable {
  readonly port: number;
  /** The text that came within TLS: requests, and not the handshake. */
  readonly received: () => string;
  readonly opened: () => number;
  readonly openNow: () => number;
  /** Shows another certificate on later connections. */
  show(identity: Identity): void;
  /** Cuts every connection. */
  cut(): void;
}

/** Answers a whole request; `count` is its number on the connection. */
export type Answer = (socket: Socket, request: string, count: number) => void;

export const OK: Answer = (socket) => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");

export async function startTlsServer(
  identity: Identity,
  answer: Answer = OK,
  options: TlsOptions & { readonly host?: string; readonly port?: number } = {},
): Promise<RawServer> {
  let received = "";
  let opened = 0;
  const open = new Set<Socket>();
  const server = createServer({ key: identity.key, cert: identity.cert, ...options }, (socket) => {
    opened++;
    let count = 0;
    open.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => open.delete(socket));
    let text = "";
    socket.on("data", (piece: Uint8Array) => {
      const decoded = new TextDecoder().decode(piece);
      received += decoded;
      text += decoded;
      if (!text.includes("\r\n\r\n")) return;
      const request = text;
      text = "";
      answer(socket, request, ++count);
    });
  });
  server.on("tlsClientError", () => {});
  const { host = "127.0.0.1", port = 0 } = options;
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    port: (server.address() as { port: number }).port,
    received: () => received,
    opened: () => opened,
    openNow: () => open.size,
    show: ({ key, cert }) => server.setSecureContext({ key, cert }),
    cut,
    async [Symbol.asyncDispose]() {
      cut();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** Makes an outbound client that may call loopback at any port that a test names. */
export function createOutbound(options: Partial<OutboundOptions> & { readonly authority?: string }): Outbound {
  return new Outbound({
    ports: [443, 8443],
    allowed: ["127.0.0.0/8"],
    tls: { authorities: options.authority },
    now: () => new Date(),
    onResult: () => {},
    ...options,
  });
}

/** Why a call failed; `none`: it succeeded. */
export async function reasonOf(call: Promise<unknown>): Promise<OutboundReason | "none"> {
  try {
    await call;
    return "none";
  } catch (error) {
    if (error instanceof OutboundError) return error.reason;
    throw error;
  }
}
