/** Strategies: patterns of behaviour that worked, or did not, in a kind of situation. */
import { z } from "zod";
import { pageOf } from "./common.ts";
import {
  CHANGES_SOMETHING,
  changesSomething,
  Name,
  Prose,
  unitInputShape,
  unitListQuery,
  unitPatchShape,
  unitShape,
} from "./unit.ts";

/** The states of units that are kept until they are archived. */
export const KEPT_STATUSES = ["active", "contested", "archived"] as const;
export const KeptStatus = z.enum(KEPT_STATUSES).meta({
  id: "KeptStatus",
  description:
    "`contested`: a peer's version of what is known here otherwise, which waits for review. `archived`: deleted softly. It is in neither recall nor lists and can be restored",
});
export const RestoredStatus = z.literal("active").optional().meta({
  description: "`active` restores an archived unit",
});

const Count = z.int().min(0).max(1_000_000_000);

export const Strategy = z.strictObject({
  ...unitShape("strategy", KeptStatus),
  name: z.string(),
  situation: z.string().meta({ description: "When it applies" }),
  pattern: z.string().meta({ description: "What to do then" }),
  outcome: z.string().nullable().meta({ description: "What the result was" }),
  successCount: z.int().min(0),
  failureCount: z.int().min(0),
}).meta({ id: "Strategy", description: "A strategy, and when to use it" });
export type Strategy = z.infer<typeof Strategy>;
export const StrategyPage = pageOf(Strategy).meta({ id: "StrategyPage" });

export const CreateStrategyBody = z.strictObject({
  ...unitInputShape,
  name: Name,
  situation: Prose,
  pattern: Prose,
  outcome: Prose.optional(),
  successCount: Count.default(0),
  failureCount: Count.default(0),
}).meta({ id: "CreateStrategyBody" });
export type CreateStrategyBody = z.infer<typeof CreateStrategyBody>;

export const UpdateStrategyBody = z.strictObject({
  ...unitPatchShape,
  name: Name.optional(),
  situation: Prose.optional(),
  pattern: Prose.optional(),
  outcome: Prose.nullable().optional(),
  successCount: Count.optional(),
  failureCount: Count.optional(),
  status: RestoredStatus,
}).refine(changesSomething, CHANGES_SOMETHING).meta({ id: "UpdateStrategyBody" });
export type UpdateStrategyBody = z.infer<typeof UpdateStrategyBody>;

export const ListStrategiesQuery = unitListQuery(KeptStatus, "`active`").extend({
  name: Name.optional().meta({ description: "Equal to this name, exactly" }),
});
export type ListStrategiesQuery = z.infer<typeof ListStrategiesQuery>;
