/**
 * Fits a session's context into a token budget. Pure.
 *
 * The scratchpad comes first, whole, up to half of the budget. Of the rest, half is for the most recent turns, three
 * tenths for recalled knowledge and a fifth for a summary of earlier turns; each part may use what the one before
 * leaves. Turns are taken from the newest backwards without a gap; knowledge that does not fit is skipped.
 */

export interface Priced<T> {
  readonly item: T;
  readonly tokens: number;
}

export interface PackInput<Turn, Knowledge> {
  readonly maxTokens: number;
  /** Tokens of the scratchpad; 0 when it is empty. */
  readonly scratchpadTokens: number;
  /** The newest first. */
  readonly turns: readonly Priced<Turn>[];
  /** Turns of the session that are older than those given. */
  readonly olderTurns: number;
  /** The best first. */
  readonly knowledge: readonly Priced<Knowledge>[];
  /** A summary of the `turns` from index `from` on (the older ones) in at most `tokensMax`; empty when there is none. */
  readonly summarise: (from: number, tokensMax: number) => Promise<Priced<string>>;
}

export type ContextPart = "summary" | "scratchpad" | "turns" | "knowledge";

export interface Packed<Turn, Knowledge> {
  readonly scratchpad: boolean;
  /** The oldest first. */
  readonly turns: Turn[];
  readonly knowledge: Knowledge[];
  readonly summary: Priced<string> | undefined;
  /** Parts that are incomplete. */
  readonly omitted: ContextPart[];
  readonly scratchpadTokens: number;
  readonly turnTokens: number;
  readonly knowledgeTokens: number;
}

export async function packContext<T, K>(
  input: PackInput<T, K>,
  isShown: (knowledge: K, turns: readonly T[]) => boolean,
): Promise<Packed<T, K>> {
  const { maxTokens, turns, olderTurns } = input;
  const scratchpad = input.scratchpadTokens > 0 && input.scratchpadTokens <= maxTokens / 2;
  const scratchpadTokens = scratchpad ? input.scratchpadTokens : 0;
  const rest = maxTokens - scratchpadTokens;
  const knowledgeShare = Math.floor(rest * 0.3);
  const summaryShare = Math.floor(rest * 0.2);
  const turnShare = rest - knowledgeShare - summaryShare;

  const first = takeNewest(turns, turnShare);
  const tentative = takeBest(input.knowledge, knowledgeShare, items(turns, first.count), isShown);
  const free = rest - tentative.tokens;
  // With the summary's share, all turns may fit, and then there is nothing to summarise.
  const whole = takeNewest(turns, free);
  const complete = whole.count === turns.length && olderTurns === 0;
  const taken = complete ? whole : takeNewest(turns, free - summaryShare);
  const written = complete ? undefined : await input.summarise(taken.count, summaryShare);
  const summary = written && written.tokens > 0 && written.tokens <= summaryShare ? written : undefined;

  const shown = items(turns, taken.count);
  const left = rest - taken.tokens - (summary?.tokens ?? 0);
  const knowledge = takeBest(input.knowledge, left, shown, isShown);
  const omitted: ContextPart[] = [];
  if (!complete && summary === undefined) omitted.push("summary");
  if (input.scratchpadTokens > 0 && !scratchpad) omitted.push("scratchpad");
  if (!complete) omitted.push("turns");
  if (knowledge.skipped) omitted.push("knowledge");
  return {
    scratchpad,
    turns: shown.toReversed(),
    knowledge: knowledge.items,
    summary,
    omitted,
    scratchpadTokens,
    turnTokens: taken.tokens,
    knowledgeTokens: knowledge.tokens,
  };
}

function items<T>(priced: readonly Priced<T>[], count: number): T[] {
  return priced.slice(0, count).map(({ item }) => item);
}

/** How many of the newest fit without a gap. */
function takeNewest(turns: readonly Priced<unknown>[], tokensMax: number): { count: number; tokens: number } {
  let count = 0, tokens = 0;
  while (count < turns.length && tokens + turns[count]!.tokens <= tokensMax) tokens += turns[count++]!.tokens;
  return { count, tokens };
}

function takeBest<T, K>(
  knowledge: readonly Priced<K>[],
  tokensMax: number,
  turns: readonly T[],
  isShown: (knowledge: K, turns: readonly T[]) => boolean,
): { items: K[]; tokens: number; skipped: boolean } {
  const taken: K[] = [];
  let tokens = 0, skipped = false;
  for (const { item, tokens: cost } of knowledge) {
    if (isShown(item, turns)) continue;
    if (tokens + cost > tokensMax) {
      skipped = true;
      continue;
    }
    taken.push(item);
    tokens += cost;
  }
  return { items: taken, tokens, skipped };
}
