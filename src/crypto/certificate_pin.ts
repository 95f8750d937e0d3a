/** The pin of a certificate: what a peer's configuration names it by. */
import { createHash, X509Certificate } from "node:crypto";

const TEXT_CHARS_MAX = 16_384;

/**
 * `sha256/<base64>` of a certificate's SPKI. The certificate as proxies pass it on: PEM, PEM with percent-encoding, or
 * its DER in base64. Undefined when it is none.
 */
export function certificatePin(text: string): string | undefined {
  if (text === "" || text.length > TEXT_CHARS_MAX) return undefined;
  try {
    const plain = text.includes("%") ? decodeURIComponent(text) : text;
    const isPem = plain.includes("-----BEGIN CERTIFICATE-----");
    const certificate = new X509Certificate(isPem ? plain : Uint8Array.fromBase64(plain, { alphabet: "base64" }));
    const spki = certificate.publicKey.export({ type: "spki", format: "der" });
    return `sha256/${createHash("sha256").update(spki).digest("base64")}`;
  } catch {
    return undefined;
  }
}
