/** A recall request, with its defaults filled in and its times parsed. */
import type { OperationContext } from "../../../context.ts";
import type { RowFilter } from "../../../db/queries/recall_filters.ts";
import { parseDates } from "../../../language/dates.ts";
import { statedOffset, UTC, type Zone } from "../../../language/local_time.ts";
import { asksOnlyOfTime, type QueryPlan } from "../../../retrieval/mod.ts";
import { type Kind, KINDS, SENSITIVITIES, type Sensitivity } from "../../../schema/common.ts";
import type { HotRecallBody, RecallBody } from "../../../schema/recall.ts";
import type { RecallFilter } from "../../../schema/recall_filter.ts";
import { workspaceZone } from "../../common/zones.ts";
import { compileFilter, toNormalForm } from "./filters.ts";

export interface RecallRequest {
  readonly query: string;
  readonly limit: number;
  /** Whether the reply holds only texts that the query names. */
  readonly named: boolean;
  /** The least score; undefined: the relevance cut decides. */
  readonly minScore: number | undefined;
  readonly kinds: readonly Kind[];
  readonly maxTokens: number | undefined;
  readonly referenceMs: number;
  /** The zone of the days that the query names. */
  readonly zone: Zone;
  readonly neighbours: boolean;
  readonly trace: boolean;
  readonly filters: RecallFilter | undefined;
  readonly rows: RowFilter;
  /** The lower of the key's clearance and the requested one. */
  readonly maxSensitivity: Sensitivity;
}

/** Later than any time that a unit can have. */
const END_OF_TIME_MS = Date.parse("9999-12-31T23:59:59.999Z");
const ALL_KINDS = Object.keys(KINDS) as Kind[];

export async function readRequest(ctx: OperationContext, body: RecallBody | HotRecallBody): Promise<RecallRequest> {
  const now = ctx.deps.clock();
  const { asOf, knownAt } = body as Partial<RecallBody>;
  const include: readonly string[] = body.include;
  const kinds = body.types ?? ALL_KINDS;
  const known = toDate(knownAt);
  return {
    query: body.query,
    limit: body.limit,
    named: body.match === "named",
    minScore: body.minScore,
    kinds,
    maxTokens: body.maxTokens,
    referenceMs: (toDate(body.referenceDate) ?? now).getTime(),
    zone: body.timezone ?? statedOffset(body.referenceDate ?? "") ?? await zoneFor(ctx, body.query),
    neighbours: include.includes("neighbours"),
    trace: include.includes("trace"),
    filters: body.filters && toNormalForm(body.filters),
    maxSensitivity: lower(ctx.maxSensitivity, body.maxSensitivity),
    rows: {
      types: kinds.filter((kind) => kind !== "turn"),
      bare: body.types !== undefined,
      // A request for what was known at a moment also asks for the world as it was seen then.
      asOf: toDate(asOf) ?? known ?? now,
      historic: asOf !== undefined || knownAt !== undefined,
      knownAt: known ?? null,
      superseded: include.includes("superseded"),
      until: null,
      byRecording: false,
      sessionId: body.sessionId ?? null,
      tags: body.tags ?? null,
      tagsAll: body.tagsMatch === "all",
      from: toDate(body.window?.from) ?? null,
      to: toDate(body.window?.to) ?? null,
      minTrust: body.minTrust ?? null,
      predicate: body.filters === undefined ? null : compileFilter(body.filters),
    },
  };
}

/** The zone of the workspace, if the query names days. */
async function zoneFor(ctx: OperationContext, query: string): Promise<Zone> {
  return parseDates(query, 0).windows.length === 0 ? UTC : await workspaceZone(ctx);
}

/**
 * Adds to the request what its words say about time: whether its dates mean the time of recording, and which time it
 * asks about. A query whose dates all lie ahead asks for what holds then; one about today or this week also for what
 * begins later in it. One without dates that asks when, or for what is to come, finds what holds now and what begins at
 * any later time.
 */
export function readAskedTime(request: RecallRequest, plan: QueryPlan): RecallRequest {
  const { rows } = request;
  const { windows, cues } = plan;
  if (cues.recording) return { ...request, rows: { ...rows, byRecording: true } };
  const now = rows.asOf.getTime();
  if (rows.historic) return request;
  if (windows.length === 0) {
    return cues.ahead ? { ...request, rows: { ...rows, until: new Date(END_OF_TIME_MS) } } : request;
  }
  if (windows.some(({ to, yearless }) => yearless || to <= now)) return request;
  const from = Math.min(...windows.map((window) => window.from));
  const until = Math.max(...windows.map((window) => window.to));
  if (from <= now && !asksOnlyOfTime(plan, ({ person }) => person === "midCapital")) return request;
  return { ...request, rows: { ...rows, asOf: new Date(Math.max(now, from)), until: new Date(until) } };
}

function toDate(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text);
}

function lower(clearance: Sensitivity, wanted: Sensitivity | undefined): Sensitivity {
  if (wanted === undefined) return clearance;
  return SENSITIVITIES[Math.min(SENSITIVITIES.indexOf(clearance), SENSITIVITIES.indexOf(wanted))];
}

/** Whether a row has to be more than in force: then more candidates have to be read. */
export function isSelective({ rows }: RecallRequest): boolean {
  return rows.historic || rows.sessionId !== null || rows.tags !== null || rows.from !== null ||
    rows.minTrust !== null || rows.predicate !== null;
}

/** Whether replaced units are answers themselves. */
export function asksOfPast({ superseded, historic, knownAt }: RecallRequest["rows"]): boolean {
  return superseded || historic || knownAt !== null;
}
