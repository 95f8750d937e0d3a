import { deepEqual, equal, throws } from "node:assert/strict";
import { advancePeer, backoffMs, type PeerEvent, type PeerStanding, PENDING_MAX } from "./peer_state.ts";

const START = Date.parse("2026-03-01T12:00:00.000Z");
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const at = (ms: number) => new Date(START + ms);
const never = () => 0;
const TIMEOUT: PeerEvent = { kind: "failed", code: "timeout", message: "Cannot reach the peer" };
const REFUSED: PeerEvent = { kind: "refused", code: "federation_token_invalid", message: "The peer refuses us" };

/** Applies events to a peer, each `[ms since the start, event]`; returns its row and what was reported. */
function follow(...events: [number, PeerEvent][]) {
  let row: PeerStanding | undefined;
  const told: string[] = [];
  for (const [ms, event] of events) {
    const { changes, effects } = advancePeer(row, event, at(ms), never);
    row = { ...row!, ...changes };
    told.push(...effects.map((effect) => effect.kind === "tell" ? effect.audit : effect.kind));
  }
  return { row: row!, told };
}

const CONFIGURED: [number, PeerEvent] = [0, { kind: "configured" }];
const GREETED: [number, PeerEvent] = [0, { kind: "greeted" }];

Deno.test("T43 a peer that DNS names or somebody adds waits for approval; an operator's and a configured peer does not", () => {
  const found = follow([0, { kind: "found", pending: 0 }]);
  deepEqual([found.row.state, found.row.source, found.row.approvedAt, found.row.nextAttemptAt], [
    "DISCOVERED",
    "srv",
    null,
    null,
  ]);
  deepEqual(found.told, ["federation.peer_discovered"]);
  deepEqual(advancePeer(undefined, { kind: "found", pending: PENDING_MAX }, at(0), never), {
    changes: {},
    effects: [],
  });
  equal(follow([0, { kind: "added" }]).row.state, "DISCOVERED");
  const added = follow([0, { kind: "added", by: "cli" }]).row;
  deepEqual([added.state, added.source, added.approvedBy, added.nextAttemptAt], ["HANDSHAKE", "stored", "cli", at(0)]);
  const configured = follow(CONFIGURED).row;
  deepEqual([configured.state, configured.source, configured.approvedBy], ["HANDSHAKE", "config", "config"]);
});

Deno.test("T43 a peer that DNS named is approved with its pin, or not at all", () => {
  const found = follow([0, { kind: "found", pending: 0 }]).row;
  const bare = { kind: "approved", by: "key:x", hasPin: false } as const;
  throws(() => advancePeer(found, bare, at(1), never), { code: "validation_failed" });
  const { changes } = advancePeer(found, { ...bare, hasPin: true }, at(1), never);
  deepEqual([changes.state, changes.approvedAt, changes.approvedBy, changes.nextAttemptAt], [
    "HANDSHAKE",
    at(1),
    "key:x",
    at(1),
  ]);
  // A person who adds a peer by hand vouches for it.
  const added = follow([0, { kind: "added" }]).row;
  equal(advancePeer(added, bare, at(1), never).changes.state, "HANDSHAKE");
  const approved = follow(CONFIGURED).row;
  throws(() => advancePeer(approved, bare, at(1), never), { code: "invalid_transition" });
});

Deno.test("T43 a peer that is not approved is changed by nothing that arrives from it or fails", () => {
  const { row } = follow([0, { kind: "found", pending: 0 }]);
  for (const event of [TIMEOUT, REFUSED, { kind: "greeted" }, { kind: "heard" }] as PeerEvent[]) {
    deepEqual(advancePeer(row, event, at(DAY), never), { changes: {}, effects: [] });
  }
});

Deno.test("T43 a peer that DNS named and that nobody approved is forgotten when DNS has not named it for a day", () => {
  const { row } = follow([0, { kind: "found", pending: 0 }]);
  deepEqual(advancePeer(row, { kind: "passed", seenAt: at(0) }, at(DAY - 1), never).effects, []);
  deepEqual(advancePeer(row, { kind: "passed", seenAt: at(0) }, at(DAY), never).effects, [{ kind: "forget" }]);
  const added = follow([0, { kind: "added" }]).row;
  deepEqual(advancePeer(added, { kind: "passed", seenAt: at(0) }, at(9 * DAY), never).effects, []);
});

Deno.test("F18 attempts come 30 s, 2 min, 10 min, 30 min, 1 h and 1 h after the failure before", () => {
  let { row } = follow(CONFIGURED, GREETED);
  deepEqual([row.state, row.failures], ["ACTIVE", 0]);
  let now = 0;
  const waits = [];
  for (let i = 0; i < 7; i++) {
    row = { ...row, ...advancePeer(row, TIMEOUT, at(now), never).changes };
    const wait = row.nextAttemptAt!.getTime() - at(now).getTime();
    waits.push(wait);
    now += wait;
    equal(row.state, "DEGRADED");
  }
  deepEqual(waits, [30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, HOUR, HOUR]);
  deepEqual(row.degradedAt, at(0));
  equal(row.failures, 7);
});

