/** What is wrong with a page of a peer. */
import { ServiceError, type ServiceErrorOptions } from "../../errors.ts";

/** The signature, the addressee or the hash of something that a peer sent does not hold. */
export class FederationVerifyError extends ServiceError {
  constructor(message: string, options?: ServiceErrorOptions) {
    super("federation_verify_failed", message, options);
    this.name = "FederationVerifyError";
  }
}

/** An item of a peer cannot be opened with the keys that are configured for the peer. */
export class FederationDecryptError extends ServiceError {
  constructor(message: string, options?: ServiceErrorOptions) {
    super("federation_decrypt_failed", message, options);
    this.name = "FederationDecryptError";
  }
}
