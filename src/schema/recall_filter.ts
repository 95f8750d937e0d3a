/** What recall can be narrowed by: conditions on members of units, joined by AND, OR and NOT. */
import { z } from "zod";
import { TimestampInput } from "./common.ts";

const FILTER_CONDITIONS_MAX = 100;
const FILTER_DEPTH_MAX = 8;

const FilterScalar = z.union([z.string().max(1_000), z.number(), z.boolean(), z.null()]);
const Comparable = z.union([z.string().max(1_000), z.number()]);

/** What a member is compared with; several operators in one condition must all hold. */
export const FilterCondition = z.strictObject({
  eq: FilterScalar.optional().meta({ description: "Equal; with null: absent or null" }),
  ne: FilterScalar.optional().meta({ description: "Not equal, or absent" }),
  gt: Comparable.optional(),
  gte: Comparable.optional(),
  lt: Comparable.optional(),
  lte: Comparable.optional(),
  in: z.array(FilterScalar).min(1).max(100).optional().meta({ description: "Equal to one of these" }),
  contains: FilterScalar.optional().meta({ description: "A text that contains this, or a list with this element" }),
}).refine((condition) => Object.keys(condition).length > 0, "must name an operator").meta({
  id: "RecallFilterCondition",
});
export type FilterCondition = z.infer<typeof FilterCondition>;

/** Members that filters may name beside `metadata.<path>`. */
const FILTER_FIELDS = [
  "type",
  "status",
  "attribution",
  "trustScore",
  "confidence",
  "sensitivity",
  "worth",
  "pinned",
  "stale",
  "tags",
  "occurredAt",
  "validFrom",
  "validTo",
  "createdAt",
  "updatedAt",
  "createdBy",
  "entityIds",
  "sessionId",
  "messageId",
  "role",
  "name",
  "factType",
  "subject",
  "predicate",
  "object",
] as const;
const FIELDS = new Set<string>(FILTER_FIELDS);
/** Members that hold a time: their operands are times and are compared as such. */
export const FILTER_TIME_FIELDS: ReadonlySet<string> = new Set([
  "occurredAt",
  "validFrom",
  "validTo",
  "createdAt",
  "updatedAt",
]);

/** A filter: all members of one object must hold. */
export interface RecallFilter {
  readonly AND?: readonly RecallFilter[] | undefined;
  readonly OR?: readonly RecallFilter[] | undefined;
  readonly NOT?: RecallFilter | undefined;
  readonly [field: string]: unknown;
}

export const RecallFilter: z.ZodType<RecallFilter, RecallFilter> = z.object({
  get AND() {
    return z.array(RecallFilter).min(1).max(FILTER_CONDITIONS_MAX).optional();
  },
  get OR() {
    return z.array(RecallFilter).min(1).max(FILTER_CONDITIONS_MAX).optional();
  },
  get NOT() {
    return RecallFilter.optional();
  },
}).catchall(FilterCondition).superRefine((filter, issues) => {
  for (const name of Object.keys(filter)) {
    if (name === "AND" || name === "OR" || name === "NOT") continue;
    if (!isFilterField(name)) {
      issues.addIssue({ code: "custom", path: [name], message: "unknown field" });
    } else if (FILTER_TIME_FIELDS.has(name)) refuseNoTimes(name, filter[name] as FilterCondition, issues);
  }
}).meta({
  id: "RecallFilter",
  description: "Conditions on members, joined by AND, OR and NOT. A member is one of " +
    FILTER_FIELDS.map((name) => `\`${name}\``).join(", ") +
    " or `metadata.<path>`. Of a list, any element may satisfy a condition.",
  examples: [{ OR: [{ "metadata.project": { eq: "apollo" } }, { tags: { contains: "urgent" } }] }],
}) as never;

/** `metadata.a.b` with non-empty parts, or one of the known members. */
export function isFilterField(name: string): boolean {
  if (FIELDS.has(name)) return true;
  const [head, ...path] = name.split(".");
  return head === "metadata" && path.length > 0 && path.length <= 8 && path.every((part) => part.length > 0);
}

function refuseNoTimes(name: string, condition: FilterCondition, issues: z.RefinementCtx): void {
  for (const [operator, operand] of Object.entries(condition ?? {})) {
    const operands = Array.isArray(operand) ? operand : [operand];
    if (operator === "contains" || operands.some((one) => one !== null && !TimestampInput.safeParse(one).success)) {
      issues.addIssue({
        code: "custom",
        path: [name, operator],
        message: "must be compared with an RFC 3339 time, or a day",
      });
    }
  }
}

/** An object schema drops a member named `__proto__`: a condition that would be lost, so it is refused before. */
function refuseProto(value: unknown, issues: z.RefinementCtx): unknown {
  const path: PropertyKey[] = [];
  const walk = (node: object): void => {
    if (Array.isArray(node)) {
      for (let i = 0; i < node.length; i++) into(node[i], i);
      return;
    }
    if (Object.hasOwn(node, "__proto__")) {
      issues.addIssue({ code: "custom", path: [...path, "__proto__"], message: "unknown field", input: node });
    }
    for (const name of Object.keys(node)) {
      if (name !== "__proto__") into((node as Record<string, unknown>)[name], name);
    }
  };
  const into = (child: unknown, name: PropertyKey): void => {
    if (typeof child !== "object" || child === null) return;
    path.push(name);
    walk(child);
    path.pop();
  };
  if (typeof value === "object" && value !== null) walk(value);
  return value;
}

function isSmall(filter: RecallFilter): boolean {
  let conditions = 0;
  const walk = (node: RecallFilter, depth: number): boolean => {
    if (depth > FILTER_DEPTH_MAX) return false;
    for (const [name, value] of Object.entries(node)) {
      const children = name === "NOT" ? [value] : name === "AND" || name === "OR" ? value as unknown[] : [];
      if (children.length === 0 && ++conditions > FILTER_CONDITIONS_MAX) return false;
      if (!children.every((child) => walk(child as RecallFilter, depth + 1))) return false;
    }
    return true;
  };
  return walk(filter, 1);
}

/** A filter as a request has it: small, and without a name that is no member. */
export const RecallFilters = z.preprocess(
  (value, issues) => refuseProto(value, issues),
  RecallFilter.refine(isSmall, `must have at most ${FILTER_CONDITIONS_MAX} conditions, ${FILTER_DEPTH_MAX} deep`),
);
