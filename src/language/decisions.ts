/** Reads the parts of a statement about a decision: what was decided, why, and instead of what. Pure. */

export interface DecisionParts {
  /** The decision in few words, without its author and reason. */
  readonly title: string;
  readonly rationale: string | null;
  readonly alternatives: readonly string[];
}

const TITLE_CHARS_MAX = 160;
const REASON =
  /,? (?:(?:mostly|mainly|partly|only|simply|just) )?(?:because|since(?! (?:\d|last|the|january|february|march|april|may|june|july|august|september|october|november|december))|, as) (.+)$/iu;
const INSTEAD =
  /(?:, not| instead of| rather than|(?<=\b(?:chose|chosen|picked|prefer|preferred) .{2,60}) over) ([^,;.!?]{2,80})/giu;
const WHO =
  /^(?:.{1,80}? )?(?:(?:has|have|had|just|finally|all|both) )*(?:decided(?: (?:to|on|that|against))?|agreed (?:to|on|that)|settled on|opted (?:for|to)|concluded that|made up (?:my|our|their|his|her) minds? to|made the decision to)(?::| )\s*/iu;
/** What is cut off the end of what was decided, and of its reason. */
const ENDS = /[\s.!…]/u;
const REASON_ENDS = /[\s!…]/u;
const AGAINST = /\bdecided against /iu;
const CHOSE = /^(?:.{1,80}? )?(?:(?:has|have|had) )?((?:chose|chosen|picked)\b.*)$/iu;

/** Reads the parts of a decision from a statement about it. */
export function readDecision(statement: string): DecisionParts {
  const reason = REASON.exec(statement);
  const told = trimEnd(reason === null ? statement : statement.slice(0, reason.index), ENDS);
  const alternatives = [...told.matchAll(INSTEAD)].map(([, what]) => what!.trim());
  const who = WHO.exec(told);
  const what = who === null ? CHOSE.exec(told)?.[1] ?? told : told.slice(who[0].length);
  const title = AGAINST.test(who?.[0] ?? "") ? `Not ${what}` : what;
  return {
    title: shorten(capitalise(title === "" ? told : title)),
    rationale: reason === null ? null : capitalise(trimEnd(reason[1]!, REASON_ENDS)),
    alternatives: [...new Set(alternatives)],
  };
}

/** Takes units off the end of a text. It is no pattern, because that would start over at each of them. */
function trimEnd(text: string, units: RegExp): string {
  let end = text.length;
  while (end > 0 && units.test(text[end - 1]!)) end--;
  return text.slice(0, end);
}

function capitalise(text: string): string {
  return text === "" ? "" : text[0]!.toUpperCase() + text.slice(1);
}

/** Shortens a text to the length of a title; cuts between words. */
function shorten(text: string): string {
  if (text.length <= TITLE_CHARS_MAX) return text;
  const cut = text.slice(0, TITLE_CHARS_MAX - 1);
  return `${
    cut.slice(0, Math.max(cut.lastIndexOf(" "), TITLE_CHARS_MAX / 2)).toWellFormed().replace(/\ufffd$/, "").trimEnd()
  }…`;
}
