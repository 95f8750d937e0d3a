import { deepEqual, match, ok, throws } from "node:assert/strict";
import { generateApiKey } from "../../../crypto/api_key.ts";
import { type Invite, readInvite, writeInvite } from "./invite.ts";

const NOW = new Date("2026-03-01T12:00:00.000Z");
const INVITE: Invite = {
  v: 1,
  invite: "01990000-0000-7000-8000-0000000000b1",
  id: "instance:a.example",
  endpoint: "https://a.example",
  workspace: "01990000-0000-7000-8000-00000000000a",
  region: null,
  signingPublicKey:
    "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n-----END PUBLIC KEY-----\n",
  certPin: "sha256/MG79lf3rKlNk29Hg26rKjk9nAKieH3kFRBkkJ5Ss/DA=",
  symmetricKey: "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
  apiKey: generateApiKey("svc_live_").key,
  secret: "HxweHRwbGhkYFxYVFBMSERAPDg0MCwoJCAcGBQQDAgE=",
  expiresAt: "2026-03-02T12:00:00.000Z",
};

Deno.test("an invite is read as it was written, also when a mail program has broken its lines", () => {
  const text = writeInvite(INVITE);
  match(text, /^svcfed1\.[A-Za-z0-9_-]+\.[0-9A-Za-z]{6}$/);
  deepEqual(readInvite(text, NOW), INVITE);
  deepEqual(readInvite(`\n  ${text.replace(/(.{72})/g, "$1\r\n")}\n`, NOW), INVITE);
});

Deno.test("an invite that was cut, mistyped, of another form or expired is refused, and the error shows no part of it", () => {
  const text = writeInvite(INVITE);
  const at = 40;
  const other = text[at] === "A" ? "B" : "A";
  const cases: [string, RegExp][] = [
    [text.slice(0, -1), /cut or mistyped/],
    [text.slice(0, -8), /form|mistyped/],
    [`${text.slice(0, at)}${other}${text.slice(at + 1)}`, /cut or mistyped/],
    [text.replace("svcfed1", "svcfed2"), /form/],
    ["", /form/],
    ["x".repeat(10_000), /form/],
    [writeInvite({ ...INVITE, expiresAt: "2026-03-01T12:00:00.000Z" }), /expired at 2026-03-01T12:00:00.000Z/],
    [writeInvite({ ...INVITE, endpoint: "http://a.example" }), /member endpoint/],
    [writeInvite({ ...INVITE, extra: 1 } as Invite), /is not what this build expects/],
    [writeInvite({ ...INVITE, v: 2 } as unknown as Invite), /member v/],
  ];
  for (const [wrong, message] of cases) {
    throws(() => readInvite(wrong, NOW), (error: Error) => {
      match(error.message, message);
      for (const secret of [INVITE.secret, INVITE.apiKey, INVITE.symmetricKey]) ok(!error.message.includes(secret));
      return true;
    });
  }
});
