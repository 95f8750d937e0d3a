/** Recalled memories as a block for the model. */
import type { Client } from "../../../clients/typescript/mod.ts";
import { fitLines, makeBlock, stripBlocks } from "./block.ts";
import { withoutSecrets } from "./secrets.ts";

/** The longest query that the service takes, in characters. */
const QUERY_CHARS_MAX = 4_096;
/** The part of either end of a prompt that is read: more than a query takes, so that no secret is cut in two. */
const PROMPT_END_CHARS = 16_384;
/** A prompt such as "ok" or "go on" asks for nothing. */
const PROMPT_CHARS_MIN = 8;
const RESULTS_MAX = 12;
/** The service cuts by relevance, but lets some turns pass; results that are far likelier wrong are left out. */
const SCORE_MIN = 0.3;
/**
 * Something that was said many times divides its score: of ten turns that say the same, none alone is likely the right
 * one. So if the answer is likely among the results, those that score near the best one are shown, too.
 */
const EVIDENCE_MIN = 0.5;
const NEAR_BEST = 0.7;
const BRIEF_TOKENS = 1_200;

/** The query in a prompt; undefined for a prompt that asks the memory nothing. */
export function queryOf(prompt: string): string | undefined {
  const said = stripBlocks(prompt);
  // In a long prompt, the question is at the beginning or at the end.
  const ends = said.length <= 2 * PROMPT_END_CHARS
    ? said
    : `${said.slice(0, PROMPT_END_CHARS)}\n${said.slice(-PROMPT_END_CHARS)}`;
  const asked = withoutSecrets(ends.toWellFormed()).replaceAll("\0", "").trim();
  // A command for the client.
  if (asked.length < PROMPT_CHARS_MIN || /^\/\S*$/m.test(asked.split("\n", 1)[0]!)) return undefined;
  if (asked.length <= QUERY_CHARS_MAX) return asked;
  const half = QUERY_CHARS_MAX / 2 - 1;
  return `${asked.slice(0, half)} ${asked.slice(-half)}`.toWellFormed();
}

/** The parts of the memory that a conversation already has. */
export interface Known {
  /** The service's id of the conversation: its own turns need not be recalled. */
  readonly sessionId: string | undefined;
  readonly shown: readonly string[];
}

/** Returns the block that answers a prompt, and the ids of its contents. */
export async function recallFor(svc: Client, prompt: string, { sessionId, shown }: Known): Promise<
  { readonly block: string | undefined; readonly ids: readonly string[] }
> {
  const query = queryOf(prompt);
  if (query === undefined) return { block: undefined, ids: [] };
  const { results, evidenceConfidence } = await svc.recall({ query, limit: RESULTS_MAX });
  const best = Math.max(...results.map(({ score }) => score));
  const scoreMin = evidenceConfidence >= EVIDENCE_MIN ? Math.min(SCORE_MIN, NEAR_BEST * best) : SCORE_MIN;
  const told = new Set<string>();
  const news = results.filter((one) => {
    if (one.score < scoreMin || shown.includes(one.id)) return false;
    if (sessionId !== undefined && one.sessionId === sessionId) return false;
    // A result that repeats the words of an earlier one adds nothing.
    return told.size < told.add(`${one.type} ${one.text}`).size;
  });
  const lines = news.map((one) => {
    const at = (one.occurredAt ?? one.validFrom)?.slice(0, 10);
    const marks = [
      `${one.type} ${one.id}`,
      `trust ${one.trustScore}`,
      one.contested && "contested",
      one.stale && "stale",
      one.outdatedBy !== undefined && "outdated",
      one.invisibleText && "has characters that people do not see",
      at,
    ];
    const who = one.type === "turn" ? `${one.name ?? one.role ?? "somebody"}: ` : "";
    const { newer } = one;
    const later = newer === undefined
      ? ""
      : ` (said later, ${newer.occurredAt.slice(0, 10)}${
        newer.ended ? ", it has ended" : ""
      }: ${newer.text} [${newer.id}])`;
    return `- ${who}${one.text} [${marks.filter(Boolean).join(", ")}]${later}`;
  });
  return { block: makeBlock(lines), ids: news.slice(0, fitLines(lines).length).map(({ id }) => id) };
}

/** Returns the briefing for the start of a session; undefined if nothing is known. */
export async function briefFor(svc: Client): Promise<string | undefined> {
  const { text, preferences, facts, decisions, openTasks } = await svc.getSelfProfile({ maxTokens: BRIEF_TOKENS });
  const isEmpty = preferences.length + facts.length + decisions.length + openTasks === 0;
  return isEmpty ? undefined : makeBlock(text.split("\n").filter((line) => line.trim() !== ""));
}
