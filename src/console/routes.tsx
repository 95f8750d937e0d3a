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
import { AdminAccess } from "./screens/admin_access.tsx";
import { AdminApps } from "./screens/admin_apps.tsx";
import { AdminAudit } from "./screens/admin_audit.tsx";
import { AdminTenants } from "./screens/admin_tenants.tsx";
import { AdminWorkspaces } from "./screens/admin_workspaces.tsx";
import { Agent, Agents } from "./screens/agents.tsx";
import { Audit } from "./screens/audit.tsx";
import { Authorize, Device } from "./screens/authorize.tsx";
import { Connect } from "./screens/connect.tsx";
import { Entities } from "./screens/entities.tsx";
import { Federation } from "./screens/federation.tsx";
import { Grants } from "./screens/grants.tsx";
import { Graph } from "./screens/graph.tsx";
import { Keys } from "./screens/keys.tsx";
import { Memory } from "./screens/memory.tsx";
import { Overview } from "./screens/overview.tsx";
import { Playground } from "./screens/playground.tsx";
import { Recall, Recalls } from "./screens/recalls.tsx";
import { Review } from "./screens/review.tsx";
import { Session, Sessions } from "./screens/sessions.tsx";
import { Timeline } from "./screens/timeline.tsx";
import { Transfer } from "./screens/transfer.tsx";
import { Unit } from "./screens/unit.tsx";
import { Webhooks, WebhookScreen } from "./screens/webhooks.tsx";

export const ROUTES: readonly Route[] = [
  { path: "/", title: "Overview", group: "Memory", screen: Overview },
  { path: "/playground", title: "Playground", group: "Memory", scope: "memory:read", screen: Playground },
  { path: "/memory", title: "Memory", group: "Memory", scope: "memory:read", screen: Memory },
  { path: "/unit/:id", title: "Unit", scope: "memory:read", screen: Unit },
  { path: "/review", title: "Review", group: "Memory", scope: "memory:read", screen: Review },
  { path: "/sessions", title: "Sessions", group: "Memory", scope: "memory:read", screen: Sessions },
  { path: "/sessions/:id", title: "Session", scope: "memory:read", screen: Session },
  { path: "/entities", title: "Entities", group: "Memory", scope: "memory:read", screen: Entities },
  { path: "/graph", title: "Graph", group: "Memory", scope: "memory:read", screen: Graph },
  { path: "/timeline", title: "Timeline", group: "Memory", scope: "memory:read", screen: Timeline },
  { path: "/connect", title: "Connect", group: "Agents", by: "all", screen: Connect },
  { path: "/authorize", title: "A client asks for access", screen: Authorize },
  { path: "/device", title: "A device asks for access", screen: Device },
  { path: "/clients", title: "Connected clients", group: "Agents", screen: Grants },
  { path: "/agents", title: "Agents", group: "Agents", scope: "memory:read", screen: Agents },
  { path: "/agents/:agent", title: "Agent", scope: "memory:read", screen: Agent },
  { path: "/recalls", title: "Recalls", group: "Agents", scope: "audit:read", screen: Recalls },
  { path: "/recalls/:id", title: "Recall", scope: "audit:read", screen: Recall },
  { path: "/audit", title: "Audit", group: "Operation", scope: "audit:read", screen: Audit },
  { path: "/federation", title: "Federation", group: "Operation", scope: "federation", screen: Federation },
  { path: "/webhooks", title: "Webhooks", group: "Operation", scope: "memory:admin", screen: Webhooks },
  { path: "/webhooks/:id", title: "Webhook", scope: "memory:admin", screen: WebhookScreen },
  {
    path: "/transfer",
    title: "Import and export",
    group: "Operation",
    scope: ["memory:export", "memory:import"],
    screen: Transfer,
  },
  { path: "/keys", title: "Keys", group: "Administration", by: "managers", screen: Keys },
  { path: "/admin/workspaces", title: "Workspaces", group: "Administration", by: "admins", screen: AdminWorkspaces },
  { path: "/admin/apps", title: "Apps", group: "Administration", by: "admins", screen: AdminApps },
  { path: "/admin/tenants", title: "Tenants", group: "Administration", by: "admins", screen: AdminTenants },
  { path: "/admin/access", title: "Access to workspaces", group: "Administration", by: "admins", screen: AdminAccess },
  { path: "/admin/audit", title: "What admins did", group: "Administration", by: "admins", screen: AdminAudit },
];