Deno.test("F18 a peer that greets well and then fails or refuses waits longer each time, until a turn comes to its end", () => {
  for (const [event, first] of [[TIMEOUT, 30 * SECOND], [REFUSED, 0]] as [PeerEvent, number][]) {
    let { row } = follow(CONFIGURED, GREETED);
    const waits = [];
    for (let i = 0; i < 5; i++) {
      const { changes } = advancePeer({ ...row, state: "ACTIVE" }, event, at(0), never);
      waits.push(changes.nextAttemptAt!.getTime() - at(0).getTime());
      row = { ...row, ...changes, ...advancePeer({ ...row, ...changes }, { kind: "greeted" }, at(0), never).changes };
      equal(row.state, "ACTIVE");
    }
    const steps = [30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR];
    deepEqual(waits, first === 0 ? [0, ...steps.slice(0, 4)] : steps);
    const level = { failures: 0, degradedAt: null, isStale: false };
    deepEqual(advancePeer(row, { kind: "level" }, at(0), never), { changes: level, effects: [] });
  }
  deepEqual(advancePeer(follow(CONFIGURED, GREETED).row, { kind: "level" }, at(0), never).changes, {});
});

Deno.test("F18 up to a tenth is added to a wait, so that peers that failed together do not come back together", () => {
  const { row } = follow(CONFIGURED, GREETED);
  for (const [random, wait] of [[0, 30_000], [0.5, 31_500], [0.999999, 33_000]]) {
    deepEqual(advancePeer(row, TIMEOUT, at(0), () => random).changes.nextAttemptAt, at(wait));
  }
  equal(backoffMs(0), 30 * SECOND);
});

Deno.test("F18 a peer that is not reached in its first handshake is tried in the same steps and keeps its state", () => {
  const { row, told } = follow(CONFIGURED, [0, TIMEOUT], [30 * SECOND, TIMEOUT]);
  deepEqual([row.state, row.failures, row.nextAttemptAt], ["HANDSHAKE", 2, at(30 * SECOND + 2 * MINUTE)]);
  deepEqual(told, ["federation.peer_added"]);
  deepEqual(row.lastError, { code: "timeout", message: "Cannot reach the peer", at: at(30 * SECOND).toISOString() });
});

Deno.test("F18 a peer is stale once, a day after the last success, and no more when it is back", () => {
  const { row } = follow(CONFIGURED, GREETED, [MINUTE, TIMEOUT]);
  const before = advancePeer(row, { kind: "passed", seenAt: null }, at(MINUTE + DAY - 1), never);
  deepEqual(before, { changes: {}, effects: [] });
  for (const event of [TIMEOUT, { kind: "passed", seenAt: null }] as PeerEvent[]) {
    const then = advancePeer(row, event, at(MINUTE + DAY), never);
    equal(then.changes.isStale, true);
    deepEqual(then.effects, [{ kind: "tell", audit: "federation.peer_stale", feed: "peer.stale" }, { kind: "alert" }]);
    const stale = { ...row, ...then.changes };
    deepEqual(advancePeer(stale, event, at(2 * DAY), never).effects, []);
    const greeted = { ...stale, ...advancePeer(stale, { kind: "greeted" }, at(2 * DAY), never).changes };
    deepEqual([greeted.state, greeted.isStale], ["ACTIVE", true]);
    const back = advancePeer(greeted, { kind: "level" }, at(2 * DAY), never);
    deepEqual([back.changes.isStale, back.changes.degradedAt], [false, null]);
    deepEqual(back.effects, [{ kind: "tell", audit: "federation.peer_recovered", feed: "peer.recovered" }]);
  }
  // A peer that was never reached becomes stale a day after its approval.
  const never1 = follow(CONFIGURED, [0, TIMEOUT], [DAY, TIMEOUT]);
  deepEqual([never1.row.state, never1.row.isStale], ["HANDSHAKE", true]);
});

