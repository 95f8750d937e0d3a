/** Who did something, by name. */
import { effect, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { can, session, svc } from "../session.ts";
import { Words } from "./words.tsx";

/** The names of keys, by actor; null: it has none, or nobody may know it. */
const names = signal<ReadonlyMap<string, string | null>>(new Map());
const wanted = new Set<string>();
const AT_ONCE = 100;

/** Asks for the names of all actors that the page shows, at once. */
async function askNames(): Promise<void> {
  const ids = [...wanted].slice(0, AT_ONCE);
  ids.forEach((id) => wanted.delete(id));
  if (ids.length === 0) return;
  const found = await svc.listActors({ id: ids }).then(({ data }) => data, () => []);
  names.value = new Map([
    ...names.value,
    ...ids.map((id) => [id, found.find((one) => one.id === id)?.name ?? null] as const),
  ]);
  if (wanted.size > 0) await askNames();
}

// Another session may be of another workspace.
effect(() => {
  if (session.value == null) names.value = new Map();
});

/** @param name what the audit log says of an admin's name, which nobody can ask for */
export function Actor({ id, name: told }: { readonly id: string; readonly name?: unknown }) {
  const isKey = id.startsWith("key:"), name = typeof told === "string" ? told : names.value.get(id);
  useEffect(() => {
    if (!isKey || names.peek().has(id) || !can("memory:read")) return;
    if (wanted.size === 0) queueMicrotask(askNames);
    wanted.add(id);
  }, [id]);
  return <span class="actor" title={id}>{name ? <Words text={name} /> : sayActor(id)}</span>;
}

/** An actor without a name, in words. */
function sayActor(id: string): string {
  const [kind, rest = ""] = id.split(/:(.*)/s);
  switch (kind) {
    case "key":
      return `key …${rest.slice(-8)}`;
    case "admin":
      if (rest === "bootstrap") return "the admin token";
      return `administrator …${rest.slice(-8)}`;
    case "worker":
      return `the service (${rest.replaceAll("_", " ")})`;
    case "peer":
      return `instance ${rest}`;
    case "cli":
      return "the operator";
    default:
      return id;
  }
}
