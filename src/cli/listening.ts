/** Tells a person why the service cannot listen where the configuration says. */
import type { Config } from "../config.ts";
import { ServiceError } from "../errors.ts";

/**
 * Checks that the address is free, before anything is opened or made.
 * @throws ServiceError `conflict` with what to do
 */
export function requireFreeAddress({ host, port }: Pick<Config, "host" | "port">): void {
  try {
    Deno.listen({ hostname: host, port }).close();
  } catch (cause) {
    throw refusalFor({ host, port }, cause);
  }
}

function refusalFor({ host, port }: Pick<Config, "host" | "port">, cause: unknown): unknown {
  const refuse = (reason: string, advice: string) =>
    new ServiceError("conflict", `Cannot listen on ${host}:${port}: ${reason}. ${advice}`, { cause });
  if (cause instanceof Deno.errors.AddrInUse) {
    return refuse("another program uses the port", "Stop it, or set SVC_PORT to another port");
  }
  if (cause instanceof Deno.errors.PermissionDenied) {
    return refuse("this user may not use the port", "Set SVC_PORT to a port above 1023");
  }
  if (cause instanceof Deno.errors.AddrNotAvailable || /lookup|resolve/i.test(String(cause))) {
    return refuse("it is no address of this machine", "Set SVC_HOST to one, such as 127.0.0.1 or 0.0.0.0");
  }
  return cause;
}
