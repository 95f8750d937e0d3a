/** Facts as rows of `unit`, and as resources. */
import { contentHash } from "../../../crypto/hash.ts";
import type { UnitRow } from "../../../db/queries/unit_columns.ts";
import { type Claim, keyOfClaim } from "../../../language/claims/mod.ts";
import { NAME_RULE, nameKey } from "../../../language/names.ts";
import { toStatementForm } from "../../../language/statement_form.ts";
import type { Citation, Fact, FactStatus } from "../../../schema/fact.ts";
import type { FactType } from "../../../language/fact_types.ts";
import { commonMembers } from "../../unit/kind.ts";
import { inferClaims, mainClaim, showClaims } from "./inferred.ts";

/** The typed rest of a fact, as the row keeps it. */
export type FactBody = {
  readonly statement: string;
  readonly subject: string | null;
  readonly predicate: string | null;
  readonly object: string | null;
  readonly factType: FactType;
  readonly supersedes: string | null;
  readonly supersededBy: string | null;
  readonly citations: readonly Citation[];
  /** Absent: none. */
  readonly aliases?: readonly string[] | undefined;
  /** Whether its predicate has one value at a time, as its author says; absent: the author does not say. */
  readonly exclusive?: boolean;
  /** The name that a caller's own system has for it, which no other fact of the workspace has. */
  readonly externalId?: string;
  /** The author says that the statement claims nothing, whatever the rules read in it. */
  readonly claimless?: true;
  /** The claims that the rules read in the statement, if its author gives no triple. */
  readonly claims?: readonly Claim[];
  /** Facts that it likely outdates: it says something else of the same slot, but not that anything has changed. */
  readonly outdates?: readonly string[];
  /** The keys of the names, by which facts are compared. */
  readonly folded: FoldedTriple;
  /** The key that facts have in common which say the same in another dress; absent in rows of earlier builds. */
  readonly said?: string;
  /**
   * The values before superseding, so that restoring can undo it. `planned`: when they were written, the end lay ahead,
   * and until then the fact is in force.
   */
  readonly before?: {
    readonly validTo: string | null;
    readonly validFrom?: string | null;
    readonly planned?: true;
  };
  /** The status that archiving took it from. */
  readonly archivedFrom?: FactStatus;
};

export interface Triple {
  readonly subject: string | null;
  readonly predicate: string | null;
  readonly object: string | null;
}

export interface FoldedTriple extends Triple {
  /**
   * The number of the rule that made the keys; absent: the first rule. `refold.ts` renews keys that an earlier rule
   * made.
   */
  readonly rule?: number;
  /** Whether the predicate has one value at a time, as the workspace said when the fact was judged; absent: it did not. */
  readonly exclusive?: boolean;
  /** Nobody gave the triple: it was inferred from the statement. */
  readonly inferred?: true;
}

export type FactRow = UnitRow<FactBody>;

export function isFact(row: UnitRow): row is FactRow {
  return row.type === "fact";
}

/** The states in which a fact is recalled, is restated, and can contradict another. */
export const LIVE_STATUSES: readonly FactStatus[] = ["active", "contested"];

/** Whether the stored status is one of a live fact, whatever its times say. */
export function hasLiveStatus({ status }: { readonly status: string }): boolean {
  return (LIVE_STATUSES as readonly string[]).includes(status);
}

type Ending = Pick<FactRow, "status" | "expiresAt" | "validTo"> & { readonly body: Pick<FactBody, "supersededBy"> };

/**
 * The status of a fact at a time. Past its expiry it counts as expired, and from the day on which another fact takes its place
 * as superseded, before a worker writes it down.
 */
export function statusAt({ status, expiresAt, validTo, body }: Ending, time: Date): FactStatus {
  if (!LIVE_STATUSES.includes(status as FactStatus)) return status as FactStatus;
  if (expiresAt !== null && expiresAt <= time) return "expired";
  if (body.supersededBy != null && validTo !== null && validTo <= time) return "superseded";
  return status as FactStatus;
}

/** Whether a fact is in force at a time. */
export function isLive(row: Ending, time: Date): boolean {
  return LIVE_STATUSES.includes(statusAt(row, time));
}

/** The key of a name; null stays null. */
export function foldTerm(term: string | null): string | null {
  return term === null ? null : nameKey(term);
}

/** Computes the keys of the three names of a triple, by the present rule for names. */
export function foldTriple({ subject, predicate, object }: Triple): FoldedTriple {
  return { subject: foldTerm(subject), predicate: foldTerm(predicate), object: foldTerm(object), rule: NAME_RULE };
}

/**
 * The key that facts about the same subject and predicate share; null if the triple is incomplete. A name whose key is empty,
 * because it has no visible characters, counts as missing.
 * @param folded the keys of the names
 */
export function tripleKeyOf({ subject, predicate, object }: Triple): string | null {
  if (subject === null || subject === "" || predicate === null || predicate === "" || object === null) return null;
  return JSON.stringify([subject, predicate]);
}