Deno.test("F18 T42 a peer that greets well and whose turns never come to their end is stale after a day, once", () => {
  for (const event of [TIMEOUT, REFUSED, { kind: "throttled", retryAfterMs: HOUR }] as PeerEvent[]) {
    let { row } = follow(CONFIGURED, GREETED);
    const told: string[] = [];
    for (let now = 0; now <= 2 * DAY; now += 10 * MINUTE) {
      for (const next of [event, { kind: "greeted" }] as PeerEvent[]) {
        const { changes, effects } = advancePeer(row, next, at(now), never);
        row = { ...row, ...changes };
        told.push(...effects.flatMap((effect) => effect.kind === "tell" ? [effect.audit] : []));
        equal(row.isStale, now >= DAY, `${event.kind} after ${now} ms`);
      }
    }
    equal(told.filter((audit) => audit === "federation.peer_stale").length, 1);
    const back = advancePeer(row, { kind: "level" }, at(2 * DAY), never);
    deepEqual([back.changes.isStale, back.effects.length], [false, 1]);
  }
});

Deno.test("F18 the attempt that finds a peer stale comes when the day is over, not up to an hour later", () => {
  const { row } = follow(CONFIGURED, GREETED, ...Array.from({ length: 6 }, (): [number, PeerEvent] => [0, TIMEOUT]));
  const half = DAY - 30 * MINUTE;
  deepEqual(advancePeer(row, TIMEOUT, at(half), never).changes.nextAttemptAt, at(DAY));
  deepEqual(advancePeer(row, TIMEOUT, at(DAY), never).changes.nextAttemptAt, at(DAY + HOUR));
  deepEqual(advancePeer({ ...row, isStale: true }, TIMEOUT, at(half), never).changes.nextAttemptAt, at(half + HOUR));
});

Deno.test("a peer that refuses us is greeted anew at once, and is stale a day after that, not a day after its approval", () => {
  const { row, told } = follow(CONFIGURED, GREETED, [90 * DAY, REFUSED]);
  deepEqual([row.state, row.nextAttemptAt, row.isStale], ["HANDSHAKE", at(90 * DAY), false]);
  equal(told.at(-1), "federation.peer_refused_us");
  const again = advancePeer(row, REFUSED, at(90 * DAY), never).changes;
  deepEqual([again.state, again.failures, again.isStale], ["HANDSHAKE", 2, undefined]);
  equal(advancePeer(row, REFUSED, at(91 * DAY), never).changes.isStale, true);
});

Deno.test("a peer that asks us to wait keeps its state and is asked when it said, within ten minutes", () => {
  const { row } = follow(CONFIGURED, GREETED);
  for (const [asked, wait] of [[0, SECOND], [30 * SECOND, 30 * SECOND], [DAY, 10 * MINUTE]]) {
    const { changes, effects } = advancePeer(row, { kind: "throttled", retryAfterMs: asked }, at(0), never);
    deepEqual([changes, effects], [{ nextAttemptAt: at(wait), degradedAt: at(0) }, []]);
  }
});

Deno.test("F18 an outage ends at the peer's first sign of life, not at the end of the hour", () => {
  const { row } = follow(CONFIGURED, GREETED, ...Array.from({ length: 6 }, (): [number, PeerEvent] => [0, TIMEOUT]));
  deepEqual(row.nextAttemptAt, at(HOUR));
  deepEqual(advancePeer(row, { kind: "heard" }, at(10 * MINUTE), never).changes, { nextAttemptAt: at(10 * MINUTE) });
  // A peer that can call us but cannot be called does not make us call it without end.
  deepEqual(advancePeer(row, { kind: "heard" }, at(SECOND), never).changes, { nextAttemptAt: at(5 * SECOND) });
  deepEqual(advancePeer(follow(CONFIGURED, GREETED).row, { kind: "heard" }, at(MINUTE), never).changes, {});
});

Deno.test("T41 a wrong pin is a failure like others, and stands in the audit log each time", () => {
  const WRONG_PIN: PeerEvent = { kind: "failed", code: "pin_mismatch", message: "Another certificate came" };
  const { row, told } = follow(CONFIGURED, GREETED, [0, WRONG_PIN], [30 * SECOND, WRONG_PIN]);
  equal(row.state, "DEGRADED");
  deepEqual(told.slice(2), [
    "federation_cert_pin_mismatch",
    "federation.peer_degraded",
    "federation_cert_pin_mismatch",
  ]);
});

Deno.test("T43 a peer that was removed is changed by nothing any more", () => {
  const { row, told } = follow(CONFIGURED, GREETED, [MINUTE, { kind: "removed" }]);
  deepEqual([row.removedAt, row.nextAttemptAt], [at(MINUTE), null]);
  deepEqual(told.slice(-3), ["federation.peer_removed", "wipe", "disconnect"]);
  const events: PeerEvent[] = [
    TIMEOUT,
    REFUSED,
    { kind: "greeted" },
    { kind: "heard" },
    { kind: "found", pending: 0 },
    {
      kind: "approved",
      by: "key:x",
      hasPin: true,
    },
    { kind: "removed" },
    { kind: "configured" },
  ];
  for (const event of events) deepEqual(advancePeer(row, event, at(DAY), never), { changes: {}, effects: [] });
});
