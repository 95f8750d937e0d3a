/** How facts are exported and imported. */
import { z } from "zod";
import { Id, textOf, Timestamp } from "../../../schema/common.ts";
import { Citation, FACT_STATUSES, FactStatus, FactType, STATEMENT_BYTES_MAX } from "../../../schema/fact.ts";
import { UnitAliases } from "../../../schema/unit.ts";
import { aliasesOf, withAliases } from "../../unit/aliases.ts";
import type { TransferRules } from "../entry.ts";
import { derivedColumns, type FactBody } from "./fields.ts";

const CITATIONS_MAX = 1_000;
const Term = textOf(1_024).nullable();

export const FACT_TRANSFER: TransferRules = {
  statuses: FACT_STATUSES,
  body: z.strictObject({
    statement: textOf(STATEMENT_BYTES_MAX),
    subject: Term,
    predicate: Term,
    object: Term,
    factType: FactType,
    supersedes: Id.nullable(),
    supersededBy: Id.nullable(),
    citations: z.array(Citation).max(CITATIONS_MAX),
    before: z.strictObject({ validTo: Timestamp.nullable(), validFrom: Timestamp.nullable().optional() }).optional(),
    archivedFrom: FactStatus.optional(),
    aliases: UnitAliases.optional(),
  }),
  unordered: ["aliases"],
  computed: ["folded"],
  unshared: { before: undefined, archivedFrom: undefined },
  derive: (body) => derivedColumns(withAliases(body as FactBody, aliasesOf(body))),
};
