/** Watching the change feed: what the WebSocket and the RPCs share. Decisions §6 "Change feed", security T10, F10. */
import assert from "node:assert/strict";
import type { OperationContext } from "../../src/context.ts";
import * as access from "../../src/domain/access.ts";
import type { OpenStream } from "../../src/domain/feed/open_stream.ts";
import { openStream, type Told, type Watch, watchChanges } from "../../src/domain/feed/watch.ts";
import type { ServiceError } from "../../src/errors.ts";
import type { Change } from "../../src/schema/change.ts";
import { POSTGRES } from "../_postgres.ts";
import { type KeyOptions, startService, type TestService } from "../_service.ts";
import { waitFor } from "../_wait.ts";

/** As a face authorizes a caller. */
function authorize(service: TestService, key: string): Promise<OperationContext> {
  return access.authorize(service.deps, {
    access: "memory:read",
    operationId: "watch",
    headers: new Headers({ authorization: `Bearer ${key}` }),
    remoteAddress: "127.0.0.1",
    requestId: crypto.randomUUID(),
    signal: new AbortController().signal,
  });
}

interface Listener {
  readonly stream: OpenStream;
  readonly watch: Watch<Change>;
  readonly told: Told<Change>[];
  /** Why it ended. */
  readonly ended: Promise<ServiceError | undefined>;
}

async function listen(service: TestService, key: string, since?: string): Promise<Listener> {
  const stream = await openStream(await authorize(service, key));
  const watch = await watchChanges(stream, { channel: "memory", since });
  const told: Told<Change>[] = [];
  const read = async () => {
    for await (const one of watch) told.push(one);
  };
  return { stream, watch, told, ended: read().then(() => undefined, (error) => error) };
}

async function addFact(service: TestService, statement: string, options: { key?: string; sensitivity?: string } = {}) {
  const { key, ...more } = options;
  const reply = await service.post("/v1/memory/facts", { statement, ...more }, key === undefined ? {} : { key });
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
}

/** The id of a key. */
async function idOf(service: TestService, key: string, workspaceId = service.workspaceId): Promise<string> {
  const listed = await access.listApiKeys(service.operator(workspaceId));
  return listed.find(({ publicId }) => key.includes(publicId))!.keyId;
}

async function createReader(service: TestService, options: KeyOptions = {}): Promise<string> {
  return await service.createKey({ scopes: ["memory:read"], ...options });
}

for (const embedded of [false, true]) {
  Deno.test({
    ...(embedded ? {} : POSTGRES),
    name: `T10 a watch tells what is behind its cursor, then what comes, each once${embedded ? " (embedded)" : ""}; ` +
      "a revoked key's ends with unauthenticated",
    async fn() {
      await using service = await startService({ embedded });
      for (const n of [1, 2, 3]) await addFact(service, `The mill has ${n} wheels and a number.`);
      const key = await createReader(service, { maxSensitivity: "internal" });
      const first = await service.get("/v1/memory/changes?limit=1", { key });
      const late = await listen(service, key, first.body.data[0].cursor);
      const now = await listen(service, key);
      await addFact(service, "The safe is behind the painting.", { sensitivity: "restricted" });
      await addFact(service, "The river is low.");
      await waitFor("the last fact", () => now.told.length > 0 && late.told.length >= 3);
      assert.deepEqual(now.told.map(({ event }) => event.seq), [5]);
      assert.deepEqual(late.told.map(({ event }) => event.seq), [2, 3, 5]);
      assert.deepEqual(late.told.at(-1), now.told[0]);

      await access.revokeApiKey(service.operator(), await idOf(service, key));
      for (const { ended } of [late, now]) assert.equal((await ended)?.code, "unauthenticated");
      await addFact(service, "The river is high.");
      assert.deepEqual([late.told.length, now.told.length], [3, 1]);
      await assert.rejects(authorize(service, key), { code: "unauthenticated" });
      assert.equal(service.deps.streams.sizes().open, 0);
    },
  });
}
