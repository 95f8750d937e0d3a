/** The examples of operations, as the clients take them. */
import { ROUTES } from "../../clients/typescript/gen/operations.ts";
import { pathOf } from "../../src/http/app.ts";
import type { Endpoint } from "../../src/http/route.ts";
import type { Fixture } from "../_fixtures.ts";
import { exampleOf } from "../_http_face.ts";

/** The one flat argument that says what the example says. */
export function inputOf(endpoint: Endpoint, fixture: Fixture): Record<string, unknown> {
  const query = Object.fromEntries(new URLSearchParams(fixture.query ?? ""));
  const body = fixture.body ?? exampleOf(endpoint);
  const kind = ROUTES[endpoint.id as keyof typeof ROUTES].body;
  const own = kind === undefined || body === undefined
    ? {}
    : kind === "flat"
    ? body as Record<string, unknown>
    : { [kind === "json" ? "body" : "file"]: body };
  // A fixture may make more than the path names.
  const params = Object.entries(fixture.params).filter(([name]) => pathOf(endpoint).includes(`{${name}}`));
  return { ...own, ...query, ...Object.fromEntries(params) };
}
