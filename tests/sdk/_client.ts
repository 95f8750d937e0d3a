/** A client of a test's service, called without a network. */
import { type Client, type ClientOptions, createClient } from "../../clients/typescript/mod.ts";
import { POSTGRES } from "../_postgres.ts";
import { type StartOptions, startService, type TestService } from "../_service.ts";

/** A service on whichever database there is: what is looked at here is the client. */
export function startAnyService(options: StartOptions = {}): Promise<TestService> {
  return startService(POSTGRES.ignore ? { ...options, embedded: true } : options);
}

/** Sends what the client sends to the service; `onRequest` sees it, or adds to its headers. */
export function clientOf(
  service: TestService,
  options: Partial<ClientOptions> = {},
  onRequest?: (url: URL, init: RequestInit) => void,
): Client {
  return createClient({
    url: "http://svc.test",
    key: service.key,
    // Tests wait as long as a busy machine needs.
    timeoutMs: 120_000,
    fetch: async (input, init = {}) => {
      onRequest?.(new URL(String(input)), init);
      return await service.service.fetch(new Request(input, init));
    },
    ...options,
  });
}
