/**
 * Characters that a person does not see and a language model reads, or that show a text in another order than it has:
 * such a text is stored as it is and marked in replies. SECURITY.md T47.
 */
import { z } from "zod";

/**
 * Controls other than tab and line ends, the soft hyphen, zero-width spaces and marks, directions, invisible operators,
 * tags, and the variation selectors that no font has. Not the joiners, which emoji and many scripts are written with.
 */
const INVISIBLE =
  // deno-lint-ignore no-control-regex
  /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/u;
/** The flags of England, Scotland, Wales and the like are written with tags that people see. */
const FLAG = /\u{1f3f4}[\u{e0030}-\u{e007a}]{3,6}\u{e007f}/gu;
/** Most texts end the search here. */
const BEYOND_ASCII = /[^\t\n\r\x20-\x7e]/;

export function hasInvisible(text: string): boolean {
  return BEYOND_ASCII.test(text) && INVISIBLE.test(text.replace(FLAG, ""));
}

/** The member of a reply that shows a text. */
export const InvisibleText = z.literal(true).optional().meta({
  description:
    "Present if the text contains characters that people do not see (tags, directions, zero width, controls): it may not say what it seems to say",
});

/** The member, where it belongs. */
export function flagInvisible(text: string): { invisibleText?: true } {
  return hasInvisible(text) ? { invisibleText: true } : {};
}
