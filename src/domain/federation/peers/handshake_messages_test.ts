import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { readPublicKey, readSigningKey, type SigningKey } from "../../../crypto/ed25519.ts";
import { Answer, Challenge, Hello } from "../../../schema/federation_handshake.ts";
import {
  checkChallenge,
  clockFault,
  digestOf,
  isGoodAnswer,
  makeAnswer,
  makeChallenge,
  makeHello,
  toBytes,
} from "./handshake_messages.ts";

/** The keys of the first two test vectors of RFC 8032. */
const A = keyOf("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60");
const B = keyOf("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb");
const NOW = new Date("2026-09-21T14:13:20.000Z");
const PARTIES = {
  from: "instance:a.example",
  to: "instance:b.example",
  workspace: "01990000-0000-7000-8000-00000000000a",
};
const BACK = { ...PARTIES, from: PARTIES.to, to: PARTIES.from };
const SAID = {
  region: "eu-west-1",
  direction: "bidirectional",
  conflictResolution: "ours_wins",
  provesReplies: true,
} as const;
const SECRET = new Uint8Array(32).fill(7);

/** Messages that independent code made, with node:crypto and `canonicalize`. */
const VECTORS = {
  hello:
    '{"capabilities":["digest-1","push-1","reply-token"],"direction":"bidirectional","from":"instance:a.example","nonce":"AQEBAQEBAQEBAQEBAQEBAQ","region":"eu-west-1","sentAt":"2026-09-21T14:13:20.000Z","to":"instance:b.example","type":"hello","v":1,"workspace":"01990000-0000-7000-8000-00000000000a"}',
  challenge:
    '{"v":1,"type":"challenge","from":"instance:b.example","to":"instance:a.example","workspace":"01990000-0000-7000-8000-00000000000a","hello":"30GoHTa2ulZyeajIn0xffZ26oCsUb0ssGNE20KPXLQk","nonce":"AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI","expiresAt":"2026-09-21T14:14:20.000Z","region":"eu-west-1","direction":"bidirectional","capabilities":["digest-1","push-1","reply-token"],"time":"2026-09-21T14:13:20.000Z","youAre":{"address":"203.0.113.7","certificatePin":null},"keyId":"deb2ded39dc26fce","signature":"9eyZZDh3BoTyBclK705xPv_jIn9WrLP8gedUmoHHYtB82zBwGWIpy3vUCvhduDNMXooZ13DFm5CpS9HFZXJkAw"}',
  answer:
    '{"v":1,"type":"answer","from":"instance:a.example","to":"instance:b.example","workspace":"01990000-0000-7000-8000-00000000000a","nonce":"AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI","expiresAt":"2026-09-21T14:14:20.000Z","hello":"30GoHTa2ulZyeajIn0xffZ26oCsUb0ssGNE20KPXLQk","challenge":"b9WNfXxyxCxbkHR98kuSWPp_K-w49NgsGUYFKEgJSVM","keyId":"06e3fd8fda29bb60","signature":"gby1BVJkl6XmtByp-cssx5CPHIczScf89T9EP0b_mxrq7h0PplXhCMImy3xzc89vQk9YYO4iGoOXrSY2m_t5Bg"}',
};

function keyOf(seed: string): SigningKey {
  const pkcs8 = Uint8Array.fromHex(`302e020100300506032b657004220420${seed}`).toBase64();
  return readSigningKey(`-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----`);
}

function keysOf(key: SigningKey) {
  return [{ keyId: key.keyId, publicKey: key.publicKey }];
}

function exchange(
  { now = NOW, ...keys }: { now?: Date; key?: SigningKey | undefined; by?: SigningKey | undefined } = {},
) {
  const { key, by } = { key: B, by: A, ...keys };
  const hello = toBytes(makeHello(PARTIES, SAID, NOW));
  const challenge = makeChallenge({
    parties: BACK,
    said: SAID,
    hello: digestOf(hello),
    youAre: { address: "203.0.113.7", certificatePin: null },
    now,
    secret: SECRET,
    key,
  });
  return { hello: digestOf(hello), challenge, answer: makeAnswer(challenge, toBytes(challenge), by) };
}

const between = [NOW, NOW] as const;

Deno.test("T25 the handshake's messages are those of the vectors that other code made", () => {
  const hello = new TextEncoder().encode(VECTORS.hello);
  const challenge = new TextEncoder().encode(VECTORS.challenge);
  Hello.parse(JSON.parse(VECTORS.hello));
  const read = Challenge.parse(JSON.parse(VECTORS.challenge));
  equal(checkChallenge(read, { parties: PARTIES, hello: digestOf(hello), keys: keysOf(B), between }), 0);
  deepEqual(makeAnswer(read, challenge, A), Answer.parse(JSON.parse(VECTORS.answer)));
});

Deno.test("both sides of a handshake accept what the other made, and each message has the declared shape", () => {
  const { hello, challenge, answer } = exchange();
  Challenge.parse(challenge);
  Answer.parse(answer);
  deepEqual(challenge.capabilities, ["digest-1", "plain-1", "push-1", "reply-token", "settles-ours-wins"]);
  equal(checkChallenge(challenge, { parties: PARTIES, hello, keys: keysOf(B), between }), 0);
  ok(isGoodAnswer(answer, { keys: keysOf(A), secret: SECRET, now: NOW }));
});

