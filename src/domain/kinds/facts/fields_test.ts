import assert from "node:assert/strict";
import { hashFact, isLive, mergeCitations, statusAt } from "./fields.ts";

const BODY = {
  statement: "Caroline lives in Rome",
  subject: null,
  predicate: null,
  object: null,
  factType: "fact" as const,
};

Deno.test("the content hash looks past spacing and Unicode composition, at nothing else", () => {
  assert.equal(hashFact(BODY), hashFact({ ...BODY, statement: " Caroline  lives\nin Rome " }));
  assert.equal(hashFact({ ...BODY, statement: "caf\u00e9" }), hashFact({ ...BODY, statement: "cafe\u0301" }));
  assert.notEqual(hashFact(BODY), hashFact({ ...BODY, statement: "caroline lives in Rome" }));
  assert.notEqual(hashFact(BODY), hashFact({ ...BODY, object: "Rome" }));
  assert.notEqual(hashFact(BODY), hashFact({ ...BODY, factType: "preference" }));
});

Deno.test("a fact is expired from the very moment that its expiry names", () => {
  const expiresAt = new Date("2026-06-01T00:00:00.000Z");
  const before = new Date(expiresAt.getTime() - 1);
  const row = { validTo: null, body: { supersededBy: null } };
  assert.equal(statusAt({ ...row, status: "active", expiresAt }, before), "active");
  assert.equal(statusAt({ ...row, status: "active", expiresAt }, expiresAt), "expired");
  assert.equal(statusAt({ ...row, status: "archived", expiresAt }, expiresAt), "archived");
  assert.equal(isLive({ ...row, status: "contested", expiresAt: null }, expiresAt), true);
});

Deno.test("a fact is superseded from the very day on which another takes its place, and in force until then", () => {
  const validTo = new Date("2026-06-01T00:00:00.000Z");
  const row = { status: "active", expiresAt: null, validTo, body: { supersededBy: "another" } };
  assert.equal(statusAt(row, new Date(validTo.getTime() - 1)), "active");
  assert.equal(statusAt(row, validTo), "superseded");
  assert.equal(statusAt({ ...row, body: { supersededBy: null } }, validTo), "active", "it ended by itself");
});

Deno.test("citations join once for each message of a session and stay within bounds", () => {
  const known = [{ messageId: "m1" }, { messageId: "m2", sessionId: "s" }];
  const merged = mergeCitations(
    known,
    [{ messageId: "m1", quote: "again" }, { messageId: "m2" }, { messageId: "m2" }],
    100,
  );
  assert.deepEqual(merged.map((citation) => citation.messageId), ["m1", "m2", "m2"]);
  assert.equal(mergeCitations(known, [{ messageId: "m3" }], 2).length, 2);
});
