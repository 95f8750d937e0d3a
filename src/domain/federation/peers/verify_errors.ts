/** The errors of a page that a peer sent. */
import { ServiceError, type ServiceErrorOptions } from "../../../errors.ts";

/** The signature, the addressee or a hash of something that a peer sent is wrong. */
export class FederationVerifyError extends ServiceError {
  constructor(message: string, options?: ServiceErrorOptions) {
    super("federation_verify_failed", message, options);
    this.name = "FederationVerifyError";
  }
}

/** No key that is configured for the peer opens the item. */
export class FederationDecryptError extends ServiceError {
  constructor(message: string, options?: ServiceErrorOptions) {
    super("federation_decrypt_failed", message, options);
    this.name = "FederationDecryptError";
  }
}
