/**
 * Tells who and what a memory is about. It is computed from bounded reads and kept for each reader
 * until the change feed moves. Each answer first reads the feed's head in the same transaction, so
 * the next read sees every write of any process.
 */
import type { OperationContext } from "../../context.ts";
import type { Tx } from "../../db/tx.ts";
import { readFeedHead } from "../../db/queries/changes.ts";
import { findMentioning } from "../../db/queries/mention_condition.ts";
import * as queries from "../../db/queries/profile.ts";
import type { Mention, UsedUnit } from "../../db/queries/profile.ts";
import { nameKey } from "../../language/names.ts";
import type { NewerStatement } from "../../schema/recall.ts";
import type { SelfProfile, SelfProfileQuery } from "../../schema/self_profile.ts";
import { UNIT_TYPES } from "../../schema/unit.ts";
import type { DecisionBody } from "../kinds/decisions.ts";
import { type FactBody, foldTerm } from "../kinds/facts/fields.ts";
import type { UnitRow } from "../../db/queries/unit_columns.ts";
import { findUnits } from "../../db/queries/units.ts";
import { mapTypes, REGISTRY } from "../kinds/registry.ts";
import { type BitsCache, bitsCacheOf } from "../recall/database/candidates.ts";
import { findNewerOf } from "../recall/database/newer.ts";
import { packProfile, type ProfileParts } from "./profile_text.ts";
import { perService } from "../common/per_service.ts";
import { seesTasks } from "../common/task_scope.ts";

const SUBJECTS = mapTypes((type) => REGISTRY[type].subject);
/** The most rows that are read. */
const CANDIDATES_MAX = 200;
const DECISIONS_MAX = 30;
const RECENT_UNITS = 2_000;
const SUBJECTS_MAX = 12;
/** The most spellings of names, and entities, that are combined. */
const SPELLINGS_MAX = 500;
const CHANGES_WINDOW = 60;
const CHANGES_MAX = 15;
/** Uses and worth change without an entry in the feed, so a profile is kept no longer than this. */
const KEPT_MS = 60_000;
const KEPT_MAX = 500;
/** The first preferences and the first facts for which later statements are looked up, and the most that are shown. */
const POINTED_MAX = 40, POINTERS_MAX = 4;
/** Uses from which on a fact gains no more by use. */
const USES_FULL = 20;

interface Kept {
  readonly seq: number;
  /** When a part of it expires, or it is computed again in any case. */
  readonly until: number;
  readonly profile: SelfProfile;
}

const keptOf = perService(() => new Map<string, Kept>());

/** The profile of the memory, as far as the caller may see it. */
export async function getSelfProfile(ctx: OperationContext, query: SelfProfileQuery): Promise<SelfProfile> {
  const cache = keptOf(ctx.deps);
  const withTasks = seesTasks(ctx);
  const name = JSON.stringify([ctx.workspaceId, ctx.maxSensitivity, withTasks, query]);
  return await ctx.tx(async (tx) => {
    const seq = await readFeedHead(tx);
    const known = cache.get(name);
    if (known?.seq === seq && tx.now.getTime() < known.until) return known.profile;
    // Read after the head, so it may be newer than `seq` says, never older.
    const parts = await readParts(tx, query, { withTasks, bits: bitsCacheOf(ctx.deps) });
    const profile = { asOfSeq: seq, ...packProfile(parts, query.maxTokens) };
    keep(cache, name, { seq, until: untilOf(parts, tx.now), profile });
    return profile;
  }, { readOnly: true });
}

function keep(cache: Map<string, Kept>, name: string, entry: Kept): void {
  cache.delete(name);
  cache.set(name, entry);
  const [oldest] = cache.keys();
  if (cache.size > KEPT_MAX) cache.delete(oldest!);
}

type Read = ProfileParts & { readonly units: readonly Pick<UsedUnit, "expiresAt" | "validTo">[] };

function untilOf({ units }: Read, now: Date): number {
  const ends = units.flatMap((unit) => [unit.expiresAt, unit.validTo]).filter((end) => end !== null && end > now);
  return Math.min(now.getTime() + KEPT_MS, ...ends.map((end) => end!.getTime()));
}

