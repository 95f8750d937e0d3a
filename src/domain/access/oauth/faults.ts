/** Refusals of the authorization server, by the codes that clients of OAuth know. */
import { ServiceError } from "../../../errors.ts";

/** As RFC 6749, RFC 7591, RFC 8628 and RFC 8707 name them. */
export type OAuthCode =
  | "access_denied"
  | "authorization_pending"
  | "expired_token"
  | "invalid_client"
  | "invalid_client_metadata"
  | "invalid_grant"
  | "invalid_redirect_uri"
  | "invalid_request"
  | "invalid_scope"
  | "invalid_target"
  | "slow_down"
  | "unsupported_grant_type"
  | "unsupported_response_type";

/** A refusal that the face answers as OAuth says: `{ error, error_description }`. */
export function oauthFault(error: OAuthCode, message: string, cause?: unknown): ServiceError {
  return new ServiceError("invalid_request", message, { extra: { error }, cause });
}
