/** Removes text that looks like a key, password or token from conversations before recording and recall. */
import { isSecretName, REDACT_CHARS_MAX, redactShapes } from "../../telemetry/redact.ts";
import { replaceBetween } from "./between.ts";

/** Keys of services that people paste. The log's patterns cover this service's keys, bearers and passwords. */
const KEYS =
  /\b(?:(?:AKIA|ASIA)[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_\w{20,255}|glpat-[\w-]{20,255}|xox[abeprs]-[\w-]{10,255}|AIza[\w-]{35}|npm_[A-Za-z0-9]{30,255}|hf_[A-Za-z0-9]{30,255}|[rsp]k_(?:live|test)_[A-Za-z0-9]{16,255}|SG\.[\w-]{16,64}\.[\w-]{16,128})/g;

/** The signs between a name and its value. */
const SIGN = /[=:]/g;
const NAME_CHARS_MAX = 80;
const SPACES_MAX = 4;

/** Returns a text without parts that look like secrets. */
export function withoutSecrets(text: string): string {
  // The only multi-line secret is removed first, so that the rest can be checked in pieces.
  const withoutPem = replaceBetween(text, "-----BEGIN ", "\n-----END ", "[redacted pem]");
  return [...inPieces(withoutValues(withoutPem))].map(redactShapes).join("").replaceAll(KEYS, "[redacted]");
}

/** Hides the values after names of secrets, written as `NAME=value`, `name: value` or `"name": "value"`. */
function withoutValues(text: string): string {
  // A value in quotes ends at the closing quote; JSON inside a string has escaped quotes.
  const nextValue = /[ \t]{0,4}\\?(?:"([^"\\\n]{8,})|'([^'\\\n]{8,})|([^\s"'\\,;&{}]{8,}))/y;
  let shown = "";
  let from = 0;
  for (const { index, 0: sign } of text.matchAll(SIGN)) {
    if (index < from || !isSecretName(nameBefore(text, index))) continue;
    nextValue.lastIndex = index + 1;
    const [all, double, single, bare] = nextValue.exec(text) ?? [];
    const value = double ?? single ?? bare;
    // "The token: something" is a sentence, not a secret.
    if (value === undefined || (value === bare && sign === ":" && !/\d/.test(value))) continue;
    const end = index + 1 + all!.length;
    shown += `${text.slice(from, end - value.length)}[redacted]`;
    from = end;
  }
  return shown + text.slice(from);
}

/** The word before a sign, without a closing quote. */
function nameBefore(text: string, at: number): string {
  let end = at;
  while (end > 0 && at - end < SPACES_MAX && /[ \t]/.test(text[end - 1]!)) end--;
  if (end > 0 && /["']/.test(text[end - 1]!)) end--;
  if (end > 0 && text[end - 1] === "\\") end--;
  let start = end;
  while (start > 0 && end - start < NAME_CHARS_MAX && /[\w.-]/.test(text[start - 1]!)) start--;
  return text.slice(start, end);
}

/** Pieces within the length that the patterns read, which end with a line, or at least with a word. */
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
