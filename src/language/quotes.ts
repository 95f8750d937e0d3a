/** Finds a quote in the text that it quotes, whatever its case, white space and quotation marks. Pure. */

export interface Folded {
  readonly text: string;
  /** For each unit of the folded text the offset in the original, and one more for its end. */
  readonly offsets: readonly number[];
}

/** Case, runs of white space and curly quotes are no differences between a quote and its source. */
export function foldText(text: string): Folded {
  const units: string[] = [];
  const offsets: number[] = [];
  for (let i = 0; i < text.length; i++) {
    const unit = text[i]!;
    const plain = foldUnit(unit);
    if (plain === " " && units.at(-1) === " ") continue;
    units.push(plain);
    offsets.push(i);
  }
  offsets.push(text.length);
  return { text: units.join(""), offsets };
}

/** Folds one unit to one unit, so that offsets can be kept. */
function foldUnit(unit: string): string {
  if (/\s/.test(unit)) return " ";
  if (unit === "\u2018" || unit === "\u2019") return "'";
  if (unit === "\u201c" || unit === "\u201d") return '"';
  const lower = unit.toLowerCase();
  return lower.length === 1 ? lower : unit;
}

/** The quote's place in the turn's content, exact if it can be. */
export function findQuote(
  content: string,
  folded: Folded,
  quote: string,
  hint: number,
): { readonly start: number; readonly end: number } | null {
  const exact = content.startsWith(quote, hint) ? hint : content.indexOf(quote);
  let span = exact === -1 ? null : { start: exact, end: exact + quote.length };
  if (span === null) {
    const sought = foldText(quote).text;
    const at = folded.text.indexOf(sought);
    if (at === -1) return null;
    const last = folded.offsets[at + sought.length - 1]!;
    span = { start: folded.offsets[at]!, end: last + 1 };
  }
  const text = content.slice(span.start, span.end);
  return text.isWellFormed() && !text.includes("\0") ? span : null;
}
