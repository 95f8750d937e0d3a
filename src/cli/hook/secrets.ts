/** Keys, passwords and tokens in a conversation are neither recorded nor searched for: what looks like one is taken out. */
import { REDACT_CHARS_MAX, redactShapes } from "../../telemetry/redact.ts";
import { replaceBetween } from "./between.ts";

/** Keys of services that people paste; those of this service, bearers and passwords are the shapes of the log. */
const KEYS =
  /\b(?:(?:AKIA|ASIA)[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_\w{20,255}|glpat-[\w-]{20,255}|xox[abeprs]-[\w-]{10,255}|AIza[\w-]{35}|npm_[A-Za-z0-9]{30,255}|hf_[A-Za-z0-9]{30,255}|[rsp]k_(?:live|test)_[A-Za-z0-9]{16,255}|SG\.[\w-]{16,64}\.[\w-]{16,128})/g;

/** Returns a text without what looks like a secret. */
export function withoutSecrets(text: string): string {
  // The only secret of many lines goes first, so that the rest may be looked at in pieces.
  const withoutPem = replaceBetween(text, "-----BEGIN ", "\n-----END ", "[redacted pem]");
  return [...inPieces(withoutPem)].map(redactShapes).join("").replaceAll(KEYS, "[redacted]");
}

/** Pieces as long as the patterns look at, which end with a line, or at least with a word. */
function* inPieces(text: string): Generator<string> {
  for (let at = 0; at < text.length;) {
    let end = Math.min(at + REDACT_CHARS_MAX, text.length);
    if (end < text.length) {
      const window = text.slice(at, end);
      const last = [window.lastIndexOf("\n"), window.lastIndexOf(" ")].find((place) => place > REDACT_CHARS_MAX / 2);
      if (last !== undefined) end = at + last + 1;
      else if (/[\uD800-\uDBFF]/.test(text[end - 1]!)) end--;
    }
    yield text.slice(at, end);
    at = end;
  }
}
