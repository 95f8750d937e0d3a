/** Programs without a browser: a person types the code that they show. RFC 8628. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { Person, serve } from "../cli/_svc.ts";
import { CONSOLE, openConsole } from "../console/_console.ts";
import { logIn } from "../http/_console.ts";
import { startService, type TestService } from "../_service.ts";
import { OAUTH_ENV, sendForm } from "./_oauth.ts";

const DEVICE = "/console/api/oauth/device";
const GRANT = "urn:ietf:params:oauth:grant-type:device_code";

const begin = async (service: TestService, clientId = "svc") =>
  (await sendForm(service, "/oauth/device", { client_id: clientId, resource: "http://svc.test" })).body;
const poll = async (service: TestService, deviceCode: string, clientId = "svc") =>
  (await sendForm(service, "/oauth/token", { grant_type: GRANT, client_id: clientId, device_code: deviceCode })).body;

Deno.test("T77 a device gets what the person who types its code allows, once, and learns why it gets nothing yet", async () => {
  let now = new Date("2026-03-01T09:00:00Z");
  await using service = await startService({ env: OAUTH_ENV, clock: () => now });
  const later = (seconds: number) => now = new Date(now.getTime() + seconds * 1_000);
  const person = await logIn(service);
  const codes = await begin(service);
  assert.match(codes.user_code, /^[B-Z]{4}-[B-Z]{4}$/);
  assert.equal(codes.verification_uri, "http://svc.test/console/#/device");
  assert.equal((await poll(service, codes.device_code)).error, "authorization_pending");
  assert.equal((await poll(service, codes.device_code)).error, "slow_down", "sooner than its interval");
  later(10);
  assert.equal((await poll(service, codes.device_code)).error, "authorization_pending");
  assert.equal((await poll(service, codes.device_code, "other")).error, "expired_token", "another client");

  const typed = codes.user_code.toLowerCase().replace("-", " ");
  const { body: shown } = await person.send("POST", DEVICE, { code: typed });
  assert.deepEqual([shown.client, shown.redirectHost], ["svc, the command line", null]);
  const choice = { code: typed, scopes: ["memory:read"], maxSensitivity: "internal" };
  const both = await Promise.all([1, 2].map(() => person.send("POST", `${DEVICE}/allow`, choice)));
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 400], "one of two people decides");
  later(10);
  const got = await poll(service, codes.device_code);
  assert.match(got.access_token, /^svc_live_/);
  const { body: who } = await service.get("/v1/whoami", { key: got.access_token });
  assert.deepEqual([who.scopes, who.maxSensitivity, who.expiresAt], [["memory:read"], "internal", null]);
  assert.equal((await poll(service, codes.device_code)).error, "invalid_grant");
  assert.equal(
    (await service.get("/v1/whoami", { key: got.access_token })).status,
    401,
    "a code that counts twice ends it",
  );

  const denied = await begin(service);
  assert.equal((await person.send("POST", `${DEVICE}/deny`, { code: denied.user_code })).status, 200);
  assert.equal((await poll(service, denied.device_code)).error, "access_denied");
  assert.equal((await person.send("POST", `${DEVICE}/deny`, { code: denied.user_code })).status, 400);
  const contested = await begin(service);
  const decisions = await Promise.all([
    person.send("POST", `${DEVICE}/allow`, { ...choice, code: contested.user_code }),
    person.send("POST", `${DEVICE}/deny`, { code: contested.user_code }),
  ]);
  assert.deepEqual(decisions.map(({ status }) => status).sort(), [200, 400], "allowed or denied, and never both");
  const old = await begin(service);
  later(601);
  assert.equal((await poll(service, old.device_code)).error, "expired_token");
  assert.equal((await person.send("POST", DEVICE, { code: old.user_code })).status, 400);
  assert.equal((await begin(service, "unknown")).error, "invalid_client");
});

Deno.test("T77 nobody finds the code of a device by trying", async () => {
  await using service = await startService({ env: OAUTH_ENV });
  const person = await logIn(service);
  const statuses = [];
  for (let i = 0; i < 8; i++) statuses.push((await person.send("POST", DEVICE, { code: "BBBB-BBBB" })).status);
  assert.deepEqual([statuses[0], statuses.at(-1)], [400, 429]);
});

Deno.test("svc login gets a key that a person allows in the browser, which ends in the console", CONSOLE, async () => {
  await using console = await openConsole({ writing: true });
  const { page, service } = console;
  await using person = await Person.make();
  await using served = serve(service);
  const { url } = served;
  const child = person.start(["login", "--url", url]);
  const address = await child.told(/Open (\S+)/);
  await page.goto(address.replace(/^http:\/\/[^/]+/, console.url));
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("radio", { name: "read only" }).check();
  await console.check("device");
  await page.getByRole("button", { name: "Allow", exact: true }).click();
  await page.getByText("You can close this page").waitFor();
  const { code, stdout } = await child.ended;
  assert.deepEqual([code, stdout], [0, `Logged in to ${url}.\n`]);
  const path = join(person.home, ".config/svc/credentials");
  assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
  const who = JSON.parse((await person.svc(["whoami", "--json"])).stdout);
  assert.deepEqual([who.key.name, who.scopes], ["svc, the command line", ["memory:read", "tasks:read"]]);
  const again = await person.svc(["login", "--url", url]);
  assert.equal(again.code, 2);
  assert.match(again.stderr, /has a key already/);

  await console.go("/clients");
  await console.check("clients");
  await page.getByRole("row", { name: /command line/ }).getByRole("button", { name: "End…" }).click();
  await page.getByRole("button", { name: "End it" }).click();
  await page.getByText("No client is connected").waitFor();
  assert.equal((await person.svc(["whoami"])).code, 4);
});
