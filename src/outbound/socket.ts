/**
 * A connection to one address, by its number, whose other end is known before a byte of a request leaves: by the chain of
 * its certificate, or by a pin that takes the place of the chain. Name and dates are looked at in both cases.
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

/** What the service brings to TLS, read from files once. */
export interface TlsFiles {
  /** Further authorities in PEM, beside those that the runtime trusts. */
  readonly authorities?: string | undefined;
  /** The certificate that is presented where a call asks for it, and its key, in PEM. */
  readonly client?: { readonly certificate: string; readonly key: string } | undefined;
}

/** TLS settings, made once: the roots are many and slow to read. */
export interface TlsContexts {
  readonly plain: SecureContext | undefined;
  readonly client: SecureContext | undefined;
}

/** The certificate at the other end. */
export interface PeerCertificate {
  readonly pin: string;
  readonly expiresAt: Date;
}

export interface Connection {
  readonly socket: Socket;
  /** Where it is connected to. */
  readonly address: string;
  /** Undefined without TLS. */
  readonly certificate: PeerCertificate | undefined;
  close(): void;
}

/**
 * Reads what was configured.
 * @throws Error when a certificate or a key cannot be read
 */
export function createTlsContexts({ authorities, client }: TlsFiles): TlsContexts {
  const ca = authorities === undefined ? undefined : [...rootCertificates, authorities];
  for (const pem of [authorities, client?.certificate]) if (pem !== undefined) new X509Certificate(pem);
  return {
    plain: ca && createSecureContext({ ca }),
    client: client && createSecureContext({ ...(ca && { ca }), cert: client.certificate, key: client.key }),
  };
}

export interface ConnectOptions {
  readonly target: Target;
  /** One of those that were found callable for the target. */
  readonly address: string;
  /** `sha256/<base64>` of the keys of which the other end must have one; empty: the chain of its certificate decides. */
  readonly pins: readonly string[];
  readonly secureContext: SecureContext | undefined;
  readonly now: () => Date;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Connects. With pins, the socket is handed over only after the pin was compared: nothing was written to it before.
 * @throws OutboundError `connect_failed`, `tls_failed`, `certificate_refused`, `pin_mismatch`, `timeout`, `aborted`
 */
export async function connect(options: ConnectOptions): Promise<Connection> {
  const { target, address, signal } = options;
  if (signal?.aborted) throw new OutboundError("aborted", `Cannot call ${target.host}: the call was given up`);
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
    // A pin takes the place of the chain; it is compared below, before anybody else has the socket.
    rejectUnauthorized: pins.length === 0,
  });
  try {
    await whenReady(tls, "secureConnect", { ms: TLS_MS, fallback: "tls_failed", target, signal });
    const certificate = checkCertificate(tls, { target, pins, now: now() });
    const close = () => {
      tls.destroy();
      // The connection below does not end with it where something of TLS is still on its way.
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

/** Codes of certificates that are not believed, as Node names them. */
const NOT_BELIEVED = /CERT|SELF_SIGNED|UNABLE_TO_|ISSUER|LEAF_SIGNATURE|ALTNAME/;

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
    const isCertificate = fallback === "tls_failed" && NOT_BELIEVED.test(error.code ?? "");
    const reason = isCertificate ? "certificate_refused" : fallback;
    const what = isCertificate ? "its certificate is not believed" : "it cannot be connected to";
    reject(new OutboundError(reason, `Cannot call ${host}: ${what} (${error.code ?? error.name})`, { cause: error }));
  };
  const onClose = () => reject(new OutboundError(fallback, `Cannot call ${host}: it closed the connection`));
  const onAbort = () => reject(new OutboundError("aborted", `Cannot call ${host}: the call was given up`));
  const timer = setTimeout(
    () => reject(new OutboundError("timeout", `Cannot call ${host}: not connected within ${ms} ms`)),
    ms,
  );
  socket.once(event, resolve);
  // It stays: an error of a socket that nobody listens to would end the process.
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
