/**
 * The table of screens. To add one:
 *
 * 1. Write `screens/<name>.tsx`, which exports a component: `export function Name({ params, query }: ScreenProps)`. It
 *    reads by `useLoad` or `usePages` (`ui/load.ts`) with `svc` (`session.ts`), changes by `useAction`, and is built from
 *    the parts in `ui/`. It shows a control only if `can("<scope>")`. A stored text is shown by `<Words>`, never as HTML.
 *    Its styles are classes of `styles.css`; attributes `style="…"` do not work under the page's policy.
 * 2. Add a line here. `group` puts it into the navigation; `scope` hides it from keys that lack it.
 * 3. `cd src/console && deno fmt && deno lint && deno check .`: the gate of the repository leaves this folder out, because
 *    it has the types of a browser.
 * 4. `deno run -A scripts/gen/console.ts`, and commit `src/gen/console.*` with it. After a conflict there, run it again.
 * 5. Add a test in `tests/console/`, from `openConsole()` (`tests/console/_console.ts`).
 */
import type { Route } from "./router.ts";
import { Memory } from "./screens/memory.tsx";
import { Overview } from "./screens/overview.tsx";
import { Playground } from "./screens/playground.tsx";
import { Review } from "./screens/review.tsx";
import { Unit } from "./screens/unit.tsx";

export const ROUTES: readonly Route[] = [
  { path: "/", title: "Overview", group: "Memory", screen: Overview },
  { path: "/playground", title: "Playground", group: "Memory", scope: "memory:read", screen: Playground },
  { path: "/memory", title: "Memory", group: "Memory", scope: "memory:read", screen: Memory },
  { path: "/unit/:id", title: "Unit", scope: "memory:read", screen: Unit },
  { path: "/review", title: "Review", group: "Memory", scope: "memory:read", screen: Review },
];
