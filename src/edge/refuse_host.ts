/**
 * The host that a request names. The server puts it before the request's target to make `Request.url`, so what is no host
 * could add a path of its own, or make a URL that nobody can parse.
 */
import { ServiceError } from "../errors.ts";

const HOST = /^(?:[a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::\d{0,5})?$/i;

/** Whether the request's `Host`, and what its target names as the host, are hosts with or without a port. */
export function namesHost({ url, headers }: Pick<Request, "url" | "headers">): boolean {
  const start = url.indexOf("://") + 3;
  const end = url.indexOf("/", start);
  if (start === 2 || end === -1) return false;
  const named = headers.get("host");
  return isHost(url.slice(start, end)) && (named === null || isHost(named));
}

/** @throws ServiceError `invalid_request` when the request names something as its host that is none */
export function refuseHost(request: Pick<Request, "url" | "headers">): void {
  if (!namesHost(request)) {
    throw new ServiceError("invalid_request", "Cannot read the request: its Host is not a host with an optional port");
  }
}

function isHost(text: string): boolean {
  // A number that is no address, a port above 65535 and bad Punycode have the form of a host.
  return HOST.test(text) && URL.canParse(`http://${text}/`);
}
