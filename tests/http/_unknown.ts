/** Calls of any operation about resources that do not exist. */
import { pathOf } from "../../src/http/app.ts";
import type { Endpoint } from "../../src/http/route.ts";
import type { Fixture } from "../_fixtures.ts";
import type { TestService } from "../_service.ts";

export const UNKNOWN_ID = "01890000-0000-7000-8000-000000000000";

/** The body that an operation declares as its example. */
export function exampleOf(endpoint: Endpoint): unknown {
  const content = endpoint.route.request?.body?.content as Record<string, { example?: unknown }> | undefined;
  return content?.["application/json"]?.example;
}

/** Calls an operation by its example, about resources that do not exist. */
export function callUnknown(
  service: TestService,
  endpoint: Endpoint,
  key: string,
  body = exampleOf(endpoint),
  prove?: Fixture["prove"],
) {
  const id = pathOf(endpoint).includes("/federation/peers/") ? "instance:nobody.example" : UNKNOWN_ID;
  const path = pathOf(endpoint).replaceAll(/\{\w+\}/g, id);
  return service.call(endpoint.route.method.toUpperCase(), path, { key, body, ...(prove && { prove }) });
}
