/**
 * Decides whether the sentences that a model's statement cites say what it says: of the same person, in the same mood, and
 * with the same negation. What cannot be decided counts as not said. Pure.
 */
import { type ConversationTurn, speakerLabel, speakerName } from "./conversation.ts";
import { writeOut } from "./informal.ts";
import { tellsOwnWork } from "./own_work.ts";
import { type Span, splitSentences } from "./sentences.ts";
import { TAKEN_BACK } from "./noteworthy.ts";
import { listContentStems } from "./tokenise.ts";

/** Words of moods. If the clause that a statement is made of has one, the statement has one of the same mood. */
const MOODS: readonly RegExp[] = [
  // What holds only under a condition, or would.
  /\b(?:if|unless|in case|would|could|'d)\b/iu,
  // Wishes.
  /\b(?:wish\p{L}*|hop(?:e|es|ed|ing)|want\p{L}*|wanna|would like|would love|'d like|'d love|dream\p{L}*|need\p{L}*)\b/iu,
  // Plans and what is not sure.
  /\b(?:will|won't|'ll|gonna|going to|plan\p{L}*|intend\p{L}*|thinking (?:of|about)|consider\p{L}*|maybe|perhaps|probably|possibly|might|may|could|about to|wants? to|hopes? to|supposed to|scheduled|due)\b/iu,
  // What somebody else says.
  /\b(?:said|says?|told|tells|heard|hears|apparently|allegedly|supposedly|rumou?r\p{L}*|according to|thinks?|thought|believes?|reckons?|claims?|seems?|i guess)\b/iu,
];
const DENIES = /\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|hardly|rarely)\b|n't\b/iu;
const JOINT = /[,;:\u2013\u2014]| (?:and|but|so|because|although|though|while) /iu;
const QUOTED = /["\u201c][^"\u201d]{3,}["\u201d]/u;
const OPENERS = /^(?:(?:and|but|so|ok|okay|oh|well|yes|no|yeah|also|actually|then|now|hi|hey|today|yesterday),? )+/iu;
const REPORTS = /\b(?:says?|said|told|tells|asks?|asked|thinks?|thought|wants?|hopes?|heard|knows?|believes?)\b/iu;

/**
 * Whether a statement says no more than the sentences around a span of its turn.
 * @param isText the turn is a text that somebody asked for
 */
export function saysSo(statement: string, span: Span, turn: ConversationTurn, isText: boolean): boolean {
  const content = turn.content.replace(/[\u2018\u2019]/g, "'");
  const sentences = splitSentences(content);
  const cited = sentences.filter(({ start, end }) => start < span.end && end > span.start);
  const texts = cited.map(({ start, end }) => writeOut(content.slice(start, end)));
  if (texts.length === 0 || isText) return false;
  if (texts.every((text) => text.endsWith("?"))) return false;
  const after = sentences.filter(({ start }) => start >= cited[0]!.start);
  if (after.some(({ start, end }) => TAKEN_BACK.test(content.slice(start, end)))) return false;
  if (turn.role === "assistant") return texts.some((text) => tellsOwnWork(text.replace(OPENERS, ""), false));
  const said = withoutMay(statement.replace(/[\u2018\u2019]/g, "'"));
  const clauses = pickClauses(said, texts);
  const told = withoutMay(clauses.join(" "));
  // A condition bounds its whole sentence.
  if (texts.some((text) => /^(?:if|unless)\b|,? (?:if|unless) /iu.test(text)) && !MOODS[0]!.test(said)) return false;
  if (MOODS.some((mood) => mood.test(told) && !mood.test(said))) return false;
  if (DENIES.test(told) !== DENIES.test(said)) return false;
  if (QUOTED.test(told) && !QUOTED.test(said) && !REPORTS.test(said)) return false;
  return clauses.some((clause) => isOfSame(said, clause, turn));
}

/** The month is no mood. */
function withoutMay(text: string): string {
  return text.replace(/\bMay\b/gu, "Mai");
}

/** The clauses of the cited sentences that share most with the statement. */
function pickClauses(statement: string, sentences: readonly string[]): string[] {
  const stems = new Set(listContentStems(statement, "prose"));
  const clauses = sentences.flatMap((sentence) => sentence.split(JOINT, 20)).map((clause) => clause.trim());
  const shared = clauses.map((clause) => new Set(listContentStems(clause, "prose")).intersection(stems).size);
  const most = Math.max(...shared);
  return clauses.filter((_, i) => shared[i]! > 0 && shared[i]! * 2 >= most);
}

/** Whether a statement that begins with the speaker is made of a clause about the speaker. */
function isOfSame(statement: string, clause: string, turn: ConversationTurn): boolean {
  const bare = clause.replace(OPENERS, "");
  const owned = /^(?:my|our|his|her|their|your) (\p{L}+)/iu.exec(bare)?.[1];
  if (owned !== undefined) {
    return listContentStems(owned, "prose").every((stem) => listContentStems(statement, "prose").includes(stem));
  }
  const names = [speakerName(turn), speakerLabel(turn), "the user", "user"].filter((name) => name !== null);
  const opening = statement.toLowerCase();
  const begins = names.some((name) =>
    opening.startsWith(name.toLowerCase()) && !/^(?:'s|\p{L})/u.test(opening.slice(name.length))
  );
  const isOther =
    /^(?:[Hh]e|[Ss]he|[Tt]hey|[Yy]ou|[Ii]t)\b|^\p{Lu}\p{Ll}+ (?:is|was|has|had|will|can|works?|lives?|likes?|moved|said|says|\p{Ll}+(?:s|ed))\b/u
      .test(bare) && !/^(?:I|We)\b/u.test(bare) && !names.some((name) => bare.startsWith(name));
  return !(begins && isOther) || REPORTS.test(statement);
}
