/** Requests as the console's page sends them. */
import assert from "node:assert/strict";
import type { TestAdmin } from "../_admin.ts";
import { readReply, type Reply, type TestService } from "../_service.ts";

/** What a browser sends with a request of the console's page. */
export const PAGE = { "sec-fetch-site": "same-origin", "x-svc-console": "none" };
export const SESSION = "/console/api/session";

export interface Opened {
  readonly cookie: string;
  readonly proof: string;
  /** Sends a request as the page does. */
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
}

/** Logs in as the page does. */
export async function logIn(service: TestService, key = service.key): Promise<Opened> {
  const { status, headers, body } = await service.post(SESSION, {}, { key, headers: PAGE });
  assert.equal(status, 201);
  return openedBy(service, headers.get("set-cookie")!, body.proof);
}

/** Logs an admin in as the page does, by default with a code that counts. */
export async function logInAdmin(
  service: TestService,
  admin: Pick<TestAdmin, "key" | "totp">,
  totp = admin.totp(),
): Promise<Opened> {
  const { status, headers, body } = await askForAdmin(service, admin.key, totp);
  assert.equal(status, 201, JSON.stringify(body));
  return openedBy(service, headers.get("set-cookie")!, body.proof);
}

/** Tries to log in with a key and a code. */
export function askForAdmin(service: TestService, key: string, totp: string): Promise<Reply> {
  return service.post(SESSION, { totp }, { key, headers: PAGE });
}

export function openedBy(service: TestService, setCookie: string, proof: string): Opened {
  const cookie = setCookie.split(";")[0]!;
  return {
    ...{ cookie, proof },
    send: (method, path, body, headers) =>
      service.call(method, path, { key: null, body, headers: { ...PAGE, "x-svc-console": proof, cookie, ...headers } }),
  };
}

/** Sends a login from an address. */
export async function logInFrom(
  service: TestService,
  hostname: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const request = new Request(`http://127.0.0.1${SESSION}`, {
    method: "POST",
    headers: { ...PAGE, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  const remoteAddr = { transport: "tcp", hostname, port: 1 } as const;
  return await readReply(await service.service.fetch(request, { remoteAddr, completed: Promise.resolve() }));
}
