/** Computes the pin by which a peer's entry names a certificate. */
import { createHash, X509Certificate } from "node:crypto";

const TEXT_CHARS_MAX = 16_384;

/**
 * Returns the pin of a certificate: `sha256/` and the base64 SHA-256 of its SPKI. Takes the forms in which proxies pass
 * a certificate on: PEM, percent-encoded PEM, or DER in base64. Undefined for a text that is no certificate.
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
