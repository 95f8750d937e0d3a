/**
 * Collapses a session into knowledge: pinned turns and statements worth keeping become facts that cite their turns,
 * told decisions become decisions, and an episode sums up. The turns stay where they are, verbatim.
 *
 * The proposals are made outside the transaction; the transaction then writes everything, provided that the session has
 * not changed since. The stored reply holds ids and reasons but no statement, so that erasing a fact erases it here.
 */
import type { OperationContext } from "../../context.ts";
import type { Tx } from "../../db/tx.ts";
import * as sessions from "../../db/queries/sessions.ts";
import * as turnQueries from "../../db/queries/turns.ts";
import type { UnitRow } from "../../db/queries/unit_columns.ts";
import { findUnits } from "../../db/queries/units.ts";
import { ServiceError } from "../../errors.ts";
import { type CollapseProposal, proposeCollapse } from "../../providers/collapse.ts";
import { Slices } from "../../pause.ts";
import { UNIT_BATCH_MAX } from "../../schema/unit.ts";
import type { CollapsedSession, ExtractedDecision, ExtractedFact } from "../../schema/session.ts";
import { type EpisodeBody, type PreparedEpisode, prepareEpisode, writeEpisode } from "../kinds/episodes.ts";
import { type PreparedFact, prepareFacts } from "../kinds/facts/claims.ts";
import type { FactBody } from "../kinds/facts/fields.ts";
import { type FactResult, writeFacts } from "../kinds/facts/write.ts";
import { insertPrepared, type PreparedUnit, prepareUnits } from "../unit/create.ts";
import { type DecisionBody, DECISIONS } from "../kinds/decisions.ts";
import { countTokens } from "../common/tokens.ts";
import {
  harvestDecisions,
  type HarvestedDecision,
  type HarvestedFact,
  harvestFacts,
  type HarvestTurn,
  keepBest,
} from "./harvest.ts";
import { recordSession, requireOpen, requireSession } from "./session.ts";

/** Facts of one session, all written in one transaction: as many as a batch of facts. */
const FACTS_MAX = UNIT_BATCH_MAX;
const DECISIONS_MAX = 100;
/** How often a session that changes meanwhile is read again. */
const ATTEMPTS_MAX = 3;
const DEADLINE_MS = 60_000;
/** Turns that one statement reads. */
const TURNS_OF_PAGE = 2_000;
/** The service makes the summary from the session's own sentences, or a model words it. */
const EPISODE_CONFIDENCE = 0.8;

/** The reply as the session's row stores it. */
interface StoredCollapse {
  readonly turns: number;
  readonly source: CollapsedSession["source"];
  readonly modelFailure: string | null;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly facts: readonly Pick<ExtractedFact, "factId" | "messageId" | "why" | "outcome" | "relatedFactIds">[];
  /** Absent: it was collapsed before the service distinguished decisions from facts. */
  readonly decisions?: readonly Pick<ExtractedDecision, "decisionId" | "messageId">[];
  readonly rejected: Readonly<Record<string, number>>;
}

interface Harvest {
  readonly turns: readonly HarvestTurn[];
  readonly proposal: CollapseProposal;
  readonly rejected: Readonly<Record<string, number>>;
  readonly facts: readonly { readonly found: HarvestedFact; readonly prepared: PreparedFact }[];
  readonly decisions: readonly {
    readonly found: HarvestedDecision;
    readonly prepared: PreparedUnit<DecisionBody> | ServiceError;
  }[];
  readonly episode: PreparedEpisode | undefined;
}

/**
 * Collapses an open session. It can be repeated: a session that is collapsed already returns its stored reply.
 * @throws ServiceError `not_found`; `invalid_transition` when it was discarded; `conflict` when other requests keep
 * adding to it.
 */
export async function collapseSession(ctx: OperationContext, id: string): Promise<CollapsedSession> {
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const read = await ctx.tx((tx) => readSession(tx, id), { readOnly: true });
    if ("reply" in read) return read.reply;
    const harvest = await prepareHarvest(ctx, read.session, read.turns);
    const reply = await ctx.tx((tx) => writeCollapse(ctx, tx, read.session, harvest), { deadlineMs: DEADLINE_MS });
    if (reply === undefined) continue;
    const saved = read.session.tokenCount - countTokens(harvest.proposal.summary);
    ctx.deps.telemetry.metrics.countTokensSaved("collapse", Math.max(0, saved));
    return reply;
  }
  throw new ServiceError(
    "conflict",
    "Cannot collapse the session: other requests keep adding turns or pins; try again",
  );
}