/**
 * The hash of what a fact says: statement, triple and kind, without regard to spacing and Unicode composition. Validity
 * is not part of it: closing a fact does not make it another one.
 */
export function hashFact(body: Pick<FactBody, "statement" | "subject" | "predicate" | "object" | "factType">): string {
  const clean = (text: string | null) => text === null ? null : text.normalize("NFC").replace(/\s+/gu, " ").trim();
  return contentHash({
    type: "fact",
    factType: body.factType,
    statement: clean(body.statement),
    subject: clean(body.subject),
    predicate: clean(body.predicate),
    object: clean(body.object),
  });
}

type Said = Pick<FactBody, "statement" | "subject" | "predicate" | "object" | "factType" | "said">;

/**
 * The key of what a fact says, without regard to capitals, kinds of quotes and the full stop at the end. Facts that have
 * it in common are one fact if they hold at one time; `contentHash` tells whether the text is the same, too.
 */
export function statementKey({ said, ...body }: Said): string {
  if (said !== undefined) return said;
  const { subject, predicate, object } = foldTriple(body);
  return contentHash([body.factType, toStatementForm(body.statement), subject, predicate, object]).slice(0, SAID_CHARS);
}
const SAID_CHARS = 32;

/** The keys by which the facts that say the same are found; rows of earlier builds have only the hash of their content. */
export function sayingsOf(facts: readonly { readonly contentHash: string; readonly body: Said }[]) {
  return {
    contentHashes: [...new Set(facts.map(({ contentHash }) => contentHash))],
    said: [...new Set(facts.map(({ body }) => statementKey(body)))],
  };
}

/** Whether the content or the times of a fact have changed. */
export function isOtherClaim(a: FactRow, b: FactRow): boolean {
  const timesOf = (fact: FactRow) => [fact.validFrom, fact.validTo, fact.occurredAt].map((date) => date?.getTime());
  return a.contentHash !== b.contentHash || timesOf(a).join() !== timesOf(b).join();
}

/** Whether the keys of a fact's triple have changed, even if only because another rule made them. */
export function isOtherTriple(a: FactRow, b: FactRow): boolean {
  return a.tripleKey !== b.tripleKey || a.body.folded.object !== b.body.folded.object;
}

/** The columns that are computed from a fact's content. */
export function derivedColumns({ claims: _, said: __, ...body }: Omit<FactBody, "folded">) {
  const claims = inferClaims(body);
  const main = mainClaim(claims);
  const { folded, tripleKey } = main === undefined ? foldGiven(body) : foldInferred(main);
  return {
    text: body.statement,
    contentHash: hashFact(body),
    tripleKey,
    body: { ...body, ...(claims.length > 0 && { claims }), folded, said: statementKey(body) } satisfies FactBody,
  };
}

function foldGiven(triple: Triple) {
  const folded = foldTriple(triple);
  return { folded, tripleKey: tripleKeyOf(folded) };
}

/** The keys under which a fact is found whose triple the rules read. */
export function foldInferred(claim: Claim): { readonly folded: FoldedTriple; readonly tripleKey: string } {
  const { subject, predicate, value, polarity } = claim;
  const object = polarity ? value : `not ${value}`;
  const folded = { ...foldTriple({ subject, predicate, object }), inferred: true as const };
  return { folded, tripleKey: keyOfClaim(claim) };
}

function iso(date: Date | null): string | null {
  return date === null ? null : date.toISOString();
}

/** The resource; `time` decides whether it has expired. */
export function toFact(row: FactRow, time: Date): Fact {
  const { body } = row;
  return {
    ...commonMembers(row),
    type: "fact",
    status: statusAt(row, time),
    metadata: row.metadata as Fact["metadata"],
    externalId: body.externalId ?? null,
    statement: body.statement,
    subject: body.subject,
    predicate: body.predicate,
    object: body.object,
    exclusive: body.exclusive ?? null,
    claims: showClaims(body.claims ?? []),
    factType: body.factType,
    validFrom: iso(row.validFrom),
    validTo: iso(row.validTo),
    recordedAt: row.recordedAt.toISOString(),
    retractedAt: iso(row.retractedAt),
    occurredAt: iso(row.occurredAt),
    expiresAt: iso(row.expiresAt),
    supersedes: body.supersedes,
    supersededBy: body.supersededBy,
    entityIds: [...row.entityIds],
    citations: [...body.citations],
    corroborationCount: row.corroborationCount,
  };
}

/** Citations of both, each message of a session once; at most `max`. */
export function mergeCitations(known: readonly Citation[], added: readonly Citation[], max: number): Citation[] {
  const keyOf = (citation: Citation) => JSON.stringify([citation.messageId, citation.sessionId ?? null]);
  const seen = new Set(known.map(keyOf));
  const fresh = added.filter((citation) => !seen.has(keyOf(citation)) && seen.add(keyOf(citation)));
  return [...known, ...fresh].slice(0, Math.max(max, known.length));
}