Deno.test("where a side has no key, or the other does not know it, nothing is signed or checked but what the messages name", () => {
  const { hello, challenge, answer } = exchange({ key: undefined, by: undefined });
  deepEqual([challenge.signature, answer.signature], [undefined, undefined]);
  Challenge.parse(challenge);
  Answer.parse(answer);
  equal(checkChallenge(challenge, { parties: PARTIES, hello, keys: [], between }), 0);
  throws(() => checkChallenge(challenge, { parties: PARTIES, hello, keys: keysOf(B), between }), {
    code: "federation_verify_failed",
  });
  const judge = (keys: ReturnType<typeof keysOf>, changed: Partial<Answer> = {}) =>
    isGoodAnswer({ ...answer, ...changed }, { keys, secret: SECRET, now: NOW });
  ok(judge([]));
  ok(!judge(keysOf(A)));
  ok(!judge([], { nonce: "A".repeat(43) }), "a challenge that nobody here made");
});

Deno.test("T26 a challenge of another key, for another hello, other parties or altered is refused", () => {
  const { hello, challenge } = exchange();
  const check = (changed: Partial<Challenge>, keys = keysOf(B), parties = PARTIES) =>
    checkChallenge({ ...challenge, ...changed }, { parties, hello, keys, between });
  throws(() => check({}, keysOf(A)), { code: "federation_verify_failed" });
  throws(() => check({}, [{ keyId: B.keyId, publicKey: A.publicKey }]), { code: "federation_verify_failed" });
  throws(() => check({ keyId: undefined, signature: undefined }), { code: "federation_verify_failed" });
  throws(() => check({ region: "us-east-1" }), { code: "federation_verify_failed" });
  throws(() => check({ capabilities: [] }), { code: "federation_verify_failed" });
  throws(() => check({ signature: "A".repeat(86) }), { code: "federation_verify_failed" });
  throws(() => check({ hello: digestOf(new Uint8Array()) }), { code: "handshake_failed" });
  throws(() => check({}, keysOf(B), { ...PARTIES, to: "instance:c.example" }), { code: "handshake_failed" });
  throws(() => check({}, keysOf(B), { ...PARTIES, workspace: "01990000-0000-7000-8000-00000000000b" }), {
    code: "handshake_failed",
  });
});

Deno.test("F20 the difference of the clocks is measured to within half a round trip, and more than 30 s is a fault", () => {
  const skewOf = (aheadMs: number, tookMs: number) => {
    const { hello, challenge } = exchange({ now: new Date(NOW.getTime() + aheadMs) });
    const between = [NOW, new Date(NOW.getTime() + tookMs)] as const;
    return checkChallenge(challenge, { parties: PARTIES, hello, keys: keysOf(B), between });
  };
  equal(skewOf(4_000, 8_000), 0);
  for (const ms of [30_000, -30_000]) equal(clockFault(skewOf(ms, 0)), undefined);
  for (const ms of [30_001, -30_001]) equal(clockFault(skewOf(ms, 0))?.code, "clock");
  equal(clockFault(412_000)?.message, "The clocks are 412 s apart: set the one that is wrong");
});

Deno.test("T26 an answer to a challenge that nobody here made, altered, of another key or late is refused", () => {
  const { answer } = exchange();
  const other = { ...PARTIES, workspace: "01990000-0000-7000-8000-00000000000b" };
  const judge = (changed: Partial<Answer>, { keys = keysOf(A), secret = SECRET, now = NOW } = {}) =>
    isGoodAnswer({ ...answer, ...changed }, { keys, secret, now });
  ok(judge({}, { now: new Date(NOW.getTime() + 60_000) }));
  ok(!judge({}, { now: new Date(NOW.getTime() + 60_001) }));
  ok(!judge({}, { secret: new Uint8Array(32).fill(8) }));
  ok(!judge({}, { keys: keysOf(B) }));
  ok(!judge({}, { keys: [{ keyId: A.keyId, publicKey: B.publicKey }] }));
  ok(!judge({ challenge: digestOf(new Uint8Array()) }));
  // The peer signs these itself, but answers no challenge of ours: the MAC in the nonce is wrong.
  const resign = (changed: Partial<Challenge>) => {
    const challenge = { ...exchange().challenge, ...changed };
    return makeAnswer(challenge, toBytes(challenge), A);
  };
  ok(!judge(resign({ expiresAt: "2027-01-01T00:00:00.000Z" })));
  ok(!judge(resign({ workspace: other.workspace })));
  ok(!judge(resign({ hello: digestOf(new Uint8Array()) })));
  ok(!judge(resign({ nonce: digestOf(new Uint8Array([1])) })));
  ok(judge(resign({})));
});

Deno.test("an id and a public key in PEM name the key that signs", () => {
  const pem = `-----BEGIN PUBLIC KEY-----\n${
    Uint8Array.fromHex("302a300506032b6570032100" + A.publicKey.toHex()).toBase64()
  }\n-----END PUBLIC KEY-----`;
  deepEqual([A.keyId, readPublicKey(pem).toHex()], ["06e3fd8fda29bb60", A.publicKey.toHex()]);
});