async function readParts(
  tx: Tx,
  query: SelfProfileQuery,
  { withTasks, bits }: { readonly withTasks: boolean; readonly bits: BitsCache },
): Promise<Read> {
  const { entityId } = query;
  const filter = {
    mentioning: entityId === undefined ? undefined : await findMentioning(tx, entityId),
    subject: foldTerm(query.subject ?? null) ?? undefined,
  };
  const [preferences, facts, decisions, mentions, openTasks, changes] = await Promise.all([
    queries.listPreferences(tx, filter, CANDIDATES_MAX),
    queries.listKeyFacts(tx, filter, CANDIDATES_MAX),
    queries.listOpenDecisions(tx, filter, DECISIONS_MAX),
    queries.listMentions(tx, SUBJECTS, RECENT_UNITS, SPELLINGS_MAX),
    withTasks ? queries.countOpenTasks(tx, query.agentId) : 0,
    queries.listRecentChanges(tx, UNIT_TYPES, CHANGES_WINDOW, CHANGES_MAX),
  ]);
  const ranked = facts.toSorted((a, b) => meritOf(b) - meritOf(a) || (a.id < b.id ? 1 : -1));
  const shown = [...preferences.slice(0, POINTED_MAX), ...ranked.slice(0, POINTED_MAX)];
  const newer = await findNewerOf(tx, shown.map(({ docNo }) => docNo), { bits, most: POINTERS_MAX });
  const later = await findUnits(tx, Array.from(newer.values(), ({ id }) => id));
  const toShown = (row: UsedUnit) => toProfileFact(row, newer.get(row.id));
  return {
    units: [...preferences, ...facts, ...later],
    subjects: joinSpellings(mentions).slice(0, SUBJECTS_MAX),
    preferences: preferences.map(toShown),
    facts: ranked.map(toShown),
    decisions: decisions.map((row) => toDecision(row as UnitRow<DecisionBody>)),
    openTasks,
    recentChanges: changes.map((change) => ({ ...change, at: change.at.toISOString() })),
  };
}

/**
 * Combines the spellings of each name into one subject: the entity with this name, if there is one. Its number of mentions is
 * that of the entity or the sum of the spellings', whichever is larger.
 * @param mentions the most mentioned first
 */
function joinSpellings(mentions: readonly Mention[]): Mention[] {
  const joined = [...Map.groupBy(mentions, ({ name }) => nameKey(name)).values()].map((same): Mention => {
    const entity = same.find(({ id }) => id !== null);
    const spelled = same.filter(({ id }) => id === null).reduce((sum, one) => sum + one.mentions, 0);
    return { ...(entity ?? same[0]!), mentions: Math.max(entity?.mentions ?? 0, spelled) };
  });
  return joined.sort((a, b) => b.mentions - a.mentions || (a.name < b.name ? -1 : 1));
}

/** Ranks pinned units before all others; then by worth, trust and use. */
function meritOf(unit: UsedUnit): number {
  const use = Math.min(1, unit.useCount / USES_FULL);
  const doubt = unit.stale || isContested(unit) ? 0.2 : 0;
  return (unit.pinned ? 10 : 0) + 0.5 * unit.worth + 0.3 * unit.trustScore / 100 + 0.2 * use - doubt;
}

function isContested({ status, disputed }: UsedUnit): boolean {
  return status === "contested" || disputed;
}

function toProfileFact(row: UsedUnit, newer: NewerStatement | undefined): SelfProfile["facts"][number] {
  return {
    id: row.id,
    text: row.text,
    factType: (row.body as FactBody).factType,
    attribution: row.attribution,
    trustScore: row.trustScore,
    worth: row.worth,
    pinned: row.pinned,
    contested: isContested(row),
    stale: row.stale,
    sensitivity: row.sensitivity,
    ...(newer && { newer }),
  };
}

function toDecision({ id, status, stale, body }: UnitRow<DecisionBody>): SelfProfile["decisions"][number] {
  return {
    id,
    title: body.title,
    decision: body.decision,
    status: status as "proposed" | "accepted",
    decidedAt: body.decidedAt,
    reviewAt: body.reviewAt,
    stale,
  };
}
