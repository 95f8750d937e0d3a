/** Limits on the query of a request, checked before anything parses it, for every path and every caller. */
import { ServiceError } from "../errors.ts";

/** Query parameters of one request; no operation knows half as many. */
export const QUERY_PARAMETERS_MAX = 100;
/** The most characters of the query as sent; a head through the shipped proxy has at most 24 KiB in all. */
export const QUERY_CHARS_MAX = 16_384;

/** @throws ServiceError `invalid_request` for a query that is longer, or has more parameters, than any operation takes. */
export function refuseWideQuery(url: string): void {
  const start = url.indexOf("?");
  if (start === -1) return;
  if (url.length - start - 1 > QUERY_CHARS_MAX) {
    throw new ServiceError("invalid_request", `Cannot read the query: it is longer than ${QUERY_CHARS_MAX} characters`);
  }
  let count = 1;
  for (let at = url.indexOf("&", start); at !== -1; at = url.indexOf("&", at + 1)) {
    if (++count > QUERY_PARAMETERS_MAX) {
      throw new ServiceError(
        "invalid_request",
        `Cannot read the query: it has more than ${QUERY_PARAMETERS_MAX} parameters`,
      );
    }
  }
}
