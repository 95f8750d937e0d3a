/**
 * Memories of Mem0: what `get_all` answers or an export holds, `{ results: [...] }`, a bare list, or JSONL. Each is
 * `{ id, memory, user_id?, agent_id?, app_id?, run_id?, hash?, metadata?, categories?, created_at?, updated_at? }` and
 * becomes a fact; whose it was stands in its metadata.
 */
import type { UnitLine } from "../../../schema/transfer_lines.ts";
import { type ForeignRecord, textOf, timeOf } from "./document.ts";
import { factLine, idOf, type Maker } from "./lines.ts";

export const MEM0_LISTS = ["results", "memories"] as const;
const TAGS_MAX = 50;
const TAG_MAX = 64;

export function fromMem0(maker: Maker, { value: record }: ForeignRecord): UnitLine[] {
  const { id, memory, text, metadata, categories, created_at: createdAt, updated_at: updatedAt, ...rest } = record;
  const statement = textOf(memory) ?? textOf(text);
  const owners = ["user_id", "agent_id", "app_id", "run_id", "actor_id"].flatMap((name) =>
    textOf(rest[name]) === undefined ? [] : [[name, rest[name]]]
  );
  const occurredAt = timeOf(createdAt, "created_at");
  const changedAt = timeOf(updatedAt, "updated_at");
  const tags = Array.isArray(categories) ? categories.filter((tag) => textOf(tag) !== undefined) as string[] : [];
  return [factLine(maker, {
    id: idOf(maker, id, statement, owners),
    statement,
    occurredAt,
    tags: tags.slice(0, TAGS_MAX).map((tag) => tag.slice(0, TAG_MAX)),
    metadata: {
      ...(typeof metadata === "object" && metadata !== null && !Array.isArray(metadata) ? metadata : {}),
      mem0: {
        ...(textOf(id) !== undefined && { id }),
        ...Object.fromEntries(owners),
        ...(changedAt !== null && { updated_at: changedAt }),
      },
    },
  })];
}
