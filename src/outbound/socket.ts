/**
 * Connects to one address, by its number. Before a byte of a request is sent, the server proves who it is: by the chain of
 * its certificate, or by a pinned key, which takes the place of the chain. The name and the dates must fit in both cases.
 */
import { X509Certificate } from "node:crypto";
import { connect as connectTcp, type Socket } from "node:net";
import {
  connect as connectTls,
  createSecureContext,
  rootCertificates,
  type SecureContext,
  type TLSSocket,
} from "node:tls";
import { certificatePin } from "../crypto/certificate_pin.ts";
import type { Target } from "./addresses.ts";
import { OutboundError } from "./failure.ts";

const TCP_MS = 3_000;
const TLS_MS = 5_000;

/** The service's own certificates, read from files once. */
export interface TlsFiles {
  /** Authorities in PEM that are trusted besides those of the runtime. */
  readonly authorities?: string | undefined;
  /** The certificate that the client presents if a call asks for it, and its key, in PEM. */
  readonly client?: { readonly certificate: string; readonly key: string } | undefined;
}

/** TLS settings, made once, because reading the many root certificates is slow. */
export interface TlsContexts {
  readonly plain: SecureContext | undefined;
  readonly client: SecureContext | undefined;
}

/** The server's certificate. */
export interface PeerCertificate {
  readonly pin: string;
  readonly expiresAt: Date;
}

/** An open connection. */
export interface Connection {
  readonly socket: Socket;
  /** The address of the server. */
  readonly address: string;
  /** Undefined without TLS. */
  readonly certificate: PeerCertificate | undefined;
  close(): void;
}

/**
 * Makes the TLS settings from the configured files.
 * @throws Error when a certificate or a key is malformed
 */
export function createTlsContexts({ authorities, client }: TlsFiles): TlsContexts {
  const ca = authorities === undefined ? undefined : [...rootCertificates, authorities];
  for (const pem of [authorities, client?.certificate]) if (pem !== undefined) new X509Certificate(pem);
  return {
    plain: ca && createSecureContext({ ca }),
    client: client && createSecureContext({ ...(ca && { ca }), cert: client.certificate, key: client.key }),
  };
}

/** Where to connect, and how the server has to prove who it is. */
export interface ConnectOptions {
  readonly target: Target;
  /** An address of the target that the service may call. */
  readonly address: string;
  /** `sha256/<base64>` of keys, one of which the server must have; empty: the chain of its certificate decides. */
  readonly pins: readonly string[];
  readonly secureContext: SecureContext | undefined;
  readonly now: () => Date;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Connects. With pins, the caller gets the socket only after the pin was compared; nothing was written to it before.
 * @throws OutboundError `connect_failed`, `tls_failed`, `certificate_refused`, `pin_mismatch`, `timeout`, `aborted`
 */
export async function connect(options: ConnectOptions): Promise<Connection> {
  const { target, address, signal } = options;
  if (signal?.aborted) throw new OutboundError("aborted", `Cannot call ${target.host}: the call was aborted`);
  const tcp = connectTcp({ host: address, port: target.port });
  tcp.setNoDelay(true);
  try {
    await whenReady(tcp, "connect", { ms: TCP_MS, fallback: "connect_failed", target, signal });
    if (!target.isTls) return { socket: tcp, address, certificate: undefined, close: () => void tcp.destroy() };
    return await secure(tcp, options);
  } catch (error) {
    tcp.destroy();
    throw error;
  }
}

async function secure(
  tcp: Socket,
  { target, address, pins, secureContext, now, signal }: ConnectOptions,
): Promise<Connection> {
  const tls = connectTls({
    socket: tcp,
    host: target.host,
    ...(!target.isAddress && { servername: target.host }),
    ...(secureContext && { secureContext }),
    minVersion: "TLSv1.2",
    ALPNProtocols: ["http/1.1"],
    // With pins, `checkCertificate` compares the pin instead of the chain, before the caller gets the socket.
    rejectUnauthorized: pins.length === 0,
  });
  try {
    await whenReady(tls, "secureConnect", { ms: TLS_MS, fallback: "tls_failed", target, signal });
    const certificate = checkCertificate(tls, { target, pins, now: now() });
    const close = () => {
      tls.destroy();
      // Destroying the TLS socket alone may leave the TCP connection open while TLS data is on its way.
      tcp.destroy();
    };
    return { socket: tls, address, certificate, close };
  } catch (error) {
    tls.destroy();
    throw error;
  }
}

/** @throws OutboundError `pin_mismatch`, or `certificate_refused` for another name or outside of its dates */
function checkCertificate(
  tls: TLSSocket,
  { target, pins, now }: { readonly target: Target; readonly pins: readonly string[]; readonly now: Date },
): PeerCertificate {
  const { host } = target;
  const raw = tls.getPeerCertificate().raw;
  const pin = raw === undefined ? undefined : certificatePin(Uint8Array.from(raw).toBase64());
  if (raw === undefined || pin === undefined) {
    throw new OutboundError("certificate_refused", `Cannot call ${host}: it showed no certificate that can be read`);
  }
  if (pins.length > 0 && !pins.includes(pin)) {
    throw new OutboundError("pin_mismatch", `Cannot call ${host}: its certificate has another key than the pinned one`);
  }
  const certificate = new X509Certificate(raw);
  const name = target.isAddress ? certificate.checkIP(host) : certificate.checkHost(host);
  if (name === undefined) {
    throw new OutboundError("certificate_refused", `Cannot call ${host}: its certificate is for another name`);
  }
  const expiresAt = new Date(certificate.validTo);
  if (!(new Date(certificate.validFrom) <= now && now <= expiresAt)) {
    throw new OutboundError("certificate_refused", `Cannot call ${host}: its certificate is not valid now`);
  }
  return { pin, expiresAt };
}

/** Node's error codes for certificates that it does not trust. */
const NOT_TRUSTED = /CERT|SELF_SIGNED|UNABLE_TO_|ISSUER|LEAF_SIGNATURE|ALTNAME/;

function whenReady(
  socket: Socket,
  event: "connect" | "secureConnect",
  { ms, fallback, target: { host }, signal }: {
    readonly ms: number;
    readonly fallback: "connect_failed" | "tls_failed";
    readonly target: Target;
    readonly signal: AbortSignal | undefined;
  },
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onError = (error: Error & { code?: string }) => {
    const isCertificate = fallback === "tls_failed" && NOT_TRUSTED.test(error.code ?? "");
    const reason = isCertificate ? "certificate_refused" : fallback;
    const what = isCertificate ? "its certificate is not trusted" : "the connection failed";
    reject(new OutboundError(reason, `Cannot call ${host}: ${what} (${error.code ?? error.name})`, { cause: error }));
  };
  const onClose = () => reject(new OutboundError(fallback, `Cannot call ${host}: it closed the connection`));
  const onAbort = () => reject(new OutboundError("aborted", `Cannot call ${host}: the call was aborted`));
  const timer = setTimeout(
    () => reject(new OutboundError("timeout", `Cannot call ${host}: not connected within ${ms} ms`)),
    ms,
  );
  socket.once(event, resolve);
  // This listener stays on the socket: an error without a listener would end the process.
  socket.on("error", onError);
  socket.once("close", onClose);
  signal?.addEventListener("abort", onAbort, { once: true });
  return promise.finally(() => {
    clearTimeout(timer);
    socket.off(event, resolve);
    socket.off("close", onClose);
    signal?.removeEventListener("abort", onAbort);
  });
}
