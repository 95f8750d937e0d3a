/** The frame around all screens: navigation, who is logged in, and the switch that allows changes. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useErrorBoundary, useRef } from "preact/hooks";
import { Login } from "./login.tsx";
import { href, isId, match, path, query, type Route } from "./router.ts";
import { ROUTES } from "./routes.tsx";
import { admin, can, grant, isWriting, leaveWorkspace, logout, me, sayFault, session, setWriting } from "./session.ts";
import { setTheme, type Theme, theme } from "./theme.ts";
import { Button, Select } from "./ui/form.tsx";
import { Confirmation, hasDialog } from "./ui/dialog.tsx";
import type { BreakGlassRequest } from "../../clients/typescript/mod.ts";
import { Alert, Empty, Failed, Loading } from "./ui/states.tsx";
import { Name } from "./ui/name.tsx";
import { Words } from "./ui/words.tsx";
import { toast, Toasts } from "./ui/toast.tsx";

const THEMES = [
  { value: "system", label: "As the system" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
] as const;

export function App() {
  if (session.value === undefined) return <Loading what="the console" />;
  return (
    <>
      {session.value === null || (me.value === undefined && admin.value === null) ? <Login /> : <Frame />}
      <Confirmation />
      {!hasDialog.value && <Toasts />}
    </>
  );
}

function Frame() {
  const isMenuOpen = useSignal(false);
  const main = useRef<HTMLElement>(null);
  const found = match(ROUTES, path.value);
  const title = found?.route.title ?? "Not found";
  useEffect(() => {
    document.title = `${title} · Memory console`;
    isMenuOpen.value = false;
    // Screen readers and the keyboard continue at the new screen.
    main.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [path.value]);
  return (
    <div class="frame">
      <a class="skip" href="#main" onClick={(event) => (event.preventDefault(), main.current?.focus())}>
        Skip to the screen
      </a>
      <header class="top">
        <button
          type="button"
          class="button menu-button"
          aria-expanded={isMenuOpen.value}
          aria-controls="navigation"
          onClick={() => isMenuOpen.value = !isMenuOpen.value}
        >
          Menu
        </button>
        <a class="brand" href={href("/")}>Memory</a>
        {me.value === undefined ? <span class="workspace">Administration</span> : (
          <span class="workspace">
            <Name of={me.value.workspace.name} title={`Workspace ${me.value.workspace.id}`} />
          </span>
        )}
        {mayEverChange() && <WritingSwitch />}
      </header>
      <nav id="navigation" class={isMenuOpen.value ? "side open" : "side"} aria-label="Screens">
        <Navigation />
        <Account />
      </nav>
      <main id="main" ref={main} tabIndex={-1}>
        {grant.value && <Entered by={grant.value} />}
        <Screen key={found?.route.path} found={found} />
      </main>
    </div>
  );
}

/** Reminds an admin of being in a workspace of others. */
function Entered({ by: { reason, expiresAt } }: { readonly by: BreakGlassRequest }) {
  return (
    <Alert tone="warn">
      <p>
        You are in this workspace until{" "}
        {clock(expiresAt!)}, because “<Words text={reason} />”. Its audit log records each call.
      </p>
      <Button small onClick={leaveWorkspace}>Leave the workspace</Button>
    </Alert>
  );
}