async function readSession(
  tx: Tx,
  id: string,
): Promise<{ reply: CollapsedSession } | { session: sessions.SessionRow; turns: HarvestTurn[] }> {
  const session = requireSession(await sessions.findSession(tx, id));
  if (session.status === "collapsed") return { reply: await describeCollapse(tx, session) };
  requireOpen(session, "collapse");
  return { session, turns: await readTurns(tx, id) };
}

/** All turns, in their order. They come in pages, because nobody is served while the rows of one are read. */
async function readTurns(tx: Tx, sessionId: string): Promise<HarvestTurn[]> {
  const turns: HarvestTurn[] = [];
  let after: number | undefined;
  while (true) {
    const rows = await turnQueries.listTurns(tx, sessionId, { order: "asc", limit: TURNS_OF_PAGE, after });
    for (const { messageId, role, name, content, pinned, occurredAt, utcOffset } of rows) {
      turns.push({ messageId, role, name, content, pinned, occurredAt: occurredAt.toISOString(), utcOffset });
    }
    if (rows.length < TURNS_OF_PAGE) return turns;
    after = rows.at(-1)!.position;
  }
}

async function prepareHarvest(
  ctx: OperationContext,
  session: sessions.SessionRow,
  turns: readonly HarvestTurn[],
): Promise<Harvest> {
  const slices = new Slices(ctx.signal);
  const proposal = await proposeCollapse(ctx.deps.generator ?? null, turns, { signal: ctx.signal });
  // Each step looks at all turns or proposals once; together they would hold up other requests.
  await slices.yieldIfDue();
  const cited = new Set(proposal.statements.map(({ messageId }) => messageId));
  const telling = turns.filter(({ messageId, pinned }) => pinned || cited.has(messageId));
  await slices.yieldIfDue();
  const found = harvestFacts(session, telling, proposal.statements);
  await slices.yieldIfDue();
  const harvested = keepBest(found, FACTS_MAX);
  const facts = await prepareFacts(ctx, harvested.map((fact) => fact.body));
  const now = ctx.deps.clock();
  await slices.yieldIfDue();
  const decided = harvestDecisions(session, telling, proposal.statements, now, DECISIONS_MAX);
  const decisions = await prepareUnits(ctx, DECISIONS, decided.map(({ body }) => body));
  const told = proposal.statements.filter(({ isDecision }) => isDecision === true).length;
  const surplus = found.length - harvested.length + told - decided.length;
  const reasons = [...proposal.dropped, ...Array(surplus).fill("too_many")];
  await slices.yieldIfDue();
  return {
    turns,
    proposal,
    rejected: Object.fromEntries([...Map.groupBy(reasons, String)].map(([reason, all]) => [reason, all.length])),
    facts: harvested.map((found, i) => ({ found, prepared: facts[i]! })),
    decisions: decided.map((found, i) => ({ found, prepared: decisions[i]! })),
    episode: turns.length === 0 ? undefined : await prepareEpisode(ctx, {
      attribution: "agent_inferred",
      confidence: EPISODE_CONFIDENCE,
      sensitivity: session.sensitivity,
      tags: session.tags,
      body: {
        title: session.title ?? proposal.title,
        summary: proposal.summary,
        kind: "session",
        ...spanOf(turns),
        participants: session.participants,
        sessionId: session.id,
        outcome: null,
      },
    }),
  };
}

/** Turns may be out of order. */
function spanOf(turns: readonly HarvestTurn[]): { startedAt: string; endedAt: string } {
  const times = turns.map((turn) => turn.occurredAt);
  return {
    startedAt: times.reduce((a, b) => b < a ? b : a),
    endedAt: times.reduce((a, b) => b > a ? b : a),
  };
}

/** Writes the prepared knowledge; undefined if the session has changed since it was read. */
async function writeCollapse(
  ctx: OperationContext,
  tx: Tx,
  read: sessions.SessionRow,
  harvest: Harvest,
): Promise<CollapsedSession | undefined> {
  const session = requireSession(await sessions.lockSession(tx, read.id));
  if (session.status === "collapsed") return await describeCollapse(tx, session);
  requireOpen(session, "collapse");
  if (session.version !== read.version) return undefined;
  const { proposal, turns } = harvest;
  const facts = await writeHarvestedFacts(ctx, tx, harvest.facts);
  const factIds = [...new Set(facts.map((fact) => fact.factId))];
  const decisions = await writeHarvestedDecisions(ctx, tx, harvest.decisions);
  const episode = harvest.episode && await writeEpisode(ctx, tx, harvest.episode, factIds);
  const refused = harvest.facts.length - facts.length + harvest.decisions.length - decisions.length;
  const collapse: StoredCollapse = {
    turns: turns.length,
    source: proposal.source,
    modelFailure: proposal.failure ?? null,
    startedAt: episode?.body.startedAt ?? null,
    endedAt: episode?.body.endedAt ?? null,
    facts,
    decisions,
    rejected: { ...harvest.rejected, ...(refused > 0 && { refused }) },
  };
  const collapsed = await sessions.collapseSession(tx, session.id, { episodeId: episode?.id ?? null, collapse });
  recordSession(tx, "session.collapsed", collapsed, {
    episodeId: collapsed.episodeId,
    facts: facts.length,
    decisions: decisions.length,
  });
  return await describeCollapse(tx, collapsed);
}

