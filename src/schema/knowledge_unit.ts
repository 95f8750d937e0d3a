/** A knowledge unit of whatever type. */
import { z } from "zod";
import {
  AgentId,
  Attribution,
  EndInput,
  Flag,
  Id,
  isSpan,
  pageOf,
  repeated,
  Sensitivity,
  Tag,
  textOf,
  TimestampInput,
  wholeNumber,
} from "./common.ts";
import { Decision } from "./decision.ts";
import { Entity } from "./entity.ts";
import { Episode } from "./episode.ts";
import { Fact } from "./fact.ts";
import { NewerStatement } from "./recall.ts";
import { Skill } from "./skill.ts";
import { Strategy } from "./strategy.ts";
import { UNIT_TYPES, UnitType } from "./unit.ts";
import { LIVE_STATUSES, UNIT_STATES } from "./unit_state.ts";
import { Workflow } from "./workflow.ts";

export const KnowledgeUnit = z.discriminatedUnion("type", [
  Fact,
  Decision,
  Strategy,
  Workflow,
  Skill,
  Episode,
  Entity,
]).meta({ id: "KnowledgeUnit", description: "A unit of any type; `type` says which" });
export type KnowledgeUnit = z.infer<typeof KnowledgeUnit>;

/** Units that are read at once. */
const UNITS_MAX = 100;

/** By what a list of units of all types is sorted. */
export const UNIT_SORTS = ["updatedAt", "createdAt", "worth"] as const;
export const UnitSort = z.enum(UNIT_SORTS).meta({ id: "UnitSort" });
export type UnitSort = z.infer<typeof UnitSort>;

export const UNIT_PAGE_DEFAULT = 50;

const Status = z.enum(UNIT_STATES).meta({ id: "UnitState" });
const since = (what: string) => TimestampInput.optional().meta({ description: `${what} at this time or later` });
const until = (what: string) => EndInput.optional().meta({ description: `${what} before this time` });

/** What narrows and orders a list of units of all types. */
const browseShape = {
  type: repeated(UnitType, UNIT_TYPES.length).optional().meta({ description: "May be repeated. Default: all" }),
  status: repeated(Status, UNIT_STATES.length).optional().meta({
    description: `May be repeated. Default: those in force (${
      LIVE_STATUSES.map((state) => `\`${state}\``).join(", ")
    })`,
  }),
  q: textOf(256).optional().meta({
    description: "The text contains this; case does not matter. It reads texts until the page is full",
  }),
  tags: repeated(Tag, 50).optional().meta({ description: "May be repeated" }),
  tagsMatch: z.enum(["any", "all"]).optional().meta({
    description: "`any`, the default: one of the `tags` is enough. `all`: every tag is required",
  }),
  attribution: repeated(Attribution, 9).optional().meta({ description: "May be repeated" }),
  minTrust: wholeNumber(0, 100).optional().meta({ description: "The least trust score" }),
  maxTrust: wholeNumber(0, 100).optional().meta({ description: "The greatest trust score" }),
  sensitivity: repeated(Sensitivity, 4).optional().meta({ description: "May be repeated" }),
  pinned: Flag.optional().meta({ description: "`true`: only pinned ones. `false`: only others" }),
  stale: Flag.optional().meta({ description: "`true`: only stale ones. `false`: only others" }),
  entityId: Id.optional().meta({ description: "Units that mention this entity" }),
  sessionId: Id.optional().meta({ description: "Facts that cite this session, and episodes of it" }),
  agentId: AgentId.optional().meta({ description: "The same, of any session of this agent" }),
  createdFrom: since("Created"),
  createdTo: until("Created"),
  updatedFrom: since("Last changed"),
  updatedTo: until("Last changed"),
  sort: UnitSort.optional().meta({
    description:
      "Default: `updatedAt`. While pages are read, a unit that somebody changes goes to where it belongs now. By `createdAt` no unit is missed or met twice. By `updatedAt` with `order=asc` none is missed, and a changed one is met again at the end; with `order=desc` none is met twice, and a changed one stands before the first page. By `worth`, which the service computes anew from time to time, a unit may be missed or met twice",
  }),
  order: z.enum(["asc", "desc"]).optional().meta({ description: "`desc`, the default: newest or worthiest first" }),
  limit: wholeNumber(1, 200).optional().meta({ description: `Page size; default: ${UNIT_PAGE_DEFAULT}` }),
  cursor: z.string().min(1).max(1_000).optional().meta({ description: "`nextCursor` of the previous page" }),
};
const BROWSING = Object.keys(browseShape) as (keyof typeof browseShape)[];

export const GetUnitsQuery = z.strictObject({
  id: repeated(Id, UNITS_MAX).optional().meta({
    description:
      `Reads these units, in any state, instead of a list; may be repeated, up to ${UNITS_MAX} times. Goes with \`knownAt\` alone`,
  }),
  knownAt: TimestampInput.optional().meta({
    description: "With `id`: the versions that this service knew at that time",
  }),
  ...browseShape,
}).superRefine((query, ctx) => {
  const refuse = (path: string, message: string) => ctx.addIssue({ code: "custom", path: [path], message });
  if (query.id === undefined && query.knownAt !== undefined) refuse("knownAt", "needs id");
  if (query.id !== undefined) {
    for (const name of BROWSING) if (query[name] !== undefined) refuse(name, "does not go with id");
  }
  if (query.tagsMatch !== undefined && query.tags === undefined && query.id === undefined) {
    refuse("tagsMatch", "needs tags");
  }
  const { minTrust = 0, maxTrust = 100 } = query;
  if (minTrust > maxTrust) refuse("maxTrust", "must not be less than minTrust");
  if (!isSpan({ from: query.createdFrom, to: query.createdTo })) refuse("createdTo", "must not be before createdFrom");
  if (!isSpan({ from: query.updatedFrom, to: query.updatedTo })) refuse("updatedTo", "must not be before updatedFrom");
});
export type GetUnitsQuery = z.infer<typeof GetUnitsQuery>;
/** A query for a list. */
export type BrowseUnitsQuery = Pick<GetUnitsQuery, keyof typeof browseShape>;

export const SoughtUnit = z.strictObject({
  id: Id,
  type: UnitType.nullable().meta({ description: "Null if there is no `unit`" }),
  unit: KnowledgeUnit.nullable().meta({
    description:
      "Never null in a list. Null for an `id`: it does not exist, was erased, is above the key's clearance, or was not known at that time",
  }),
  newer: NewerStatement.optional().meta({
    description:
      "With `id`, without `knownAt`: what was said later about the matter of a unit in force, as far as the key may see it; no verdict",
  }),
}).meta({ id: "SoughtUnit" });
export const SoughtUnits = pageOf(SoughtUnit).extend({
  data: z.array(SoughtUnit).meta({ description: "In the order of the list, or of the ids in the request" }),
}).meta({ id: "SoughtUnits" });
export type SoughtUnits = z.infer<typeof SoughtUnits>;
