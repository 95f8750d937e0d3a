/** Addresses of screens: the part after `#`, so that the page works below any path and the server sends one file. */
import { computed, signal } from "@preact/signals";
import type { ComponentType } from "preact";

/** What a screen gets: the members of its path, and its query. */
export interface ScreenProps {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
}

/** A screen under a path such as `/unit/:id`. */
export interface Route {
  readonly path: string;
  readonly title: string;
  /** The scopes without any of which the screen shows nothing; it is then left out of the navigation. */
  readonly scope?: string | readonly string[];
  /**
   * Who sees it: whoever is in a workspace (the default), admins, whoever may manage keys, or everybody who is logged in.
   */
  readonly by?: "workspace" | "admins" | "managers" | "all";
  /** The heading under which the navigation lists it; without one it is reached from other screens only. */
  readonly group?: string;
  readonly screen: ComponentType<ScreenProps>;
}

const hash = signal(location.hash);
addEventListener("hashchange", () => hash.value = location.hash);

const parts = computed(() => {
  // Whoever types an address may write a question mark into a question.
  const [, path = "", query = ""] = /^#?([^?]*)\??(.*)$/s.exec(hash.value)!;
  return { path: path === "" ? "/" : path, query: Object.fromEntries(new URLSearchParams(query)) };
});

/** The path of the screen that the address names. */
export const path = computed(() => parts.value.path);
/** The query of the address. */
export const query = computed(() => parts.value.query);

/** The address of a screen, for `href`. Members of the query that are undefined or empty are left out. */
export function href(path: string, query: Readonly<Record<string, string | number | undefined>> = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return `#${path}${search.size > 0 ? `?${search}` : ""}`;
}

/** Goes to a screen. `replace`: the present one is not kept in the history, as when a filter changes. */
export function go(path: string, query: Parameters<typeof href>[1] = {}, { replace = false } = {}): void {
  const to = href(path, query);
  if (!replace) location.hash = to;
  else {
    history.replaceState(null, "", to);
    hash.value = to;
  }
}

/** The route of a path with the members of the path; undefined if there is none. */
export function match(
  routes: readonly Route[],
  path: string,
): { readonly route: Route; readonly params: Record<string, string> } | undefined {
  const names = path.split("/");
  for (const route of routes) {
    const wanted = route.path.split("/");
    const isSame = wanted.length === names.length && wanted.every((one, i) => one.startsWith(":") || one === names[i]);
    if (!isSame) continue;
    const members = wanted.flatMap((one, i) => one.startsWith(":") ? [[one.slice(1), decode(names[i]!)]] : []);
    return { route, params: Object.fromEntries(members) };
  }
  return undefined;
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a text has the form of an id. */
export function isId(text: string): boolean {
  return ID.test(text);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
