/** The workspaces that an admin chooses from, by name. */
import type { Workspace } from "../../clients/typescript/mod.ts";
import { admin, me, svc } from "./session.ts";
import type { Choice } from "./ui/form.tsx";
import { type Load, useLoad } from "./ui/load.ts";
import { Name } from "./ui/name.tsx";
import { Id, Words } from "./ui/words.tsx";

const MOST = 200;
const NAME_MAX = 60;

export interface Workspaces {
  readonly load: Load<readonly Workspace[]>;
  readonly byId: ReadonlyMap<string, Workspace>;
  /** For a `Select`. */
  readonly choices: readonly Choice[];
}

/** Reads an admin's workspaces, the newest; of a session of a workspace it is that one. */
export function useWorkspaces(): Workspaces {
  const isAdmins = admin.value !== null;
  const load = useLoad(
    isAdmins ? async (signal) => (await svc.listWorkspaces({ limit: MOST }, { signal })).data : undefined,
    [],
  );
  const own = isAdmins || me.value === undefined
    ? []
    : [{ value: me.value.workspace.id, label: me.value.workspace.name }];
  return {
    load,
    byId: new Map(load.data?.map((one) => [one.id, one])),
    choices: load.data?.map(({ id, name }) => ({ value: id, label: name.slice(0, NAME_MAX) })) ?? own,
  };
}

/** The workspace, if there is only one to choose; nobody should hit the first of several by mistake. */
export function onlyOf({ choices }: Workspaces): string {
  return choices.length === 1 ? choices[0]!.value : "";
}

/** The choices of a `Select` in which nothing may be chosen yet. */
export function withNone({ choices }: Workspaces, chosen: string): readonly Choice[] {
  return chosen === "" ? [{ value: "", label: "Choose…" }, ...choices] : choices;
}

/** The name of a workspace; its id if it is not among those that were read. */
export function WorkspaceName({ id, of, inline }: {
  readonly id: string;
  readonly of: Workspaces;
  /** It stands in a sentence. */
  readonly inline?: boolean;
}) {
  const found = of.byId.get(id);
  if (inline && found !== undefined) return <Name of={found.name} title={id} />;
  return found === undefined ? <Id id={id} /> : (
    <span title={id}>
      <Words text={found.name} lines />
    </span>
  );
}
