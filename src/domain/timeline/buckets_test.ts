import assert from "node:assert/strict";
import { type Bucket, nextOf, startOf, startsBetween, zoneOf } from "./buckets.ts";

function starts(bucket: Bucket, from: string, to: string, zone: string): string[] {
  return startsBetween(bucket, Date.parse(from), Date.parse(to), zoneOf(zone)!, 1_000)!
    .map((ms) => new Date(ms).toISOString());
}

Deno.test("days begin at the zone's midnight, also around a change of clocks", () => {
  assert.deepEqual(starts("day", "2026-03-28T12:00:00Z", "2026-03-30T12:00:00Z", "Europe/Rome"), [
    "2026-03-27T23:00:00.000Z",
    "2026-03-28T23:00:00.000Z",
    "2026-03-29T22:00:00.000Z",
  ]);
  assert.deepEqual(starts("day", "2026-10-24T22:00:00Z", "2026-10-26T00:00:00Z", "Europe/Rome"), [
    "2026-10-24T22:00:00.000Z",
    "2026-10-25T23:00:00.000Z",
  ]);
});

Deno.test("an hour that comes twice is two hours, and half an hour set back makes one longer", () => {
  assert.equal(starts("hour", "2026-10-25T00:00:00Z", "2026-10-25T03:00:00Z", "Europe/Rome").length, 3);
  assert.deepEqual(starts("hour", "2026-04-04T14:00:00Z", "2026-04-04T17:00:00Z", "Australia/Lord_Howe"), [
    "2026-04-04T14:00:00.000Z",
    "2026-04-04T15:30:00.000Z",
    "2026-04-04T16:30:00.000Z",
  ]);
  assert.deepEqual(starts("hour", "2026-01-01T00:10:00Z", "2026-01-01T01:40:00Z", "Asia/Kolkata"), [
    "2025-12-31T23:30:00.000Z",
    "2026-01-01T00:30:00.000Z",
    "2026-01-01T01:30:00.000Z",
  ]);
});

Deno.test("a day begins later where clocks skip its midnight, and once where midnight comes twice", () => {
  // Santiago goes from 24:00 to 01:00 in September, Havana from 01:00 back to 00:00 in November.
  assert.deepEqual(starts("day", "2025-09-06T12:00:00Z", "2025-09-08T12:00:00Z", "America/Santiago"), [
    "2025-09-06T04:00:00.000Z",
    "2025-09-07T04:00:00.000Z",
    "2025-09-08T03:00:00.000Z",
  ]);
  assert.deepEqual(starts("day", "2025-11-01T12:00:00Z", "2025-11-03T12:00:00Z", "America/Havana"), [
    "2025-11-01T04:00:00.000Z",
    "2025-11-02T04:00:00.000Z",
    "2025-11-03T05:00:00.000Z",
  ]);
  // Apia had no 30 December 2011.
  assert.deepEqual(starts("day", "2011-12-29T12:00:00Z", "2012-01-01T00:00:00Z", "Pacific/Apia").length, 3);
});

Deno.test("weeks begin on Monday, months on their first", () => {
  assert.deepEqual(starts("week", "2026-01-04T12:00:00Z", "2026-01-13T00:00:00Z", "UTC"), [
    "2025-12-29T00:00:00.000Z",
    "2026-01-05T00:00:00.000Z",
    "2026-01-12T00:00:00.000Z",
  ]);
  assert.deepEqual(starts("month", "2024-01-31T23:30:00Z", "2024-04-01T00:00:00Z", "+01:00"), [
    "2024-01-31T23:00:00.000Z",
    "2024-02-29T23:00:00.000Z",
    "2024-03-31T23:00:00.000Z",
  ]);
});

Deno.test("a time lies in the span that it begins, in every zone", () => {
  const zones = ["UTC", "Europe/Rome", "America/St_Johns", "Asia/Kathmandu", "Australia/Lord_Howe", "-03:30"];
  for (const name of zones) {
    const zone = zoneOf(name)!;
    for (const bucket of ["hour", "day", "week", "month"] as const) {
      for (let i = 0; i < 200; i++) {
        const ms = Date.UTC(1990, 0, 1) + i * 2_345_678_901;
        const start = startOf(bucket, ms, zone);
        assert.ok(start <= ms && ms < nextOf(bucket, start, zone), `${name} ${bucket} ${new Date(ms).toISOString()}`);
      }
    }
  }
});

Deno.test("unknown zones are none", () => {
  for (const name of ["Mars/Olympus", "+25:00", "+02:75", "", "+2"]) assert.equal(zoneOf(name), undefined);
});
