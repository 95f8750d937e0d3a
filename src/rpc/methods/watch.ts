/** WatchMemory, WatchTasks and StreamHealth. */
import { z } from "zod";
import { watchChanges, watchHealth } from "../../domain/feed/watch.ts";
import { SvcService } from "../../gen/svc/v1/svc_pb.ts";
import { listChanges } from "../../operations/changes.ts";
import { getMemoryHealth } from "../../operations/health.ts";
import { listTasks } from "../../operations/tasks.ts";
import { HealthSnapshot } from "../../schema/health.ts";
import { WatchEvent, WatchRequest } from "../../schema/rpc.ts";
import { orPause } from "../or_pause.ts";
import { type Conversation, serverStream } from "../rpc.ts";

/** The longest time without a message, in milliseconds; proxies close connections that stay silent. */
const PAUSE_MS = 20_000;

/** Pushes changes of the memory. */
export const watchMemory = serverStream(SvcService.method.watchMemory, listChanges, {
  body: WatchRequest,
  reply: WatchEvent,
}, (conversation, { since }) => watch(conversation, "memory", since));

/** Pushes changes of tasks. */
export const watchTasks = serverStream(SvcService.method.watchTasks, listTasks, {
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
export const streamHealth = serverStream(SvcService.method.streamHealth, getMemoryHealth, {
  body: z.strictObject({}),
  reply: HealthSnapshot,
}, async function* ({ stream, enter }) {
  using snapshots = await watchHealth(stream);
  for await (const told of orPause(snapshots, PAUSE_MS)) {
    yield told?.event ?? (await getMemoryHealth.run(await enter(), {})).body;
  }
});
