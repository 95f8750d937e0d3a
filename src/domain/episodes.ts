/** Episodes: what happened, told in a summary, with the facts that came of it. Decisions §3 "Episode". */
import type { OperationContext } from "../context.ts";
import { contentHash } from "../crypto/hash.ts";
import { uuidv7 } from "../crypto/ids.ts";
import type { Tx } from "../db/scope.ts";
import type { Attribution, Sensitivity } from "../schema/common.ts";
import { type PreparedText, prepareTexts } from "./recall/indexing.ts";
import { TRUST_CAP_NONE, trustOf } from "./trust.ts";
import { insertUnits, type UnitRow } from "./units.ts";

/** The typed rest of an episode, as the row keeps it. */
export interface EpisodeBody {
  readonly title: string;
  readonly summary: string;
  readonly kind: string;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly participants: readonly string[];
  readonly factIds: readonly string[];
  readonly sessionId: string | null;
  readonly outcome: string | null;
}

export type EpisodeRow = UnitRow<EpisodeBody>;

/** What a writer says about a new episode, but for the facts, which may be made with it. */
export interface NewEpisode {
  readonly body: Omit<EpisodeBody, "factIds">;
  readonly attribution: Attribution;
  readonly confidence: number;
  readonly sensitivity: Sensitivity;
  readonly tags: readonly string[];
}

export interface PreparedEpisode {
  readonly episode: NewEpisode;
  readonly prepared: PreparedText;
}

/** What recall indexes and shows. */
export function textOfEpisode({ title, summary }: Pick<EpisodeBody, "title" | "summary">): string {
  return summary === "" ? title : `${title}\n${summary}`;
}

/** Analyses and embeds an episode, without the database. */
export async function prepareEpisode(ctx: OperationContext, episode: NewEpisode): Promise<PreparedEpisode> {
  const text = textOfEpisode(episode.body);
  const [prepared] = await prepareTexts(ctx, [{ kind: "episode", sensitivity: episode.sensitivity, text }]);
  return { episode, prepared: prepared! };
}

/** Stores a prepared episode in an open transaction. */
export async function writeEpisode(
  ctx: OperationContext,
  tx: Tx,
  { episode, prepared }: PreparedEpisode,
  factIds: readonly string[],
): Promise<EpisodeRow> {
  const id = uuidv7(tx.now);
  const body: EpisodeBody = { ...episode.body, factIds };
  const { title, summary, kind, startedAt, endedAt, participants, sessionId } = body;
  const [row] = await insertUnits<EpisodeBody>(tx, [{
    prepared,
    unit: {
      id,
      type: "episode",
      version: 1,
      status: "active",
      attribution: episode.attribution,
      trustScore: trustOf(episode.attribution, TRUST_CAP_NONE),
      trustCap: TRUST_CAP_NONE,
      confidence: episode.confidence,
      sensitivity: episode.sensitivity,
      tags: [...new Set(episode.tags)],
      metadata: {},
      worth: 0.5,
      pinned: false,
      contentHash: contentHash({ type: "episode", title, summary, kind, startedAt, endedAt, participants, sessionId }),
      originInstance: ctx.deps.config.instanceId,
      originId: id,
      derivedFrom: [],
      stale: false,
      text: textOfEpisode(body),
      body,
      tripleKey: null,
      validFrom: null,
      validTo: null,
      recordedAt: tx.now,
      retractedAt: null,
      occurredAt: new Date(startedAt),
      expiresAt: null,
      entityIds: [],
      corroborationCount: 0,
      createdAt: tx.now,
      updatedAt: tx.now,
      createdBy: tx.actor,
    },
  }]);
  return row!;
}
