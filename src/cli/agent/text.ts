/**
 * Makes text from the memory safe for a terminal. Anybody may have stored it, so no part of it may control the
 * terminal: no escape sequences, no characters that change the writing direction or are invisible.
 */

/** Control characters but line break and tab; direction marks, isolates and tags of Unicode. */
// deno-lint-ignore no-control-regex
const UNSAFE = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]/gu;

/** Returns a text in which characters that could control a terminal are spelled out: `\x1b`, `\u{202e}`. */
export function plain(text: string): string {
  return text.toWellFormed().replaceAll(UNSAFE, (char) => {
    const code = char.codePointAt(0)!;
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`;
  });
}

/** Returns a text as one line. */
export function oneLine(text: string): string {
  return plain(text.replaceAll(/\s+/g, " ").trim());
}

/** Returns equivalent JSON without such characters. */
export function plainJson(value: unknown, indent = 2): string {
  return JSON.stringify(value, null, indent).replaceAll(
    UNSAFE,
    (chars) => chars.split("").map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join(""),
  );
}

/** Returns the text in grey if standard output is a terminal with colours. */
export function faint(text: string): string {
  return Deno.stdout.isTerminal() && !Deno.env.get("NO_COLOR") ? `\x1b[2m${text}\x1b[22m` : text;
}
