/** What faces say about input that a schema refuses, and how they read what comes in headers. */
import { type FieldError, ServiceError } from "../errors.ts";
import { Faults } from "../schema/faults.ts";

export { checkInput } from "../schema/field_errors.ts";

export function invalidInput(faults: Faults | FieldError): ServiceError {
  const errors = faults instanceof Faults ? faults.list() : [faults];
  const [first] = errors;
  const count = faults instanceof Faults ? faults.size : 1;
  const more = count > 1 ? ` (and ${(count - 1).toLocaleString("en-US")} more)` : "";
  const message = `Cannot accept the request: ${first?.path || "body"}: ${first?.message}${more}`;
  return new ServiceError("validation_failed", message, { errors });
}

const IDEMPOTENCY_KEY = /^[!-~]{1,255}$/;

/** @throws ServiceError `invalid_request` for a key that is empty, too long or not visible ASCII. */
export function readIdempotencyKey(headers: Headers): string | undefined {
  const key = headers.get("idempotency-key");
  if (key === null) return undefined;
  if (IDEMPOTENCY_KEY.test(key)) return key;
  throw new ServiceError("invalid_request", "Cannot read Idempotency-Key: it is not 1 to 255 visible characters");
}
