/**
 * Memories of Mem0: what `get_all` answers or an export holds, `{ results: [...], relations?: [...] }`, a bare list, or
 * JSONL. A memory is `{ id, memory, user_id?, agent_id?, app_id?, run_id?, hash?, metadata?, categories?, created_at?,
 * updated_at?, expiration_date? }` and becomes a fact; whose it was, and what else it had, stands in its metadata. A
 * relation of its graph is `{ source, relationship, target }` (`destination` in searches), both ends by name.
 */
import { ServiceError } from "../../../errors.ts";
import type { RelationLine, UnitLine } from "../../../schema/transfer_lines.ts";
import { type ForeignRecord, textOf, timeOf } from "./document.ts";
import { entityLine, factLine, idOf, type Maker, relationLine } from "./lines.ts";

export const MEM0_LISTS = ["results", "memories", "relations"] as const;
const TAGS_MAX = 50;
const TAG_MAX = 64;
/** Members that follow from others: checksums, scores of a search, parts of `created_at`. */
const DERIVED = new Set(["hash", "score", "embedding", "structured_attributes"]);
/** The owners of a memory; part of the identity of one without an id. */
const OWNERS = ["user_id", "agent_id", "app_id", "run_id", "actor_id"];

/** @throws ServiceError `validation_failed` for an invalid time, or a relation without its ends */
export function fromMem0(maker: Maker, { list, value: record }: ForeignRecord): (UnitLine | RelationLine)[] {
  const isRelation = list === "relations" || (record["memory"] === undefined && record["relationship"] !== undefined);
  return isRelation ? readRelation(maker, record) : [readMemory(maker, record)];
}

function readMemory(maker: Maker, record: ForeignRecord["value"]): UnitLine {
  const { id, memory, text, metadata, categories, created_at, updated_at, expiration_date, ...rest } = record;
  const statement = textOf(memory) ?? textOf(text);
  const owners = OWNERS.flatMap((name) => textOf(rest[name]) === undefined ? [] : [[name, rest[name]]]);
  const others = Object.entries(rest).filter(([name, value]) => value !== null && value !== "" && !DERIVED.has(name));
  const changedAt = timeOf(updated_at, "updated_at");
  const expiresAt = timeOf(expiration_date, "expiration_date");
  const tags = Array.isArray(categories) ? categories.filter((tag) => textOf(tag) !== undefined) as string[] : [];
  return factLine(maker, {
    id: idOf(maker, id, statement, owners),
    statement,
    status: expiresAt !== null && expiresAt <= maker.now ? "expired" : "active",
    occurredAt: timeOf(created_at, "created_at"),
    expiresAt,
    tags: tags.slice(0, TAGS_MAX).map((tag) => tag.slice(0, TAG_MAX)),
    metadata: {
      ...(typeof metadata === "object" && metadata !== null && !Array.isArray(metadata) ? metadata : {}),
      mem0: {
        ...(textOf(id) !== undefined && { id }),
        ...Object.fromEntries(others),
        ...(changedAt !== null && { updated_at: changedAt }),
      },
    },
  });
}

function readRelation(maker: Maker, record: ForeignRecord["value"]): (UnitLine | RelationLine)[] {
  const { source, relationship, source_type, target_type } = record;
  const target = record["target"] ?? record["destination"];
  const [from, to, word] = [textOf(source), textOf(target), textOf(relationship)];
  if (from === undefined || to === undefined || word === undefined) {
    throw new ServiceError("validation_failed", "Cannot import: source, relationship and target must be strings");
  }
  const [sourceId, targetId] = [from, to].map((name) => idOf(maker, null, "entity", name)) as [string, string];
  return [
    entityLine(maker, { id: sourceId, name: from, entityType: textOf(source_type) ?? "other" }),
    entityLine(maker, { id: targetId, name: to, entityType: textOf(target_type) ?? "other" }),
    relationLine(maker, { id: idOf(maker, null, "relation", from, to, word), word, sourceId, targetId }),
  ];
}
