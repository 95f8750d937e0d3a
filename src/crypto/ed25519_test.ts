import assert from "node:assert/strict";
import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { readPublicKey, readSigningKey, verifySignature } from "./ed25519.ts";
import { isSignedBy, readCheckpoint, writeCheckpoint } from "./signed_note.ts";

/** RFC 8032 §7.1, tests 1 to 3: seed, public key, message, signature. */
const VECTORS = [
  [
    "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
    "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
    "",
    "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
  ],
  [
    "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
    "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
    "72",
    "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
  ],
  [
    "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
    "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
    "af82",
    "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
  ],
];

function pemOfSeed(seed: string): string {
  const der = Uint8Array.fromHex(`302e020100300506032b657004220420${seed}`);
  return createPrivateKey({ key: der as never, format: "der", type: "pkcs8" })
    .export({ format: "pem", type: "pkcs8" }) as string;
}

Deno.test("signing and verifying give the vectors of RFC 8032", () => {
  for (const [seed, publicKey, message, signature] of VECTORS) {
    const key = readSigningKey(pemOfSeed(seed));
    const bytes = Uint8Array.fromHex(message);
    assert.equal(key.publicKey.toHex(), publicKey);
    assert.equal(key.sign(bytes).toHex(), signature);
    assert.ok(verifySignature(Uint8Array.fromHex(signature), bytes, key.publicKey));
    assert.ok(!verifySignature(Uint8Array.fromHex(signature), new Uint8Array([...bytes, 0]), key.publicKey));
    assert.ok(!verifySignature(new Uint8Array(63), bytes, key.publicKey));
  }
});

Deno.test("T31 a key of low order verifies nothing and is refused when it is read", () => {
  const identity = new Uint8Array(32).with(0, 1);
  const signature = new Uint8Array([...identity, ...new Uint8Array(32)]);
  assert.ok(!verifySignature(signature, new Uint8Array(), identity));
  const der = Uint8Array.fromHex(`302a300506032b6570032100${identity.toHex()}`).toBase64();
  const pem = `-----BEGIN PUBLIC KEY-----\n${der}\n-----END PUBLIC KEY-----\n`;
  assert.throws(() => readPublicKey(pem), { code: "validation_failed" });
});

Deno.test("a key of another kind, or none, is refused", () => {
  const { privateKey, publicKey } = generateKeyPairSync("x25519");
  const pem = privateKey.export({ format: "pem", type: "pkcs8" }) as string;
  assert.throws(() => readSigningKey(pem), { code: "validation_failed" });
  assert.throws(() => readPublicKey(publicKey.export({ format: "pem", type: "spki" }) as string));
  assert.throws(() => readSigningKey("no key"), { code: "validation_failed" });
  const own = generateKeyPairSync("ed25519").privateKey.export({ format: "pem", type: "pkcs8" }) as string;
  assert.throws(() => readPublicKey(own), { code: "validation_failed" }, "a private key holds a public one");
});

Deno.test("a checkpoint is read back, and its signature holds for its signer and its text alone", () => {
  const key = readSigningKey(pemOfSeed(VECTORS[0][0]));
  const other = readSigningKey(pemOfSeed(VECTORS[1][0]));
  const checkpoint = { origin: "svc.test/audit/1", size: 42, root: new Uint8Array(32).fill(7) };
  const note = writeCheckpoint(checkpoint, { name: "svc.test", key });
  assert.deepEqual(readCheckpoint(note), checkpoint);
  assert.ok(isSignedBy(note, key.publicKey));
  assert.ok(!isSignedBy(note, other.publicKey));
  assert.ok(!isSignedBy(note.replace("\n42\n", "\n43\n"), key.publicKey));
  assert.ok(!isSignedBy(note.replace("— svc.test", "— svc.best"), key.publicKey));
  const unsigned = writeCheckpoint(checkpoint, undefined);
  assert.deepEqual(readCheckpoint(unsigned), checkpoint);
  assert.ok(!isSignedBy(unsigned, key.publicKey));
});
