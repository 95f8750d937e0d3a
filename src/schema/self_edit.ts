/** Edits of an agent's own memory. */
import { z } from "zod";
import {
  AgentId,
  Attribution,
  EndInput,
  Flag,
  Id,
  isSpan,
  JsonObject,
  JsonValue,
  ListQuery,
  NO_SPAN,
  pageOf,
  repeated,
  Sensitivity,
  Timestamp,
  TimestampInput,
} from "./common.ts";
import { FactConflict } from "./fact.ts";
import { Verb } from "./relation.ts";
import { ErasureReceipt, LINKS_MAX, UnitType } from "./unit.ts";

/** Operations of one edit. */
export const SELF_OPERATIONS_MAX = 100;

const Reason = z.string().min(1).max(1_000);

/** The name that an `add` gives what it makes. */
const RefName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/, "must be a letter, then letters, digits, _ or -");
const REFERENCE = /^\$(?:[1-9]\d{0,2}|[A-Za-z_][A-Za-z0-9_-]{0,63})$/;

/** Whether a text names what an earlier operation of the same edit made. */
export function isReference(text: string): boolean {
  return REFERENCE.test(text);
}

const Target = z.string().refine(
  (text) => isReference(text) || Id.safeParse(text).success,
  "must be an id or $reference",
)
  .meta({
    id: "SelfEditTarget",
    description:
      "The id of a unit, or a reference to what an earlier operation of this edit adds: `$2` is the second operation, `$home` the `add` with the `ref` `home`",
    examples: ["$1"],
  });
const expectedVersion = z.int().min(1).optional().meta({
  description:
    "The version that the caller has seen. If the unit has another one, the operation is refused with `version_mismatch`",
});

/** Their schemas are those of the types' own operations; an id in them may be a reference, which those do not know. */
const said = (description: string) => JsonObject.meta({ type: "object", additionalProperties: true, description });

const Add = z.strictObject({
  op: z.literal("add"),
  type: UnitType,
  ref: RefName.optional().meta({ description: "A name by which later operations refer to it, as `$name`" }),
  body: said(
    "The create body of the type (`CreateFactBody`, `CreateDecisionBody`, …); an id in `derivedFrom`, `evidenceIds`, " +
      "`factIds` and `entityIds` may be a reference to an earlier operation. An `entity` is found by its names, or made",
  ),
}).meta({ id: "SelfEditAdd" });
const Update = z.strictObject({
  op: z.literal("update"),
  id: Target,
  patch: said("The update body of the unit's type (`UpdateFactBody`, …); episodes are not revised"),
  expectedVersion,
}).meta({ id: "SelfEditUpdate" });
const Retract = z.strictObject({ op: z.literal("retract"), id: Target, expectedVersion })
  .meta({ id: "SelfEditRetract", description: "Declares that a fact was wrong" });
const Pin = z.strictObject({ op: z.literal("pin"), id: Target, expectedVersion }).meta({ id: "SelfEditPin" });
const Unpin = z.strictObject({ op: z.literal("unpin"), id: Target, expectedVersion }).meta({ id: "SelfEditUnpin" });
const Forget = z.strictObject({
  op: z.literal("forget"),
  id: Target,
  mode: z.enum(["archive", "erase"]).meta({
    description: "`archive` can be reverted. `erase` is for ever and needs the scope `memory:delete`",
  }),
  expectedVersion,
}).meta({ id: "SelfEditForget" });

const Share = z.number().min(0).max(1);
const Relate = z.strictObject({
  op: z.literal("relate"),
  verb: Verb,
  sourceId: Target,
  targetId: Target,
  weight: Share.optional(),
  confidence: Share.optional(),
  attribution: Attribution.optional(),
  sensitivity: Sensitivity.optional(),
  validFrom: TimestampInput.optional(),
  validTo: EndInput.optional(),
  evidenceIds: z.array(Target).max(LINKS_MAX).optional(),
}).meta({ id: "SelfEditRelate", description: "A relation between two units. If it exists already, it is used" });

export const SelfEditOperation = z.discriminatedUnion("op", [Add, Update, Retract, Pin, Unpin, Relate, Forget])
  .meta({ id: "SelfEditOperation" });
export type SelfEditOperation = z.infer<typeof SelfEditOperation>;

export const SELF_EDIT_MODES = ["atomic", "per_item"] as const;
export const SelfEditMode = z.enum(SELF_EDIT_MODES).meta({
  id: "SelfEditMode",
  description: "`atomic`: all operations or none. `per_item`: each on its own, with its own outcome",
});
export type SelfEditMode = z.infer<typeof SelfEditMode>;

export const SelfEditBody = z.strictObject({
  reason: Reason.meta({ description: "Why; kept with the edit and in the history of each unit" }),
  mode: SelfEditMode,
  agentId: AgentId.optional().meta({ description: "The agent that edits, if several agents share a key" }),
  operations: z.array(SelfEditOperation).min(1).max(SELF_OPERATIONS_MAX),
}).meta({ id: "SelfEditBody" });
export type SelfEditBody = z.infer<typeof SelfEditBody>;

