import assert from "node:assert/strict";
import { OutboundError } from "../../../outbound/failure.ts";
import { eventOfFault } from "./peer_fault.ts";

Deno.test("a peer's error does not tell a name in the operator's network that exists from one that does not", () => {
  const events = [
    new OutboundError("address_refused", "Cannot call db.internal: it is at an address that the service may not call"),
    new OutboundError("name_not_found", "Cannot call no.internal: the name has no address"),
  ].map(eventOfFault);
  assert.deepEqual(events[0], events[1]);
  const [event] = events;
  assert.ok(event?.kind === "failed" && event.code === "host_refused" && !event.message.includes("internal"));
  const other = eventOfFault(new OutboundError("tls_failed", "Cannot call b.example: it speaks no TLS"));
  assert.ok(other?.kind === "failed" && other.code === "tls_failed" && other.message.includes("b.example"));
});
