/** Scores a conversation's kept statements against the expected ones, by `tests/data/collapse/README.md`. */
import { proposeByRules } from "../../src/language/extraction.ts";
import { readClaims } from "../../src/language/claims/mod.ts";
import { type Statement, validateProposals } from "../../src/language/proposals.ts";
import { settleChanges } from "../../src/language/session_changes.ts";
import { withoutContext } from "../../src/language/reported_speech.ts";
import type { SetFact, SetSession } from "./_collapse_set.ts";

export interface Score {
  readonly wanted: number;
  readonly found: number;
  readonly stored: number;
  readonly right: number;
  readonly whole: number;
  readonly claims: number;
  readonly decisions: number;
  readonly decisionsFound: number;
  readonly changes: number;
  /** Changes whose new state is stored. */
  readonly changesFound: number;
  /** Sessions of which only outdated statements are stored. */
  readonly onlyOutdated: number;
  /** Outdated statements that are stored. */
  readonly outdated: number;
  readonly notes: readonly { readonly kind: string; readonly text: string }[];
}

export function emptyScore(): Score {
  return {
    wanted: 0,
    found: 0,
    stored: 0,
    right: 0,
    whole: 0,
    claims: 0,
    decisions: 0,
    decisionsFound: 0,
    changes: 0,
    changesFound: 0,
    onlyOutdated: 0,
    outdated: 0,
    notes: [],
  };
}

export function addScores(a: Score, b: Score): Score {
  const sum = Object.entries(a).map(([key, value]) => {
    const other = b[key as keyof Score];
    return [key, typeof value === "number" ? value + (other as number) : [...value, ...other as Score["notes"]]];
  });
  return Object.fromEntries(sum) as Score;
}

export function describeScore(score: Score): string {
  const share = (part: number, whole: number) =>
    `${(100 * part / Math.max(1, whole)).toFixed(1)} % (${part} of ${whole})`;
  return [
    `  found           ${share(score.found, score.wanted)}`,
    `  precision       ${share(score.right, score.stored)}`,
    `  self-contained  ${share(score.whole, score.stored)}`,
    `  with a claim    ${share(score.claims, score.stored)}`,
    `  decisions       ${share(score.decisionsFound, score.decisions)}`,
    `  changes         ${share(score.changesFound, score.changes)}`,
    `  outdated stored ${score.outdated}, alone in ${score.onlyOutdated} sessions`,
  ].join("\n");
}

/** Scores the statements that are kept of a session. */
export function scoreSession(session: SetSession): Score {
  const notes: { kind: string; text: string }[] = [];
  const { kept: stored, outdated: left } = settleChanges(
    validateProposals(session.turns, proposeByRules(session.turns)).statements,
    session.turns,
  );
  for (const { statement } of left) notes.push({ kind: "left", text: statement });
  const empty = new Set(session.turns.filter(({ isEmpty }) => isEmpty).map(({ messageId }) => messageId));
  const isWrong = (one: Statement) =>
    empty.has(one.messageId) || session.unwanted.some((fact) => matches(fact, sayingOf(one), true));
  const wrong = stored.filter(isWrong);
  for (const { statement } of wrong) notes.push({ kind: "wrong", text: statement });
  const dangling = stored.filter(({ statement }) => dangles(statement));
  for (const { statement } of dangling) notes.push({ kind: "dangling", text: statement });
  const found = new Map(
    session.wanted.map((fact) => [fact, stored.filter((one) => matches(fact, one.statement, false))]),
  );
  const missed = session.wanted.filter((fact) => found.get(fact)!.length === 0);
  for (const fact of missed) notes.push({ kind: "missed", text: describeFact(session, fact) });
  const unclaimed = stored.filter((one) =>
    one.predicate === undefined && readClaims(withoutContext(one.statement)).length === 0
  );
  for (const { statement } of unclaimed) notes.push({ kind: "claims", text: statement });
  const decisions = session.wanted.filter(({ isDecision }) => isDecision);
  const undecided = decisions.filter((fact) => !found.get(fact)!.some((one) => one.isDecision === true));
  for (const fact of undecided) notes.push({ kind: "decisions", text: describeFact(session, fact) });
  const changes = session.wanted.filter(({ isChange }) => isChange);
  const outdated = stored.filter((one) =>
    session.unwanted.some((fact) => fact.isChange && matches(fact, sayingOf(one), true))
  );
  const known = changes.filter((fact) => found.get(fact)!.length > 0).length;
  for (const one of stored) notes.push({ kind: "stored", text: `${one.isDecision ? "D " : ""}${one.statement}` });
  return {
    wanted: session.wanted.length,
    found: session.wanted.length - missed.length,
    stored: stored.length,
    right: stored.length - wrong.length,
    whole: stored.length - dangling.length,
    claims: stored.length - unclaimed.length,
    decisions: decisions.length,
    decisionsFound: decisions.length - undecided.length,
    changes: changes.length,
    changesFound: known,
    onlyOutdated: outdated.length > 0 && known === 0 ? 1 : 0,
    outdated: outdated.length,
    notes,
  };
}

