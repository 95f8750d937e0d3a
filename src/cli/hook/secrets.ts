/** Keys, passwords and tokens in a conversation are neither recorded nor searched for: what looks like one is taken out. */
import { isSecretName, REDACT_CHARS_MAX, redactShapes } from "../../telemetry/redact.ts";
import { replaceBetween } from "./between.ts";

/** Keys of services that people paste; those of this service, bearers and passwords are the shapes of the log. */
const KEYS =
  /\b(?:(?:AKIA|ASIA)[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_\w{20,255}|glpat-[\w-]{20,255}|xox[abeprs]-[\w-]{10,255}|AIza[\w-]{35}|npm_[A-Za-z0-9]{30,255}|hf_[A-Za-z0-9]{30,255}|[rsp]k_(?:live|test)_[A-Za-z0-9]{16,255}|SG\.[\w-]{16,64}\.[\w-]{16,128})/g;

/** What stands between a name and its value. */
const SIGN = /[=:]/g;
const NAME_CHARS_MAX = 80;
const SPACES_MAX = 4;

/** Returns a text without what looks like a secret. */
export function withoutSecrets(text: string): string {
  // The only secret of many lines goes first, so that the rest may be looked at in pieces.
  const withoutPem = replaceBetween(text, "-----BEGIN ", "\n-----END ", "[redacted pem]");
  return [...inPieces(withoutValues(withoutPem))].map(redactShapes).join("").replaceAll(KEYS, "[redacted]");
}

/** Hides the values of secrets' names, as `NAME=value`, `name: value` and `"name": "value"` write them. */
function withoutValues(text: string): string {
  // Up to the closing quote, if a quote opens it; the quotes of JSON within a string are escaped.
  const nextValue = /[ \t]{0,4}\\?(?:"([^"\\\n]{8,})|'([^'\\\n]{8,})|([^\s"'\\,;&{}]{8,}))/y;
  let shown = "";
  let from = 0;
  for (const { index, 0: sign } of text.matchAll(SIGN)) {
    if (index < from || !isSecretName(nameBefore(text, index))) continue;
    nextValue.lastIndex = index + 1;
    const [all, double, single, bare] = nextValue.exec(text) ?? [];
    const value = double ?? single ?? bare;
    // "The token: something" is a sentence.
    if (value === undefined || (value === bare && sign === ":" && !/\d/.test(value))) continue;
    const end = index + 1 + all!.length;
    shown += `${text.slice(from, end - value.length)}[redacted]`;
    from = end;
  }
  return shown + text.slice(from);
}

/** The word before a sign, without the quote that closes it. */
function nameBefore(text: string, at: number): string {
  let end = at;
  while (end > 0 && at - end < SPACES_MAX && /[ \t]/.test(text[end - 1]!)) end--;
  if (end > 0 && /["']/.test(text[end - 1]!)) end--;
  if (end > 0 && text[end - 1] === "\\") end--;
  let start = end;
  while (start > 0 && end - start < NAME_CHARS_MAX && /[\w.-]/.test(text[start - 1]!)) start--;
  return text.slice(start, end);
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
