/**
 * Keys of a workspace for whoever opened the console at the terminal, who could make them by the command line, too. Admins
 * use the operations of `/v1/admin` instead.
 */
import type { Context, Hono } from "hono";
import type { Deps } from "../context.ts";
import * as keys from "../domain/access/console_keys.ts";
import { audited } from "../operations/answer.ts";
import { ConsoleKeyBody, ListConsoleKeysQuery, RotateApiKeyBody } from "../schema/admin_key.ts";
import { API, begin, enterBySession, readBody, readCredentials, readInput, reply } from "./console_request.ts";
import type { ObservedEnv } from "./observed.ts";

const KEYS = `${API}/keys`;

/** Adds the routes of keys to the app. */
export function addConsoleKeys(app: Hono<ObservedEnv>, deps: Deps): void {
  const run = async <T extends object>(
    c: Context<ObservedEnv>,
    { route, id, changes }: { readonly route: string; readonly id: string; readonly changes: boolean },
    work: (manager: keys.KeyManager, request: Request) => Promise<T>,
  ) => {
    const request = begin(c, route);
    const ctx = await enterBySession(deps, c, id, { changes });
    return await audited(ctx, async () => {
      const manager = await keys.enterKeyManagement(ctx, readCredentials(request));
      return reply(await work(manager, request), id === "createConsoleKey" ? 201 : 200);
    });
  };
  app.get(KEYS, (c) => {
    const list = { route: KEYS, id: "listConsoleKeys", changes: false };
    return run(c, list, (manager) => keys.listKeys(manager, readInput(ListConsoleKeysQuery, c.req.query())));
  });
  app.post(KEYS, (c) => {
    const create = { route: KEYS, id: "createConsoleKey", changes: true };
    return run(
      c,
      create,
      async (manager, request) => keys.createKey(manager, await readBody(deps, request, ConsoleKeyBody)),
    );
  });
  app.post(`${KEYS}/:id/rotate`, (c) => {
    const rotate = { route: `${KEYS}/{id}/rotate`, id: "rotateConsoleKey", changes: true };
    return run(
      c,
      rotate,
      async (manager, request) =>
        keys.rotateKey(manager, c.req.param("id"), await readBody(deps, request, RotateApiKeyBody)),
    );
  });
  app.post(`${KEYS}/:id/revoke`, (c) => {
    const revoke = { route: `${KEYS}/{id}/revoke`, id: "revokeConsoleKey", changes: true };
    return run(c, revoke, (manager) => keys.revokeKey(manager, c.req.param("id")));
  });
}
