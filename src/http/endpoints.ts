/** All endpoints, from the list of route modules. */
import type { Endpoint, Group } from "./route.ts";
import * as modules from "./routes/mod.ts";

/** A route module exports its group and endpoints, and nothing else. */
type RouteModule = Readonly<Record<string, Endpoint | Group>> & { readonly GROUP: Group };

const MODULES: readonly RouteModule[] = Object.values<RouteModule>(modules);

export const GROUPS: readonly Group[] = MODULES.map(({ GROUP }) => GROUP);

/** By their export's name; each stands in its module's group. */
export const ENDPOINTS: readonly Endpoint[] = MODULES.flatMap(({ GROUP, ...endpoints }) =>
  Object.values(endpoints as Readonly<Record<string, Endpoint>>)
    .map((endpoint) => ({ ...endpoint, route: { ...endpoint.route, tags: [GROUP.name] } }))
);
