/**
 * Collects the context in which an agent goes on with a session, within a token budget: a summary of older turns, the
 * scratchpad, the recent turns, and knowledge beyond them. No language model is called.
 */
import type { OperationContext } from "../../context.ts";
import * as sessions from "../../db/queries/sessions.ts";
import * as turnQueries from "../../db/queries/turns.ts";
import type { UnitRow } from "../../db/queries/unit_columns.ts";
import { findUnits } from "../../db/queries/units.ts";
import { readProposals } from "../../language/extraction.ts";
import { SummarySource } from "../../language/summaries.ts";
import { Slices } from "../../pause.ts";
import type { RecallResult } from "../../schema/recall.ts";
import type { SessionContext, SessionContextQuery } from "../../schema/session.ts";
import type { EpisodeBody } from "../kinds/episodes.ts";
import { recallUnified } from "../recall/recall.ts";
import { countTokens } from "../common/tokens.ts";
import { packContext, type Priced } from "./pack.ts";
import { requireSession } from "./session.ts";
import { toTurn } from "../common/turn.ts";

/** The newest turns that are read. Older ones are left to recall, or to the episode's summary. */
const RECENT_TURNS_MAX = 500;
const KNOWLEDGE_MAX = 50;
/** Characters of a turn that serve as the query when the caller gives none. */
const QUERY_CHARS_MAX = 1_000;
const CHARS_PER_TOKEN = 4;

/** @throws ServiceError `not_found` */
export async function readContext(
  ctx: OperationContext,
  id: string,
  query: SessionContextQuery,
): Promise<SessionContext> {
  const { session, recent, episode } = await ctx.tx(async (tx) => {
    const session = requireSession(await sessions.findSession(tx, id));
    const recent = await turnQueries.listTurns(tx, id, { order: "desc", limit: RECENT_TURNS_MAX });
    const [episode] = session.episodeId === null ? [] : await findUnits(tx, [session.episodeId]);
    return { session, recent, episode: episode as UnitRow<EpisodeBody> | undefined };
  }, { readOnly: true });

  const { knowledge, evidenceConfidence } = await findKnowledge(
    ctx,
    session,
    query.query ?? queryOf(recent),
    query.minScore,
  );
  let summedUp = 0;
  const packed = await packContext({
    maxTokens: query.maxTokens,
    scratchpadTokens: Object.keys(session.scratchpad).length === 0
      ? 0
      : countTokens(JSON.stringify(session.scratchpad)),
    turns: recent.map((turn) => ({ item: turn, tokens: countTokens(`${turn.name ?? turn.role}: ${turn.content}`) })),
    olderTurns: session.turnCount - recent.length,
    knowledge: knowledge.map((result) => ({
      item: result,
      tokens: countTokens(result.text) + (result.newer === undefined ? 0 : countTokens(result.newer.text)),
    })),
    async summarise(from, tokensMax) {
      const whole = episode === undefined ? undefined : price(episode.body.summary);
      if (whole !== undefined && whole.tokens > 0 && whole.tokens <= tokensMax) {
        summedUp = session.turnCount;
        return whole;
      }
      const older = recent.slice(from);
      summedUp = older.length;
      return await summarise(older, tokensMax, ctx.signal);
    },
  }, (result, turns) => result.type === "turn" && turns.some((turn) => turn.id === result.id));

  const summaryTokens = packed.summary?.tokens ?? 0;
  const { scratchpadTokens, turnTokens, knowledgeTokens } = packed;
  const saved = session.tokenCount - turnTokens - summaryTokens;
  ctx.deps.telemetry.metrics.countTokensSaved("context", Math.max(0, saved));
  return {
    sessionId: id,
    status: session.status,
    ...(packed.summary && { summary: { text: packed.summary.item, turns: summedUp } }),
    ...(packed.scratchpad && { scratchpad: session.scratchpad }),
    turns: packed.turns.map(toTurn),
    knowledge: packed.knowledge,
    evidenceConfidence,
    omitted: packed.omitted,
    usage: {
      tokens: scratchpadTokens + turnTokens + knowledgeTokens + summaryTokens,
      maxTokens: query.maxTokens,
      summaryTokens,
      scratchpadTokens,
      turnTokens,
      knowledgeTokens,
    },
  };
}

/** The last thing that a user said, or else the last thing that anybody said. */
function queryOf(recent: readonly turnQueries.TurnRow[]): string | undefined {
  const worded = recent.filter(({ content }) => content.trim() !== "");
  const turn = worded.find((one) => one.role === "user") ?? worded[0];
  return turn?.content.slice(0, QUERY_CHARS_MAX).toWellFormed();
}

async function findKnowledge(
  ctx: OperationContext,
  { id, timezone }: sessions.SessionRow,
  query: string | undefined,
  minScore: number | undefined,
): Promise<{ knowledge: RecallResult[]; evidenceConfidence: number }> {
  if (query === undefined || query.trim() === "") return { knowledge: [], evidenceConfidence: 0 };
  const place = timezone === null ? {} : { timezone };
  const body = { ...place, query, limit: KNOWLEDGE_MAX, minScore, tagsMatch: "any", include: [] } as const;
  const reply = await recallUnified(ctx, { ...body, include: [] }, id);
  const pinned = new Set(reply.pinned.map((result) => result.id));
  return {
    knowledge: [...reply.pinned, ...reply.results.filter((result) => !pinned.has(result.id))],
    evidenceConfidence: reply.evidenceConfidence,
  };
}

/** A summary that fits of turns, given the newest first. A script with more tokens per character gets a shorter one. */
async function summarise(
  newestFirst: readonly turnQueries.TurnRow[],
  tokensMax: number,
  signal: AbortSignal,
): Promise<Priced<string>> {
  const turns = newestFirst.toReversed().map(({ messageId, role, name, content }) => ({
    messageId,
    role,
    name,
    content,
  }));
  const slices = new Slices(signal);
  const source = await slices.do(SummarySource.read(turns, await slices.do(readProposals(turns))));
  for (let charsMax = tokensMax * CHARS_PER_TOKEN; charsMax >= 1; charsMax = Math.floor(charsMax / 2)) {
    const summary = price(await slices.do(source.summarise({ charsMax })));
    if (summary.tokens <= tokensMax) return summary;
  }
  return price("");
}

function price(text: string): Priced<string> {
  return { item: text, tokens: countTokens(text) };
}