/** One screen, or why it cannot be shown. A fault in it leaves the frame around it as it is. */
function Screen({ found }: { readonly found: ReturnType<typeof match> }) {
  const [error, reset] = useErrorBoundary();
  const address = href(path.value, query.value);
  useEffect(reset, [address]);
  if (found === undefined) {
    return <Unshown title="There is no such screen">Choose one from the navigation.</Unshown>;
  }
  const { route, params } = found;
  if (!isAllowed(route) && admin.value !== null) {
    return (
      <Unshown title="You are in no workspace">
        An admin sees what a workspace holds only after a second admin has agreed:{" "}
        <a href={href("/admin/access")}>ask for access</a>.
      </Unshown>
    );
  }
  if (!isAllowed(route) && route.scope === undefined) {
    return <Unshown title="Your key may not see this">Only admins and whoever starts the service may see it.</Unshown>;
  }
  if (!isAllowed(route)) {
    return (
      <Unshown title="Your key may not see this">
        It needs the scope{" "}
        <code>{[route.scope].flat().join(" or ")}</code>. Ask whoever made your key for one that has it.
      </Unshown>
    );
  }
  if (params["id"] !== undefined && !isId(params["id"])) {
    return (
      <Unshown title="Nothing has this address">
        It ends in “<bdi>{params["id"].slice(0, 80)}</bdi>”, which is no id. Look for what you want from the navigation.
      </Unshown>
    );
  }
  if (error !== undefined) {
    return (
      <>
        <h1>{route.title}</h1>
        <Failed
          error="The console cannot show this. The fault is the console's; other screens still work."
          retry={reset}
        />
      </>
    );
  }
  return <route.screen params={params} query={query.value} />;
}

function Unshown({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <>
      <h1>Not shown</h1>
      <Empty title={title}>{children}</Empty>
    </>
  );
}

function isAllowed({ scope = [], by = "workspace" }: Route): boolean {
  if (by === "all") return true;
  if (by === "admins") return admin.value !== null;
  if (by === "managers") return session.value!.managesKeys;
  if (me.value === undefined) return false;
  const any = [scope].flat();
  return any.length === 0 || any.some(can);
}

function Navigation() {
  const shown = ROUTES.filter((route) => route.group !== undefined && isAllowed(route));
  return (
    <>
      {[...Map.groupBy(shown, ({ group }) => group!)].map(([group, routes]) => (
        <section key={group}>
          <h2 id={`nav-${group}`}>{group}</h2>
          <ul aria-labelledby={`nav-${group}`}>
            {routes.map((route) => (
              <li key={route.path}>
                <a href={href(route.path)} aria-current={isCurrent(route.path) ? "page" : undefined}>{route.title}</a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

function isCurrent(route: string): boolean {
  return route === "/" ? path.value === "/" : path.value === route || path.value.startsWith(`${route}/`);
}

function Account() {
  return (
    <section class="account">
      <p>
        <Name of={admin.value?.name ?? me.value!.key?.name ?? ""} />
        <br />
        {me.value === undefined
          ? <span class="quiet">admin of this service</span>
          : <span class="quiet" title={me.value.scopes.join(", ")}>sees up to {me.value.maxSensitivity}</span>}
      </p>
      <Select label="Colours" options={THEMES} value={theme.value} onChange={(to) => setTheme(to as Theme)} />
      <Button onClick={() => logout()}>Log out</Button>
    </section>
  );
}

/** Whether the key has any scope to which the switch makes a difference. */
function mayEverChange(): boolean {
  return admin.value !== null || me.value!.scopes.some((scope) => !/:(read|export)$/.test(scope));
}

/** Nothing can be changed by mistake: changes are allowed for a quarter of an hour at a time. */
function WritingSwitch() {
  const until = session.value?.writesUntil ?? null;
  const change = (on: boolean) => setWriting(on).catch((error) => toast(sayFault(error), { tone: "bad" }));
  useEffect(() => {
    if (until === null) return;
    const timer = setTimeout(() => {
      session.value = { ...session.value!, writesUntil: null };
      toast("Changes are no longer allowed.");
    }, new Date(until).getTime() - Date.now());
    return () => clearTimeout(timer);
  }, [until]);
  return (
    <button
      type="button"
      role="switch"
      class="switch"
      aria-checked={isWriting.value}
      onClick={() => change(!isWriting.value)}
    >
      <span aria-hidden="true" class="knob" />
      {isWriting.value ? `Changes allowed until ${clock(until!)}` : "Read only"}
    </button>
  );
}

function clock(iso: string): string {
  return new Date(iso).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });
}
