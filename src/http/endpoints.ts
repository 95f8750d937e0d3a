/** All endpoints, from the list of route modules. */
import { type Endpoint, type Group, SECTIONS } from "./route.ts";
import * as modules from "./routes/mod.ts";

/** A route module exports its group and endpoints, and nothing else. */
type RouteModule = Readonly<Record<string, Endpoint | Group>> & { readonly GROUP: Group };

const MODULES: readonly RouteModule[] = Object.values<RouteModule>(modules);

const placeOf = ({ section, place = Infinity }: Group) => [SECTIONS.indexOf(section), place] as const;

/** In the order in which the reference lists them. */
export const GROUPS: readonly Group[] = [...new Set(MODULES.map(({ GROUP }) => GROUP))].sort((a, b) => {
  const [[section, place], [otherSection, otherPlace]] = [placeOf(a), placeOf(b)];
  return section - otherSection || (place === otherPlace ? (a.name < b.name ? -1 : 1) : place - otherPlace);
});

/** Each belongs to its module's group. */
export const ENDPOINTS: readonly Endpoint[] = MODULES.flatMap(({ GROUP, ...endpoints }) =>
  Object.values(endpoints as Readonly<Record<string, Endpoint>>)
    .map((endpoint) => ({ ...endpoint, route: { ...endpoint.route, tags: [GROUP.name] } }))
);
