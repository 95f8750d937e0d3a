/** Decides whether two statements are the same words in another dress. Pure. */
import { nameKey } from "./names.ts";

const DOUBLE_QUOTES = /[\u201c-\u201f\u00ab\u00bb\u2033\u300c-\u300f]/gu;
const SINGLE_QUOTES = /[\u2018-\u201b\u2039\u203a\u2032]/gu;
/** What closes a statement; a question mark does not, since it makes another sentence. */
const CLOSING = /(?<![\s.!\u2026\u3002\uff01\uff0e\uff61])[\s.!\u2026\u3002\uff01\uff0e\uff61]+$/u;
/** An identifier, in which case may matter: it has a digit, or a capital after a small letter. */
const IDENTIFIER = /\d|\p{Ll}\p{Lu}/u;

/**
 * The words of a statement without their dress: capitals, the kind of quotes, white space, unseen characters, and the
 * full stop or exclamation mark at the end do not count. The capitals of identifiers do: `aB3x` is not `Ab3x`.
 */
export function toStatementForm(statement: string): string {
  const plain = statement.replace(DOUBLE_QUOTES, '"').replace(SINGLE_QUOTES, "'").replace(CLOSING, "");
  const words = plain.split(/\s+/u).map((word) => IDENTIFIER.test(word) ? word.normalize("NFC") : nameKey(word));
  return words.filter((word) => word !== "").join(" ") || statement.trim();
}
