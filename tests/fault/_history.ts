/** Writers that remember what was acknowledged to them, and the check that all of it is there afterwards. */
import { deepEqual, ok } from "node:assert/strict";
import type { Deps } from "../../src/context.ts";
import * as access from "../../src/domain/access.ts";
import { SCOPES } from "../../src/schema/scopes.ts";
import { send, until } from "./_process.ts";

export interface Tenant {
  readonly name: string;
  readonly key: string;
  readonly sessionId: string;
  /** Message ids of turns whose reply said that they are stored. */
  readonly acknowledged: Set<string>;
}

/** A workspace with a key and a session, made in this process. */
export async function createTenant(deps: Deps, url: string, name: string): Promise<Tenant> {
  const workspaceId = await access.createWorkspace(deps, { name, region: "us-east-1" });
  const { key } = await access.createApiKey(access.operatorContext(deps, workspaceId), {
    ...{ name, scopes: SCOPES, maxSensitivity: "restricted" as const },
  });
  const { status, body } = await send(url, key, "POST", "/session", { title: name });
  ok(status === 201 || status === 200, JSON.stringify(body));
  return { name, key, sessionId: body.id, acknowledged: new Set() };
}

/** Statuses that a refusal may have while parts of the deployment are down. 0: the connection broke. */
const REFUSALS = new Set([0, 503, 504]);

export class Writers {
  /** Milliseconds that the slowest request took. */
  slowestMs = 0;
  readonly refused = new Map<number, number>();
  readonly #running: Promise<void[]>;
  #stopped = false;
  #count = 0;

  /** Starts `perTenant` writers for each tenant; `pick` names the process that gets the next request. */
  constructor(tenants: readonly Tenant[], perTenant: number, pick: () => string) {
    const all = tenants.flatMap((tenant) => Array.from({ length: perTenant }, () => this.#write(tenant, pick)));
    this.#running = Promise.all(all);
    this.#running.catch(() => {});
  }

  /** Waits until so many more turns were acknowledged. */
  async progress(more: number): Promise<void> {
    const target = this.#count + more;
    await Promise.race([until(`${more} more turns are stored`, async () => this.#count >= target), this.#running]);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  async #write(tenant: Tenant, pick: () => string): Promise<void> {
    while (!this.#stopped) {
      const messageId = crypto.randomUUID();
      const turn = { role: "user", content: `${tenant.name} says ${messageId}`, messageId };
      const answer = await send(pick(), tenant.key, "POST", `/session/${tenant.sessionId}/turns`, { turns: [turn] });
      this.slowestMs = Math.max(this.slowestMs, answer.ms);
      if (answer.status >= 200 && answer.status < 300) {
        tenant.acknowledged.add(messageId);
        this.#count++;
        continue;
      }
      ok(REFUSALS.has(answer.status), `${answer.status} ${JSON.stringify(answer.body)}`);
      if (answer.status === 503) ok(answer.retryAfter !== null, "a 503 without Retry-After");
      this.refused.set(answer.status, (this.refused.get(answer.status) ?? 0) + 1);
      // A caller that is refused comes back after a while.
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** Every acknowledged turn is there once, and nobody sees a turn of anybody else. */
export async function checkHistory(url: string, tenants: readonly Tenant[]): Promise<void> {
  for (const tenant of tenants) {
    const stored: string[] = [];
    let cursor: string | null = null;
    do {
      const query: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
      const { status, body } = await send(
        url,
        tenant.key,
        "GET",
        `/session/${tenant.sessionId}/turns?limit=200${query}`,
      );
      deepEqual(status, 200, JSON.stringify(body));
      for (const turn of body.data) {
        stored.push(turn.messageId);
        ok(turn.content.startsWith(`${tenant.name} says`), `${tenant.name} sees: ${turn.content}`);
      }
      cursor = body.nextCursor;
    } while (cursor !== null);
    deepEqual(stored.length, new Set(stored).size, "a turn is stored twice");
    const present = new Set(stored);
    deepEqual([...tenant.acknowledged].filter((id) => !present.has(id)), [], "acknowledged turns are missing");
  }
}
