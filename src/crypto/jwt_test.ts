import assert from "node:assert/strict";
import { isJwt, JWT_CHARS_MAX, readJwt } from "./jwt.ts";

const encode = (text: string) => new TextEncoder().encode(text).toBase64({ alphabet: "base64url", omitPadding: true });
const HEADER = encode('{"alg":"ES256","kid":"a"}');
const CLAIMS = encode('{"iss":"https://id.example","sub":"ada"}');
const TOKEN = `${HEADER}.${CLAIMS}.${encode("signature")}`;

Deno.test("a token is told from a key by its form alone", () => {
  assert.ok(isJwt(TOKEN));
  for (
    const text of [
      "",
      "a.b.c",
      `svc_live_${"a".repeat(61)}`,
      `${HEADER}.${CLAIMS}`,
      `${TOKEN}.more`,
      // An encrypted token has five parts.
      `${TOKEN}.more.parts`,
      `${encode('{"kid":"a"}')}.${CLAIMS}.x`,
      `${encode('["alg"]')}.${CLAIMS}.x`,
      `${HEADER}=.${CLAIMS}.x`,
      `${"a".repeat(JWT_CHARS_MAX * 2)}.${CLAIMS}.x`,
    ]
  ) assert.equal(isJwt(text), false, text.slice(0, 40));
});

Deno.test("a token has one text: no padding, no unused bits, no name twice, no empty part", () => {
  assert.equal(readJwt(TOKEN)?.claims["sub"], "ada");
  for (
    const text of [
      `${HEADER}.${CLAIMS}.`,
      `${HEADER}..${encode("signature")}`,
      `${HEADER}.${CLAIMS}=.${encode("signature")}`,
      `${HEADER}.${CLAIMS}.${encode("signature")}.${HEADER}`,
      `${HEADER}.${encode('{"sub":"ada","sub":"bob"}')}.${encode("signature")}`,
      `${HEADER}.${encode('"ada"')}.${encode("signature")}`,
      `${HEADER}.${encode("[]")}.${encode("signature")}`,
      // The last character holds two bits that no byte has.
      `${HEADER}.${CLAIMS}.AB`,
    ]
  ) assert.equal(readJwt(text), undefined, text.slice(-40));
});
