/** Reads the certificate of a server that nobody trusts yet, so that a person can compare it. Sends the server nothing. */
import { X509Certificate } from "node:crypto";
import { connect as connectTls, type SecureContext } from "node:tls";
import { certificatePin } from "../crypto/certificate_pin.ts";
import type { Target } from "./addresses.ts";
import { OutboundError } from "./failure.ts";

const DEADLINE_MS = 8_000;

/** What a server shows. */
export interface Probed {
  /** The address of the host; the service may call it. */
  readonly address: string;
  readonly pin: string;
  readonly expiresAt: Date;
  /** Whether the certificate is for the host that was called. */
  readonly isForName: boolean;
  /** Whether an authority that this service trusts has signed it. */
  readonly isBelieved: boolean;
}

/**
 * Opens a TLS connection to an address, reads the certificate, and closes the connection.
 * @throws OutboundError `connect_failed`, `tls_failed`, `certificate_refused`, `timeout`
 */
export async function probe(
  target: Target,
  address: string,
  secureContext: SecureContext | undefined,
): Promise<Probed> {
  const { host, port } = target;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const tls = connectTls({
    host: address,
    port,
    ...(!target.isAddress && { servername: host }),
    ...(secureContext && { secureContext }),
    minVersion: "TLSv1.2",
    // Nobody gets this connection: it is closed as soon as the certificate has been read.
    rejectUnauthorized: false,
  });
  const timer = setTimeout(
    () => reject(new OutboundError("timeout", `Cannot look at ${host}: no answer in time`)),
    DEADLINE_MS,
  );
  tls.once("secureConnect", resolve);
  tls.on("error", (cause: Error & { code?: string }) => {
    const isTcp = cause.code === "ECONNREFUSED" || cause.code === "EHOSTUNREACH" || cause.code === "ENETUNREACH";
    reject(
      new OutboundError(
        isTcp ? "connect_failed" : "tls_failed",
        `Cannot look at ${host}: ${cause.code ?? cause.name}`,
        { cause },
      ),
    );
  });
  tls.once("close", () => reject(new OutboundError("tls_failed", `Cannot look at ${host}: it closed the connection`)));
  try {
    await promise;
    const raw = tls.getPeerCertificate().raw;
    const pin = raw === undefined ? undefined : certificatePin(Uint8Array.from(raw).toBase64());
    if (raw === undefined || pin === undefined) {
      throw new OutboundError(
        "certificate_refused",
        `Cannot look at ${host}: it showed no certificate that can be read`,
      );
    }
    const certificate = new X509Certificate(raw);
    const name = target.isAddress ? certificate.checkIP(host) : certificate.checkHost(host);
    return {
      address,
      pin,
      expiresAt: new Date(certificate.validTo),
      isForName: name !== undefined,
      isBelieved: tls.authorized,
    };
  } finally {
    clearTimeout(timer);
    tls.destroy();
  }
}
