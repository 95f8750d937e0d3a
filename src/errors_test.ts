import assert from "node:assert/strict";
import { ERROR_CODES, type ErrorCode, ServiceError } from "./errors.ts";

Deno.test("unavailable always says when to come back, 1 second where the thrower does not say", () => {
  assert.equal(new ServiceError("unavailable", "No").headers["retry-after"], "1");
  const later = { headers: { "retry-after": "5", "x-of-its-own": "a" } };
  assert.deepEqual(new ServiceError("unavailable", "No", later).headers, later.headers);
  assert.deepEqual(new ServiceError("unavailable", "No", { headers: { allow: "GET" } }).headers, {
    "retry-after": "1",
    allow: "GET",
  });
});

Deno.test("no other code says when to come back by itself", () => {
  for (const code of Object.keys(ERROR_CODES) as ErrorCode[]) {
    if (code !== "unavailable") assert.deepEqual(new ServiceError(code, "No").headers, {}, code);
  }
});

Deno.test("the message of a 429 says when to try again, as its header does", () => {
  const after = (seconds: string) =>
    new ServiceError("rate_limited", "Cannot begin: too many", { headers: { "retry-after": seconds } }).message;
  assert.equal(after("1"), "Cannot begin: too many; try again in 1 second");
  assert.equal(after("42"), "Cannot begin: too many; try again in 42 seconds");
  assert.equal(new ServiceError("rate_limited", "The client is too slow").message, "The client is too slow");
  const other = { headers: { "retry-after": "5" } };
  assert.equal(new ServiceError("unavailable", "Cannot serve yet", other).message, "Cannot serve yet");
});
