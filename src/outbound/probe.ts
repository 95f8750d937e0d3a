/** What a server shows of itself before anybody trusts it: for a person to compare. Nothing is sent to it. */
import { X509Certificate } from "node:crypto";
import { connect as connectTls, type SecureContext } from "node:tls";
import { certificatePin } from "../crypto/certificate_pin.ts";
import type { Target } from "./addresses.ts";
import { OutboundError } from "./failure.ts";

const DEADLINE_MS = 8_000;

export interface Probed {
  /** Where the name leads; it may be called. */
  readonly address: string;
  readonly pin: string;
  readonly expiresAt: Date;
  /** Whether the certificate is for the name that was asked. */
  readonly isForName: boolean;
  /** Whether an authority that is trusted here signed it. */
  readonly isBelieved: boolean;
}

/**
 * Opens TLS to an address, looks at the certificate, and closes.
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
    // The connection is for nobody to use: it ends here.
    rejectUnauthorized: false,
  });
  const timer = setTimeout(
    () => reject(new OutboundError("timeout", `Cannot look at ${host}: it takes too long`)),
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
