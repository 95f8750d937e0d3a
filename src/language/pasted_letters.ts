/** Finds the letter or mail that somebody has pasted into a message: its words are those of its writer. Pure. */
import { isClause } from "./judgement.ts";
import { listAnaphors } from "./anaphora.ts";
import { DATES } from "./sentence_reader.ts";
import type { Span } from "./sentences.ts";

export interface PastedLetter extends Span {
  /** As the letter is signed; undefined if nobody can tell. */
  readonly writer: string | undefined;
}

const NAME = String.raw`\p{Lu}[\p{L}'.-]{0,40}(?: (?:(?:van|von|de|da|del|der) ){0,3}\p{Lu}[\p{L}'.-]{0,40}){0,3}`;
/** "Dear Mr Okafor," */
const FORMAL =
  /(?:^|[\n:.?!"\u201c] ?)((?:Dear|Sehr geehrte[rs]?|Estimad[oa]s?|Gentile|Prezad[oa]s?|Cher|Ch\u00e8re) \p{L}[^,\n]{0,60}(?:,|\n))/u;
/** "Hi Ana,": a message to an assistant may begin so, too; a line within one does not. */
const FAMILIAR =
  /(?:\n|[:?!"\u201c] ?)((?:Hi|Hello|Hey|Hallo|Liebe[rs]?|Hola|Querid[oa]|Bonjour|Ciao|Car[oa]) \p{Lu}[^,\n]{0,60}(?:,|\n))/u;
/** The head of a forwarded mail. */
const HEADER = /(?:^|\n)(From: *[^\n]{1,120}\n(?:[^\n]{0,200}\n){0,4}?Subject:)/iu;
const SENDER = new RegExp(`^From: *"?(${NAME})`, "iu");
const CLOSES = new RegExp(
  String
    .raw`(?:^|[\n.!?] ?)(?:(?:(?:[Kk]ind(?:est)?|[Bb]est|[Ww]arm(?:est)?|[Mm]any) )?(?:[Rr]egards|[Ww]ishes|[Tt]hanks)|[Bb]est|[Aa]ll the best|[Cc]heers|[Ss]incerely(?: yours)?|[Yy]ours(?: (?:sincerely|truly|faithfully))?|Mit freundlichen Gr\u00fc\u00dfen|(?:Viele|Liebe|Beste) Gr\u00fc\u00dfe|(?:Un )?[Ss]aludos?|Cordialement|Cordiali saluti|Atenciosamente)[,.!]?\s+(${NAME})`,
  "u",
);

/** The letter in a message; undefined: none. What stands before its salutation, and behind its signature, is none of it. */
export function findPastedLetter(text: string): PastedLetter | undefined {
  const header = HEADER.exec(text);
  const begins = header ?? FORMAL.exec(text) ?? FAMILIAR.exec(text);
  if (begins === null) return undefined;
  const start = begins.index + begins[0].length - begins[1]!.length;
  const body = start + begins[1]!.length;
  const closes = CLOSES.exec(text.slice(body));
  if (closes === null) {
    return header === null ? undefined : { start, end: text.length, writer: SENDER.exec(begins[1]!)?.[1] };
  }
  const signed = body + closes.index + closes[0].length;
  // Behind the name its writer's post and address may stand, until a line is left empty.
  const gap = /\n\s*\n/u.exec(text.slice(signed));
  const end = gap !== null ? signed + gap.index : text.slice(signed).includes("\n") ? text.length : signed;
  return { start, end, writer: closes[1]!.replace(/[.,]+$/u, "") };
}

/** Whether a sentence of a letter that somebody pasted tells something definite. */
export function tellsInLetter(sentence: string): boolean {
  return DATES.test(sentence) && !sentence.includes("?") && isClause(sentence);
}

/** A sentence, with the one before it if a word of it points there; undefined: that does not tell, either. */
export function toldInLetter(span: Span, sentence: string, before: Span | undefined, text: string): Span | undefined {
  if (listAnaphors(sentence).length === 0) return span;
  const isTold = before !== undefined && listAnaphors(text.slice(before.start, before.end)).length === 0;
  return isTold ? { start: before.start, end: span.end } : undefined;
}
