/** How facts are exported and imported. */
import { z } from "zod";
import { ExternalId, Id, textOf, Timestamp } from "../../../schema/common.ts";
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
    exclusive: z.boolean().optional(),
    claimless: z.literal(true).optional(),
    outdates: z.array(Id).optional(),
    before: z.strictObject({
      validTo: Timestamp.nullable(),
      validFrom: Timestamp.nullable().optional(),
      planned: z.literal(true).optional(),
    }).optional(),
    archivedFrom: FactStatus.optional(),
    aliases: UnitAliases.optional(),
    externalId: ExternalId.optional(),
  }),
  unordered: ["aliases"],
  computed: ["folded", "said", "claims"],
  unshared: { before: undefined, archivedFrom: undefined, outdates: undefined, externalId: undefined },
  // A planned end is part of the content; each instance notices by itself that it has come.
  sharedState: ({ status, body }) =>
    status === "superseded" && (body as FactBody).before?.planned === true ? "active" : status,
  derive: (body) => derivedColumns(withAliases(body as FactBody, aliasesOf(body))),
};
