/** The variables of the environment about tokens: the service's own address, its authorization server, and the issuers that it trusts. */
import { onOff, publicUrl } from "./environment_values.ts";
import { tokenIssuerList } from "./token_issuer.ts";

/** Part of `Environment`, which says what `section` and `secret` mean. */
export const oauthVariables = {
  SVC_PUBLIC_URL: publicUrl.optional().meta({
    secret: "password",
    description:
      "The address under which clients reach the service, behind its proxy: `https://memory.example`, or with a path. It names the service in OAuth: tokens are issued by it, for it and for `/mcp` and `/v1` below it. Unset: the address that the client called, if it is an IP address, `localhost` or one of `SVC_HOSTS`",
  }),
  SVC_OAUTH_SERVER: onOff("on").meta({
    description:
      "Whether the service gives out tokens by OAuth 2.1, after a person has agreed in the console: `on` or `off`. It needs `SVC_SECRETS_KEY`, from which the key that signs them is derived; the embedded database has one",
  }),
  SVC_OAUTH_ISSUERS: tokenIssuerList.optional().meta({
    secret: "issuers",
    description:
      "Authorization servers whose tokens the service accepts in the place of keys, and by which people sign in to the console: a JSON array (`name`, `issuer`, `rules` …), explained in [oauth.md](../guides/oauth.md). Needs `SVC_PUBLIC_URL`",
  }),
};