/** A statement without the sentences that it quotes before its own. */
function sayingOf({ statement, words }: Statement): string {
  return QUOTES_BEFORE.test(statement) ? words ?? statement : statement;
}

function describeFact(session: SetSession, { messageId, items }: SetFact): string {
  const turn = session.turns.find((one) => one.messageId === messageId)!;
  return `${items.map((item) => item.join("/")).join(" | ")}\t${turn.content}`;
}

/** Whether a statement contains a fact: every item occurs in it, at the beginning of a word. */
function matches(fact: SetFact, statement: string, withDate: boolean): boolean {
  const text = statement.toLowerCase();
  const has = (item: string) => {
    for (let at = text.indexOf(item); at !== -1; at = text.indexOf(item, at + 1)) {
      const isNumber = /\d$/.test(item) && /\d/.test(text[at + item.length] ?? "");
      // Words of some scripts have no spaces between them.
      const isUnspaced = /(?!\p{Script=Latin})\p{L}/u.test(item);
      if (!isNumber && (isUnspaced || !/[\p{L}\p{N}]/u.test(text[at - 1] ?? " "))) return true;
    }
    return false;
  };
  return fact.items.every((item) => item.some(has)) && !fact.unless.some(has) &&
    (!withDate || fact.date === null || holdsDate(statement, fact.date));
}

function holdsDate(statement: string, date: string): boolean {
  const [year, month, day] = date.split("-");
  if (month === undefined) return statement.includes(year!);
  const name = new Date(`${year}-${month}-01T00:00:00Z`).toLocaleString("en-GB", { month: "long", timeZone: "UTC" });
  const text = day === undefined ? `${name} ${year}` : `${Number(day)} ${name} ${year}`;
  return statement.includes(date) || new RegExp(`(?<!\\d)${text}`).test(statement);
}

const FIRST_OR_SECOND =
  /(?<![\p{L}'])(?:I|me|my|mine|myself|we|us|our|ours|you|your|yours|i'm|i've|i'll|we're|we've|you're)(?![\p{L}])/iu;
const THIRD = /(?<![\p{L}'])(?:he|she|him|her|his|hers|they|them|their|theirs|it|its)(?![\p{L}])/giu;
const POINTS =
  /(?<![\p{L}])(?:this|that|these|those)(?:'s| (?:is|are|was|were|will|would|means|sounds|looks)\b|[.,!?]|$)|(?<!\p{L})there(?! (?:is|are|was|were|will|has|have|should|must))(?!\p{L})|^(?:here)\b/iu;
const NAMED =
  /\b(?:the|a|an) \p{L}+|'s \p{L}+|\b(?!(?:It|He|She|They|This|That|There|If|When|His|Her|Their|Its|On|In|At|And|But|So|Asked)\b)\p{Lu}[\p{L}\d]+/u;

/** The speaker in front says who "I" is. */
const TELLER = /^[\p{L}][\p{L}\p{M}' .-]{0,60}(?:, \d{1,2} \p{Lu}\p{Ll}+ \d{4})?: /u;
const QUOTES_BEFORE = /^[^:"]{1,80}: "/u;

/** Whether a word of a statement refers to something that the statement does not name. */
export function dangles(statement: string): boolean {
  if (QUOTES_BEFORE.test(statement)) return false;
  const told = statement.replace(TELLER, "");
  const text = told.replace(/["“][^"”]*["”]/gu, "X").replace(/\bUS\b/gu, "X");
  if ((told === statement && FIRST_OR_SECOND.test(text)) || POINTS.test(text)) return true;
  for (const match of text.matchAll(THIRD)) if (!NAMED.test(text.slice(0, match.index))) return true;
  return false;
}
