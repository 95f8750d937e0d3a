/** The keys that sign the service's own tokens: derived from its secrets, so that all processes have them and a database has none. */
import { hkdfSync } from "node:crypto";
import type { Deps } from "../../../context.ts";
import { type SigningKey, signingKeyOf } from "../../../crypto/ed25519.ts";
import { perService } from "../../common/per_service.ts";

const INFO = "svc token signature v1";

/** The keys of `SVC_SECRETS_KEY` and `SVC_SECRETS_KEY_PREVIOUS`, the present one first; empty without such a secret. */
export const tokenKeysOf = perService(({ secretsKeys }: Deps): readonly SigningKey[] =>
  secretsKeys.map((secret) => signingKeyOf(new Uint8Array(hkdfSync("sha256", secret, "", INFO, 32))))
);

/** The public keys with which anybody verifies a token (RFC 7517, RFC 8037). */
export function jwksOf(deps: Deps): { readonly keys: readonly Readonly<Record<string, string>>[] } {
  return {
    keys: tokenKeysOf(deps).map(({ keyId, publicKey }) => ({
      kty: "OKP",
      crv: "Ed25519",
      x: publicKey.toBase64({ alphabet: "base64url", omitPadding: true }),
      kid: keyId,
      alg: "EdDSA",
      use: "sig",
    })),
  };
}