export const SELF_EDIT_OUTCOMES = [
  "pending",
  "applied",
  "unchanged",
  "review",
  "declined",
  "withdrawn",
  "refused",
] as const;
export const SelfEditOutcome = z.enum(SELF_EDIT_OUTCOMES).meta({
  id: "SelfEditOutcome",
  description:
    "`unchanged`: nothing had to change. `review`: the agent may not do this alone; a person decides. `declined`: the person declined. `withdrawn`: the unit was erased before the decision. `refused`: see `error`. `pending`: not processed yet",
});
export type SelfEditOutcome = z.infer<typeof SelfEditOutcome>;

/** A version that an operation made. */
export const SelfEditChange = z.strictObject({
  id: Id,
  type: z.string().meta({ examples: ["fact"] }),
  versionBefore: z.int().min(0).meta({ description: "0: it did not exist" }),
  versionAfter: z.int().min(1).nullable().meta({ description: "Null: it was erased" }),
}).meta({ id: "SelfEditChange" });
export type SelfEditChange = z.infer<typeof SelfEditChange>;

export const AppliedOperation = z.strictObject({
  index: z.int().min(0),
  op: z.string().meta({ examples: ["add", "update", "revert"] }),
  ref: z.string().nullable(),
  operation: z.record(z.string(), JsonValue).nullable().meta({
    description: "The operation as requested; null if its unit was erased or is above the key's clearance",
  }),
  outcome: SelfEditOutcome,
  resourceId: Id.nullable(),
  resourceType: z.string().nullable(),
  versionBefore: z.int().min(0).nullable(),
  versionAfter: z.int().min(1).nullable(),
  changes: z.array(SelfEditChange).meta({
    description: "Every version that the operation created, including those of other units, such as superseded facts",
  }),
  conflict: FactConflict.nullable(),
  receipt: ErasureReceipt.nullable().meta({ description: "Of an erasure" }),
  error: z.strictObject({
    code: z.string(),
    message: z.string(),
    errors: z.array(z.strictObject({ path: z.string(), message: z.string() })).optional(),
  }).nullable(),
  reviewItemId: Id.nullable(),
}).meta({ id: "AppliedSelfEditOperation" });
export type AppliedOperation = z.infer<typeof AppliedOperation>;

export const SelfEdit = z.strictObject({
  id: Id,
  version: z.int().min(1),
  status: z.enum(["applied", "partial", "in_review", "refused", "incomplete"]).meta({
    description:
      "`partial`: some operations were applied, others not. `in_review`: some wait for a person. `refused`: nothing was applied. `incomplete`: some are not processed yet, because the edit is running or was interrupted",
  }),
  mode: SelfEditMode,
  source: z.enum(["edit", "reflection", "revert"]),
  reason: z.string(),
  agentId: z.string().nullable(),
  sensitivity: Sensitivity.meta({
    description: "The sensitivity of the most sensitive unit that it changed or proposes to change",
  }),
  reverts: Id.nullable().meta({ description: "The edit that this one reverts" }),
  revertedBy: Id.nullable().meta({ description: "The edit that reverted this one" }),
  operations: z.array(AppliedOperation),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  createdBy: z.string(),
}).meta({ id: "SelfEdit", description: "An edit of the agent's own memory, and the outcome of each operation" });
export type SelfEdit = z.infer<typeof SelfEdit>;
export const SelfEditPage = pageOf(SelfEdit).meta({ id: "SelfEditPage" });

export const SelfEditParams = z.strictObject({ id: Id });

export const ListSelfEditsQuery = ListQuery.extend({
  agentId: AgentId.optional(),
  unitId: Id.optional().meta({ description: "Edits with an operation about this unit" }),
  source: repeated(z.enum(["edit", "reflection", "revert"]), 3).optional().meta({ description: "May be repeated" }),
  outcome: repeated(SelfEditOutcome.exclude(["withdrawn"]), 6).optional().meta({
    description: "Edits with an operation of this outcome; may be repeated",
  }),
  reverted: Flag.optional(),
  from: TimestampInput.optional().meta({ description: "Edits made then or later" }),
  to: EndInput.optional().meta({ description: "Edits made before then" }),
}).refine(isSpan, NO_SPAN);
export type ListSelfEditsQuery = z.infer<typeof ListSelfEditsQuery>;

export const RevertSelfEditBody = z.strictObject({
  reason: Reason.optional(),
  agentId: AgentId.optional(),
  force: z.boolean().default(false).meta({
    description: "Reverts even if a unit was changed since; the later changes are reverted, too",
  }),
}).meta({ id: "RevertSelfEditBody" });
export type RevertSelfEditBody = z.infer<typeof RevertSelfEditBody>;
