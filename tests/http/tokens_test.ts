/** Tokens of issuers in the place of keys. docs/reference/guarantees.md T17. */
import assert from "node:assert/strict";
import { POSTGRES } from "../_postgres.ts";
import { startService } from "../_service.ts";

const encode = (value: unknown) =>
  new TextEncoder().encode(JSON.stringify(value)).toBase64({ alphabet: "base64url", omitPadding: true });

Deno.test(
  { name: "a token of an issuer that nobody configured is refused, by name of what is wrong", ...POSTGRES },
  async () => {
    await using service = await startService();
    const token = (claims: object, header: object = { alg: "RS256" }) => `${encode(header)}.${encode(claims)}.c2ln`;
    const told = async (key: string) => {
      const { status, body, headers } = await service.get("/v1/whoami", { key });
      assert.equal(status, 401);
      return [body.message, headers.get("www-authenticate")];
    };
    const stranger = "its token names no issuer that this service trusts";
    assert.deepEqual(await told(token({ iss: "https://id.example", sub: "ada" })), [
      `Cannot accept the request: ${stranger}`,
      `Bearer error="invalid_token", error_description="${stranger}"`,
    ]);
    assert.match((await told(token({ iss: ["https://id.example"] })))[0]!, /names no issuer/);
    assert.match((await told(`${encode({ alg: "none" })}.${encode({})}.c2ln`))[0]!, /names no issuer/);
    assert.match((await told(token({ iss: "x".repeat(9_000) })))[0]!, /longer than 8192 characters/);
    assert.match((await told(`${encode({ alg: "RS256" })}.e30.AB`))[0]!, /is malformed/);
  },
);
