/** The page that a refusal names: it exists for every code, says what to do, and needs no key. */
import assert from "node:assert/strict";
import { ERROR_CODES } from "../../src/errors.ts";
import { startService } from "../_service.ts";

Deno.test("a refusal names a page, which a person without a key can read, and every code has one", async () => {
  await using service = await startService({ embedded: true });
  const fetch = (path: string) => service.service.fetch(new Request(new URL(path, "http://svc.test")));
  const { code, help } = await (await fetch("/v1/memory/facts")).json();
  assert.equal(code, "unauthenticated");
  const list = await (await fetch("/v1/errors")).text();
  for (const [each, { status }] of Object.entries(ERROR_CODES)) {
    const path = `/v1/errors/${each}`;
    if (each === code) assert.equal(help, path);
    assert.ok(list.includes(`href="${path}"`), each);
    const page = await fetch(path);
    assert.equal(page.status, 200);
    assert.match(page.headers.get("content-type")!, /^text\/html/);
    assert.match(page.headers.get("content-security-policy")!, /^default-src 'none'/);
    const html = await page.text();
    assert.ok(html.includes(`<code>${each}</code>, HTTP status ${status}`), each);
    assert.doesNotMatch(html, /<script|undefined|`/);
  }
  const unknown = await fetch("/v1/errors/%3Cscript%3E");
  assert.equal(unknown.status, 404);
  assert.equal(unknown.headers.get("content-type"), "application/problem+json");
});
