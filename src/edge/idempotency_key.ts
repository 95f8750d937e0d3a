/** The header by which callers name a request that they may have to repeat. */
import { ServiceError } from "../errors.ts";

const IDEMPOTENCY_KEY = /^[!-~]{1,255}$/;

/** @throws ServiceError `invalid_request` for a key that is empty, too long or not visible ASCII. */
export function readIdempotencyKey(headers: Headers): string | undefined {
  const key = headers.get("idempotency-key");
  if (key === null) return undefined;
  if (IDEMPOTENCY_KEY.test(key)) return key;
  throw new ServiceError("invalid_request", "Cannot read Idempotency-Key: it is not 1 to 255 visible characters");
}
