/** Applies the rules to two turns of chat with an assistant, each collapsed by itself or both in one session. */
import { dangles } from "../scripts/bench/_collapse_score.ts";
import { type ClaimRelation, readClaims, relateAll } from "../src/language/claims/mod.ts";
import type { ConversationTurn } from "../src/language/conversation.ts";
import { proposeByRules } from "../src/language/extraction.ts";
import { type Statement, validateProposals } from "../src/language/proposals.ts";
import { settleChanges } from "../src/language/session_changes.ts";
import type { UpdatePair } from "./_updates.ts";

/** The newer turn is said seven weeks later. */
const TOLD_AT = { older: "2026-03-02T09:00:00Z", newer: "2026-04-20T18:00:00Z" };

export interface Collapsed {
  readonly kept: readonly string[];
  /** The statements that the session itself takes back. */
  readonly outdated: readonly string[];
}

/** Collapses a session of a user's turns. */
function collapse(turns: readonly ConversationTurn[]): Collapsed {
  const { statements } = validateProposals(turns, proposeByRules(turns));
  const { kept, outdated } = settleChanges(statements, turns);
  const textsOf = (all: readonly Statement[]) => all.map(({ statement }) => statement);
  return { kept: textsOf(kept), outdated: textsOf(outdated) };
}

type Pair = Pick<UpdatePair, "older" | "newer">;

function turnOf(pair: Pair, which: keyof Pair): ConversationTurn {
  return { messageId: which, role: "user", content: pair[which], occurredAt: TOLD_AT[which] };
}

/** Relates a newer stored statement to an older one. */
export function relateStatements(newer: string, older: string): ClaimRelation {
  return relateAll(readClaims(newer), readClaims(older));
}

/** A relation that is not `none`, and the statements between which it is. */
export interface Found {
  readonly relation: ClaimRelation;
  readonly newer: string;
  readonly older: string;
}

export interface Outcome {
  readonly older: readonly string[];
  readonly newer: readonly string[];
  readonly found: readonly Found[];
  /** The kept and the outdated statements if one session has both turns. */
  readonly together: Collapsed;
}

/** Collapses both turns, and relates each statement of the newer one to each of the older one. */
export function tellPair(pair: Pair): Outcome {
  const [older, newer] = [collapse([turnOf(pair, "older")]).kept, collapse([turnOf(pair, "newer")]).kept];
  const found = newer.flatMap((one) =>
    older.map((other) => ({ relation: relateStatements(one, other), newer: one, older: other }))
      .filter(({ relation }) => relation !== "none")
  );
  return { older, newer, found, together: collapse([turnOf(pair, "older"), turnOf(pair, "newer")]) };
}

export interface UpdateScore {
  /** Each turn left a statement with its content that can be understood by itself. */
  readonly areKept: boolean;
  /** The relation of the newer of these statements to the older one. */
  readonly relation: ClaimRelation;
  /** In one session, the outdated statement is not kept, and the current one is. */
  readonly isSettled: boolean;
  /** A statement that is not about the update was ended. */
  readonly isWronglyEnded: boolean;
}

/** Whether a statement holds the words. */
function holds(statement: string, words: string): boolean {
  return statement.toLowerCase().includes(words.toLowerCase());
}

/** Scores an update by the outcome. */
export function scoreUpdate(pair: UpdatePair, outcome: Outcome): UpdateScore {
  const isOld = (statement: string) => holds(statement, pair.outdated);
  const isWhole = (statement: string) => !dangles(statement);
  const of = outcome.found.filter(({ older }) => isOld(older)).map(({ relation }) => relation);
  const { kept } = outcome.together;
  return {
    areKept: outcome.older.some((one) => isOld(one) && isWhole(one)) &&
      outcome.newer.some((one) => holds(one, pair.current) && isWhole(one)),
    relation: of.includes("ends") ? "ends" : of[0] ?? "none",
    isSettled: kept.some((one) => holds(one, pair.current)) && !kept.some(isOld),
    isWronglyEnded: outcome.found.some(({ older, relation }) => relation === "ends" && !isOld(older)),
  };
}

export interface CompatibleScore {
  readonly relation: ClaimRelation;
  /** In one session, neither takes back the other. */
  readonly areBothKept: boolean;
}

/** Scores two turns that can hold at the same time: each statement that is ended, marked or taken back is a fault. */
export function scoreCompatible(outcome: Outcome): CompatibleScore {
  return { relation: strongest(outcome), areBothKept: outcome.together.outdated.length === 0 };
}

/** The strongest relation between any two statements. */
export function strongest({ found }: Outcome): ClaimRelation {
  const all = found.map(({ relation }) => relation);
  return all.includes("ends") ? "ends" : all[0] ?? "none";
}
