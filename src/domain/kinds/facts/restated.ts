/** What a statement that is told again brings to the fact that is known. Pure. */
import { canonicalJson } from "../../../crypto/canonical_json.ts";
import { isCleared, Metadata, type Sensitivity, Tags } from "../../../schema/common.ts";
import { aliasesOf } from "../../unit/aliases.ts";
import { type FactRow, mergeCitations } from "./fields.ts";

/** The most citations that a restated fact keeps. */
const CITATIONS_MAX = 100;

/** The columns of a known fact with what a statement adds, and the members that it cannot take. */
export interface Restated {
  readonly next: Pick<FactRow, "tags" | "metadata" | "pinned" | "expiresAt" | "occurredAt" | "entityIds" | "body">;
  readonly isRicher: boolean;
  readonly leftOut: readonly string[];
}

/**
 * Joins a statement to the fact that it repeats: lists grow, members of `metadata` that the fact lacks are added, a pin
 * is set, a later end of storage counts, and an earlier time of what happened where the fact has none. What the fact
 * says otherwise stays and is named.
 * @param stated the sensitivity that the statement's author gives; undefined: none
 */
export function joinRestated(known: FactRow, claim: FactRow, stated: Sensitivity | undefined): Restated {
  const leftOut: string[] = [];
  const tags = join(known.tags, claim.tags);
  const hasRoom = Tags.safeParse(tags).success;
  if (!hasRoom) leftOut.push("tags");
  const metadata = joinMetadata(known.metadata, claim.metadata, leftOut);
  const citations = mergeCitations(known.body.citations, claim.body.citations, CITATIONS_MAX);
  if (citations.length < mergeCitations(known.body.citations, claim.body.citations, Infinity).length) {
    leftOut.push("citations");
  }
  const entityIds = join(known.entityIds, claim.entityIds);
  const externalId = known.body.externalId ?? claim.body.externalId;
  const exclusive = known.body.exclusive ?? claim.body.exclusive;
  if (exclusive !== (claim.body.exclusive ?? exclusive)) leftOut.push("exclusive");
  if (stated !== undefined && stated !== known.sensitivity && isCleared(stated, known.sensitivity)) {
    leftOut.push("sensitivity");
  }
  const next = {
    tags: hasRoom ? tags : known.tags,
    metadata,
    pinned: known.pinned || claim.pinned,
    expiresAt: laterEnd(known, claim, leftOut),
    occurredAt: ownTime(known, claim, leftOut),
    entityIds,
    body: {
      ...known.body,
      citations,
      ...(externalId !== undefined && { externalId }),
      ...(exclusive !== undefined && { exclusive }),
    },
  };
  return { next, isRicher: Object.entries(next).some(([name, value]) => isOther(known, name, value)), leftOut };
}

/** The source of a fact's trust, taken over as a whole from a more trusted statement. */
export function supportOf(claim: FactRow) {
  const { attribution, trustScore, trustCap, derivedFrom, stale } = claim;
  return { attribution, trustScore, trustCap, derivedFrom, stale };
}

/** All members that a statement has beside its words, for a fact that takes none of them because it is over. */
export function listCarried(claim: FactRow): string[] {
  const lists = { tags: claim.tags, citations: claim.body.citations, entityIds: claim.entityIds };
  return [
    ...Object.entries(lists).flatMap(([name, list]) => list.length > 0 ? [name] : []),
    ...(aliasesOf(claim.body).length > 0 ? ["aliases"] : []),
    ...Object.keys(claim.metadata).map((name) => `metadata.${name}`),
    ...(claim.pinned ? ["pinned"] : []),
    ...(claim.expiresAt === null ? [] : ["expiresAt"]),
  ];
}

function join(known: readonly string[], further: readonly string[]): string[] {
  return [...new Set([...known, ...further])];
}

function isOther(known: FactRow, name: string, value: unknown): boolean {
  const plain = (one: unknown) => canonicalJson({ one: one instanceof Date ? one.toISOString() : one });
  return plain(known[name as keyof FactRow]) !== plain(value);
}

function joinMetadata(known: FactRow["metadata"], further: FactRow["metadata"], leftOut: string[]) {
  const joined = { ...further, ...known };
  for (const [name, value] of Object.entries(further)) {
    if (canonicalJson({ value: joined[name] }) !== canonicalJson({ value })) leftOut.push(`metadata.${name}`);
  }
  if (Metadata.safeParse(joined).success) return joined;
  leftOut.push("metadata");
  return known;
}

/** A fact that is kept for ever, or longer than somebody says now, is kept. */
function laterEnd({ expiresAt: known }: FactRow, { expiresAt: said }: FactRow, leftOut: string[]): Date | null {
  if (said === null || said.getTime() === known?.getTime()) return known;
  if (known !== null && said > known) return said;
  leftOut.push("expiresAt");
  return known;
}

/** A later time tells when it was said again, and nothing of when it happened. */
function ownTime(known: FactRow, { occurredAt: said }: FactRow, leftOut: string[]): Date | null {
  const { occurredAt, recordedAt } = known;
  if (said === null || said.getTime() === occurredAt?.getTime()) return occurredAt;
  if (occurredAt === null && said <= recordedAt) return said;
  leftOut.push("occurredAt");
  return occurredAt;
}
