/** Messages hold references to what changed, never content. The receiver reads the resource with a key of its own. */
import type { ChangeRow } from "../../db/queries/changes.ts";
import { UNIT_KINDS } from "../../schema/common.ts";
import { cursorAt, toChange } from "../feed/changes.ts";

const encoder = new TextEncoder();

/** A message as it is signed and sent. */
export interface Message {
  readonly id: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** The paths at which callers read resources. Some types have none: callers find a turn, for example, in its session. */
const PATHS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.keys(UNIT_KINDS).map((type) => [type, `/v1/memory/${pluralOf(type)}`])),
  relation: "/v1/memory/relations",
  task: "/v1/memory/tasks",
  event: "/v1/memory/events",
  reasoning: "/v1/memory/reasoning",
  job: "/v1/memory/admin/jobs",
  review: "/v1/review",
  self_edit: "/v1/self/edits",
  session: "/v1/session",
  webhook: "/v1/webhooks",
};

function pluralOf(type: string): string {
  return type.endsWith("y") ? `${type.slice(0, -1)}ies` : `${type}s`;
}

/** Makes the message of a change; its bytes are the same at every attempt. */
export function messageOf(workspaceId: string, id: string, row: ChangeRow): Message {
  const { seq, kind, resourceType: type, resourceId, version, sensitivity, actor, recordedAt, payload } = toChange(row);
  const path = Object.hasOwn(PATHS, type) ? `${PATHS[type]}/${resourceId}` : null;
  return toMessage(id, kind, recordedAt, {
    ...{ seq, cursor: cursorAt(workspaceId, seq), workspaceId },
    resource: { type, id: resourceId, version, path },
    ...{ sensitivity, actor, payload },
  });
}

/** Makes a message that does not tell of a change, such as a challenge or a test. */
export function toMessage(id: string, type: string, timestamp: string, data: unknown): Message {
  return { id, body: encoder.encode(JSON.stringify({ type, timestamp, data })) };
}

/** Makes the id of a message that does not tell of a change. */
export function newMessageId(): string {
  return `msg_${crypto.getRandomValues(new Uint8Array(16)).toHex()}`;
}
