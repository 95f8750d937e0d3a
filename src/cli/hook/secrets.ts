/** Keys, passwords and tokens in a conversation are neither recorded nor searched for: what looks like one is taken out. */
import { createRedact } from "../../telemetry/redact.ts";

/** Keys of services that people paste; those of this service, bearers and passwords are the shapes of the log. */
const KEYS = new RegExp(
  [
    /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/,
    /\bgh[pousr]_[A-Za-z0-9]{20,255}/,
    /\bgithub_pat_\w{20,255}/,
    /\bglpat-[\w-]{20,255}/,
    /\bxox[abeprs]-[\w-]{10,255}/,
    /\bAIza[\w-]{35}/,
    /\bnpm_[A-Za-z0-9]{30,255}/,
    /\bhf_[A-Za-z0-9]{30,255}/,
    /\b[rsp]k_(?:live|test)_[A-Za-z0-9]{16,255}/,
    /\bSG\.[\w-]{16,64}\.[\w-]{16,128}/,
  ].map(({ source }) => source).join("|"),
  "g",
);

const redact = createRedact([], { charsMax: Infinity });

/** Returns a text without what looks like a secret. */
export function withoutSecrets(text: string): string {
  return redact(text).replaceAll(KEYS, "[redacted]");
}
