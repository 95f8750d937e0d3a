import { equal, match, rejects } from "node:assert/strict";
import { ServiceError } from "../errors.ts";
import { parseTarget } from "./addresses.ts";
import { OutboundError, sayToOperator } from "./failure.ts";
import { findAddresses } from "./lookup.ts";

const targetOf = (url: string) => parseTarget(url, { ports: [443], allowsHttp: true, anyPort: true });

Deno.test("a refused address is named to the operator alone, with what allows it", async () => {
  for (
    const [url, range] of [
      ["https://127.0.0.1/x", "127.0.0.1/32"],
      ["https://[::1]:8443/", "::1/128"],
      ["http://10.1.2.3:80/", "10.1.2.3/32"],
    ] as const
  ) {
    await rejects(findAddresses(targetOf(url), { allowed: [] }), (error) => {
      if (!(error instanceof OutboundError)) return false;
      equal(error.reason, "address_refused");
      const address = range.slice(0, range.indexOf("/"));
      const wrapped = new ServiceError("unavailable", "Cannot pair: the endpoint cannot be reached", { cause: error });
      for (const said of [error, wrapped].map(sayToOperator)) {
        match(said, new RegExp(`The address is ${address}; to allow it, .*SVC_OUTBOUND_ALLOW_CIDRS=${range}$`));
      }
      return true;
    });
    equal((await findAddresses(targetOf(url), { allowed: [range] })).length, 1);
  }
});

Deno.test("all addresses of localhost are named at once, and a caller is told none of them", async () => {
  const lookup = () => findAddresses(targetOf("https://localhost/"), { allowed: [] });
  await rejects(lookup, (error) => {
    if (!(error instanceof OutboundError)) return false;
    const ranges = /SVC_OUTBOUND_ALLOW_CIDRS=(\S+)$/.exec(sayToOperator(error))?.[1]?.split(",") ?? [];
    match(ranges.join(), /127\.0\.0\.1\/32|::1\/128/);
    for (const range of ranges) equal(error.message.includes(range.slice(0, range.indexOf("/"))), false);
    return true;
  });
});
