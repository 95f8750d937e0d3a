/** RFC 6238, appendix B: the vectors for otpauth's three algorithms, and for the used six digits. docs/reference/guarantees.md T21. */
import assert from "node:assert/strict";
import { Secret, TOTP } from "otpauth";
import { generateTotpSecret, matchTotp, totpCode, totpUri } from "./totp.ts";

const DIGITS = "1234567890";
const KEYS = { SHA1: DIGITS.repeat(2), SHA256: DIGITS.repeat(4).slice(0, 32), SHA512: DIGITS.repeat(7).slice(0, 64) };
/** Seconds since 1970 and the codes of eight digits. */
const VECTORS: readonly [seconds: number, sha1: string, sha256: string, sha512: string][] = [
  [59, "94287082", "46119246", "90693936"],
  [1_111_111_109, "07081804", "68084774", "25091201"],
  [1_111_111_111, "14050471", "67062674", "99943326"],
  [1_234_567_890, "89005924", "91819424", "93441116"],
  [2_000_000_000, "69279037", "90698825", "38618901"],
  [20_000_000_000, "65353130", "77737706", "47863826"],
];

Deno.test("T21 the 18 vectors of RFC 6238", () => {
  for (const [seconds, ...codes] of VECTORS) {
    for (const [i, algorithm] of (["SHA1", "SHA256", "SHA512"] as const).entries()) {
      const secret = Secret.fromUTF8(KEYS[algorithm]);
      const code = new TOTP({ algorithm, digits: 8, secret }).generate({ timestamp: seconds * 1_000 });
      assert.equal(code, codes[i], `${algorithm} at ${seconds}`);
    }
    const at = new Date(seconds * 1_000);
    assert.equal(totpCode(Secret.fromUTF8(KEYS.SHA1).base32, at), codes[0]!.slice(2), "the last six digits");
  }
});

Deno.test("T21 a code counts in its step and in the steps beside it, and in no other", () => {
  const secret = generateTotpSecret();
  assert.equal(secret.length, 32);
  const now = new Date("2026-03-01T09:30:10Z");
  const step = Math.floor(now.getTime() / 30_000);
  for (const offset of [-1, 0, 1]) {
    const code = totpCode(secret, new Date(now.getTime() + offset * 30_000));
    assert.equal(matchTotp(secret, code, now), step + offset);
  }
  for (const offset of [-3, -2, 2, 3]) {
    assert.equal(matchTotp(secret, totpCode(secret, new Date(now.getTime() + offset * 30_000)), now), undefined);
  }
  for (const code of ["", "0", "abcdef", `${totpCode(secret, now)}0`, ` ${totpCode(secret, now)}`]) {
    assert.equal(matchTotp(secret, code, now), undefined, code);
  }
});

Deno.test("the URI says what authenticator apps assume", () => {
  const url = new URL(totpUri(generateTotpSecret(), "Ada Lovelace"));
  assert.equal(url.protocol, "otpauth:");
  assert.equal(url.searchParams.get("issuer"), "svc");
  assert.equal(url.searchParams.get("digits"), "6");
  assert.equal(url.searchParams.get("period"), "30");
});
