/** The parts of entries shared by kinds whose resource shows the whole body. */
import { z } from "zod";
import type { UnitRow } from "../../db/queries/unit_columns.ts";
import { UnitAliases, unitShape, type UnitType } from "../../schema/unit.ts";
import { aliasesOf, withAliases } from "../unit/aliases.ts";
import { type AnyKind, saidColumns, toUnit } from "../unit/kind.ts";
import type { Resource, TransferRules } from "./entry.ts";
import { plainWriting } from "./kind_writing.ts";

/**
 * The members of an entry that follow from a kind and the schema of its resource.
 * @param unshared members of its body that peers do not get
 */
export function plain<T extends UnitType>(
  kind: AnyKind,
  resource: z.ZodObject & z.ZodType<Resource<T>>,
  unshared: TransferRules["unshared"] = {},
) {
  return {
    resource,
    kind,
    rules: kind,
    show: (_tx: unknown, rows: readonly UnitRow[]) => Promise.resolve(rows.map((row) => toUnit<Resource<T>>(row))),
    writing: plainWriting(kind),
    restoredBy: null,
    isContestable: false,
    transfer: { ...plainTransfer(kind, resource), unshared },
    nearDuplicates: null,
  };
}

/** Members that every unit has; the others are the body. */
const SHARED = Object.keys(unitShape("fact", z.never()));

function plainTransfer(kind: AnyKind, resource: z.ZodObject): TransferRules {
  const own = Object.entries(resource.shape).filter(([name]) => !SHARED.includes(name));
  const { status } = resource.shape as unknown as { status: z.ZodEnum<Record<string, string>> };
  return {
    statuses: status.options,
    body: z.strictObject({ ...Object.fromEntries(own), aliases: UnitAliases.optional() }),
    unordered: ["aliases"],
    derive(body) {
      const tidy = withAliases(body, aliasesOf(body));
      const { text, contentHash } = saidColumns(kind, tidy, "");
      return { text, contentHash, body: tidy };
    },
    evidenceOf: (body) => [...new Set(kind.evidenceOf?.(body))],
  };
}