/** Writes facts. Leaves out those that are refused. */
async function writeHarvestedFacts(
  ctx: OperationContext,
  tx: Tx,
  facts: Harvest["facts"],
): Promise<StoredCollapse["facts"]> {
  if (facts.length === 0) return [];
  const results = await writeFacts(ctx, tx, facts.map(({ prepared }) => prepared));
  return results.flatMap((result, i) => toStored(facts[i]!.found, result));
}

/** Writes decisions. Leaves out those that are refused. */
async function writeHarvestedDecisions(
  ctx: OperationContext,
  tx: Tx,
  decisions: Harvest["decisions"],
): Promise<NonNullable<StoredCollapse["decisions"]>> {
  if (decisions.length === 0) return [];
  const rows = await insertPrepared(ctx, tx, DECISIONS, decisions.map(({ prepared }) => prepared));
  return rows.flatMap((row, i) =>
    row instanceof ServiceError ? [] : [{ decisionId: row.id, messageId: decisions[i]!.found.messageId }]
  );
}

function toStored(fact: HarvestedFact, outcome: FactResult): StoredCollapse["facts"][number][] {
  if ("refusal" in outcome) return [];
  const { row, isNew, conflict } = outcome;
  return [{
    factId: row.id,
    messageId: fact.messageId,
    why: fact.why,
    outcome: !isNew ? "corroborated" : conflict.outcome === "none" ? "created" : conflict.outcome,
    relatedFactIds: conflict.factIds,
  }];
}

/** For a session that was imported without the knowledge that it collapsed to. */
function nothingStored(session: sessions.SessionRow): StoredCollapse {
  const times = { startedAt: null, endedAt: null };
  return { turns: session.turnCount, source: "rules", modelFailure: null, ...times, facts: [], rejected: {} };
}

/** The reply to the collapse, with the present content of its facts and its episode. */
async function describeCollapse(tx: Tx, session: sessions.SessionRow): Promise<CollapsedSession> {
  const stored = (session.collapse ?? nothingStored(session)) as StoredCollapse;
  const decisions = stored.decisions ?? [];
  const told = [...stored.facts.map((fact) => fact.factId), ...decisions.map(({ decisionId }) => decisionId)];
  const ids = [...told, ...(session.episodeId === null ? [] : [session.episodeId])];
  const units = new Map((ids.length === 0 ? [] : await findUnits(tx, ids)).map((unit) => [unit.id, unit]));
  const episode = units.get(session.episodeId ?? "") as UnitRow<EpisodeBody> | undefined;
  return {
    sessionId: session.id,
    status: "collapsed",
    version: session.version,
    collapsedAt: session.endedAt!.toISOString(),
    turns: stored.turns,
    source: stored.source,
    modelFailure: stored.modelFailure,
    episode: session.episodeId === null ? null : {
      id: session.episodeId,
      title: episode?.body.title ?? null,
      summary: episode?.body.summary ?? null,
      startedAt: stored.startedAt!,
      endedAt: stored.endedAt!,
      participants: session.participants,
    },
    facts: stored.facts.map((fact) => {
      const unit = units.get(fact.factId) as UnitRow<FactBody> | undefined;
      return {
        ...fact,
        relatedFactIds: [...fact.relatedFactIds],
        statement: unit?.body.statement ?? null,
        factType: unit?.body.factType ?? null,
        attribution: unit?.attribution ?? null,
      };
    }),
    decisions: decisions.map((decision) => {
      const unit = units.get(decision.decisionId) as UnitRow<DecisionBody> | undefined;
      return {
        ...decision,
        title: unit?.body.title ?? null,
        decision: unit?.body.decision ?? null,
        attribution: unit?.attribution ?? null,
      };
    }),
    rejected: { ...stored.rejected },
  };
}
