/** A turn as the API shows it. */
import type { TurnRow } from "../../db/queries/turns.ts";
import { flagInvisible } from "../../schema/invisible_text.ts";
import type { Turn } from "../../schema/turn.ts";

/** The resource. */
export function toTurn(row: TurnRow): Turn {
  return {
    id: row.id,
    sessionId: row.sessionId,
    version: row.version,
    position: row.position,
    messageId: row.messageId,
    role: row.role,
    name: row.name,
    content: row.content,
    ...flagInvisible(`${row.name ?? ""}${row.content}`),
    sensitivity: row.sensitivity,
    pinned: row.pinned,
    tags: row.tags,
    metadata: row.metadata as Turn["metadata"],
    occurredAt: row.occurredAt.toISOString(),
    ...(row.utcOffset !== null && { utcOffset: row.utcOffset }),
    recordedAt: row.recordedAt.toISOString(),
    ...(row.erasedAt && { erasedAt: row.erasedAt.toISOString() }),
  };
}
