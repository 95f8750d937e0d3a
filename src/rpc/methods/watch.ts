/** WatchMemory, WatchTasks and StreamHealth. Interface §4.12, decisions §6 "Change feed". */
import { z } from "zod";
import { watchChanges, watchHealth } from "../../domain/feed/watch.ts";
import { readSnapshot } from "../../domain/upkeep/health.ts";
import { SvcService } from "../../gen/svc/v1/svc_pb.ts";
import { HealthSnapshot } from "../../schema/health.ts";
import { WatchEvent, WatchRequest } from "../../schema/rpc.ts";
import { orPause } from "../or_pause.ts";
import { type Conversation, serverStream } from "../rpc.ts";

/** Proxies take a connection on which nothing comes for dead. */
const PAUSE_MS = 20_000;

/** Pushes changes of the memory. */
export const watchMemory = serverStream({
  method: SvcService.method.watchMemory,
  operation: "listChanges",
  scope: "memory:read",
  body: WatchRequest,
  reply: WatchEvent,
}, (conversation, { since }) => watch(conversation, "memory", since));

/** Pushes changes of tasks. */
export const watchTasks = serverStream({
  method: SvcService.method.watchTasks,
  operation: "listTasks",
  scope: "tasks:read",
  body: WatchRequest,
  reply: WatchEvent,
}, (conversation, { since }) => watch(conversation, "tasks", since));

async function* watch(
  { stream }: Conversation,
  channel: "memory" | "tasks",
  since: string | undefined,
): AsyncGenerator<WatchEvent> {
  using changes = await watchChanges(stream, { channel, since });
  let { cursor } = changes;
  yield { cursor };
  for await (const told of orPause(changes, PAUSE_MS)) {
    cursor = told?.cursor ?? cursor;
    yield told ?? { cursor };
  }
}

/** Pushes the workspace's vitals. */
export const streamHealth = serverStream({
  method: SvcService.method.streamHealth,
  operation: "getMemoryHealth",
  scope: "memory:read",
  body: z.strictObject({}),
  reply: HealthSnapshot,
}, async function* ({ stream, enter }) {
  using snapshots = await watchHealth(stream);
  for await (const told of orPause(snapshots, PAUSE_MS)) yield told?.event ?? await readSnapshot(await enter());
});
