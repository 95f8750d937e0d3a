/**
 * Finds characters that people do not see but language models read, and characters that change the order in which a text
 * is displayed. The service stores a text with such characters unchanged and marks it in replies. docs/reference/guarantees.md T47.
 */
import { z } from "zod";

/**
 * Matches control characters except tab and line ends, the soft hyphen, zero-width spaces and marks, direction marks,
 * invisible operators, tags, and the variation selectors that no font uses. It does not match the zero-width joiners,
 * because emoji and many scripts need them.
 */
const INVISIBLE =
  // deno-lint-ignore no-control-regex
  /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/u;
/** The flags of England, Scotland, Wales and the like are written with tags that people see. */
const FLAG = /\u{1f3f4}[\u{e0030}-\u{e007a}]{3,6}\u{e007f}/gu;
/** A quick first test: most texts do not match it, and need no further search. */
const BEYOND_ASCII = /[^\t\n\r\x20-\x7e]/;

export function hasInvisible(text: string): boolean {
  return BEYOND_ASCII.test(text) && INVISIBLE.test(text.replace(FLAG, ""));
}

/** The schema of the mark `invisibleText` in replies that contain a text. */
export const InvisibleText = z.literal(true).meta({
  id: "InvisibleText",
  description:
    "Present if the text contains characters that people do not see (tags, direction marks, zero-width characters, control characters): the text may differ from what people see",
}).optional();

/** The mark for a text that has invisible characters; nothing for any other text. */
export function flagInvisible(text: string): { invisibleText?: true } {
  return hasInvisible(text) ? { invisibleText: true } : {};
}
