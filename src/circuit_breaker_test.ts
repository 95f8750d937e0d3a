import assert from "node:assert/strict";
import { type CallOutcome, CircuitBreaker } from "./circuit_breaker.ts";

function fixture() {
  let time = 0;
  const breaker = new CircuitBreaker({ failuresMax: 3, cooldownMs: 100, cooldownMsMax: 300, now: () => time });
  const call = (outcome: CallOutcome) => {
    const leave = breaker.enter();
    leave?.(outcome);
    return leave !== null;
  };
  return { breaker, call, pass: (ms: number) => void (time += ms) };
}

Deno.test("three failures in a row open the circuit, and a success between them does not", () => {
  const { breaker, call } = fixture();
  for (const kind of ["failed", "failed", "ok", "failed", "failed", "unknown"] as const) call({ kind });
  assert.equal(breaker.open, false);
  call({ kind: "failed" });
  assert.equal(breaker.open, true);
  assert.equal(call({ kind: "ok" }), false);
});

Deno.test("after the cooldown one probe at a time goes through, and a success closes the circuit", () => {
  const { breaker, call, pass } = fixture();
  for (let i = 0; i < 3; i++) call({ kind: "failed" });
  pass(99);
  assert.equal(breaker.enter(), null);
  pass(1);
  const probe = breaker.enter();
  assert.ok(probe);
  assert.equal(breaker.enter(), null);
  probe({ kind: "ok" });
  assert.equal(breaker.closed, true);
});

Deno.test("each failed probe doubles the cooldown up to its bound", () => {
  const { call, pass } = fixture();
  for (let i = 0; i < 3; i++) call({ kind: "failed" });
  for (const cooldownMs of [100, 200, 300, 300]) {
    pass(cooldownMs - 1);
    assert.equal(call({ kind: "failed" }), false);
    pass(1);
    assert.equal(call({ kind: "failed" }), true);
  }
});

Deno.test("an endpoint's own wish opens the circuit at once, up to the bound", () => {
  const { breaker, call, pass } = fixture();
  call({ kind: "failed", retryAfterMs: 3_600_000 });
  pass(299);
  assert.equal(breaker.open, true);
  pass(1);
  assert.equal(breaker.open, false);
});
