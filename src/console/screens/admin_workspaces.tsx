/** The workspaces of the service: who has what room, and how much each may ask. */
import { useSignal } from "@preact/signals";
import type { Region, Sensitivity, Workspace } from "../../../clients/typescript/mod.ts";
import { CEILINGS } from "../keys.ts";
import { href, type ScreenProps } from "../router.ts";
import { isWriting, svc } from "../session.ts";
import { Dialog } from "../ui/dialog.tsx";
import { useDraft } from "../ui/draft.ts";
import { Button, Select, TextField } from "../ui/form.tsx";
import { useAction, usePages } from "../ui/load.ts";
import { PagedTable } from "../ui/table.tsx";
import { count, Id, When, Words } from "../ui/words.tsx";

export function AdminWorkspaces(_: ScreenProps) {
  const pages = usePages(
    (cursor, signal) => svc.listWorkspaces({ limit: 50, ...(cursor && { cursor }) }, { signal }),
    [],
  );
  const dialog = useSignal<"create" | Workspace | undefined>(undefined);
  const close = () => dialog.value = undefined;
  return (
    <>
      <h1>Workspaces</h1>
      <p class="lead">
        Each workspace is a memory of its own: no key of one sees anything of another. An admin sees what is in one only
        after <a href={href("/admin/access")}>a second admin has agreed</a>.
      </p>
      {isWriting.value && (
        <p>
          <Button kind="primary" onClick={() => dialog.value = "create"}>Create a workspace…</Button>
        </p>
      )}
      <PagedTable
        caption="workspaces"
        pages={pages}
        keyOf={({ id }) => id}
        empty={!isWriting.value && "Allow changes (above) to create the first one."}
        columns={[
          {
            head: "Name",
            isWide: true,
            cell: ({ id, name }) => (
              <>
                <Words text={name} lines /> <Id id={id} />
              </>
            ),
          },
          { head: "Region", cell: ({ region }) => <span class="unbroken">{region}</span> },
          { head: "Keys see up to", cell: ({ settings }) => settings.maxSensitivity },
          { head: "Requests a minute", cell: ({ settings }) => sayRate(settings.rateLimit) },
          { head: "Keeps recalls", cell: ({ settings }) => sayDays(settings.recallDiaryDays) },
          { head: "Created", cell: ({ createdAt }) => <When at={createdAt} /> },
          {
            head: "More",
            cell: (one) => (
              <div class="row tight">
                <a class="button small" href={href("/keys", { workspace: one.id })}>Keys</a>
                {isWriting.value && <Button small onClick={() => dialog.value = one}>Change…</Button>}
              </div>
            ),
          },
        ]}
      />
      {dialog.value === "create" && <Create onClose={close} onDone={pages.reload} />}
      {typeof dialog.value === "object" && <Change of={dialog.value} onClose={close} onDone={pages.reload} />}
    </>
  );
}

function sayRate(limit: Workspace["settings"]["rateLimit"]): string {
  if (limit === null) return "as configured";
  return limit.perMinute === 0 ? "no limit" : count(limit.perMinute);
}

function sayDays(days: number): string {
  return days === 0 ? "no" : days === 1 ? "1 day" : `${days} days`;
}

const REGIONS: readonly Region[] = ["us-east-1", "eu-west-1", "ap-southeast-1"];

interface DialogProps {
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function Create({ onClose, onDone }: DialogProps) {
  const name = useDraft("Create", ""), region = useSignal<Region>(REGIONS[0]!), fault = useSignal("");
  const [run, isBusy, faultOf] = useAction();
  const create = async () => {
    fault.value = name.value.trim() === "" ? "Give it a name." : "";
    if (fault.value !== "") return;
    const body = { name: name.value.trim(), region: region.value };
    if (!await run(() => svc.createWorkspace(body), "Created. It needs a key before anybody can use it.")) return;
    onDone();
    onClose();
  };
  return (
    <Dialog title="Create a workspace" onClose={onClose}>
      <form class="stack" noValidate onSubmit={(event) => (event.preventDefault(), create())}>
        <TextField
          label="Name"
          value={name.value}
          fault={fault.value || faultOf("name")}
          onInput={(text) => name.value = text}
        />
        <Select
          label="Region"
          hint="Where its data lives. It never changes."
          options={REGIONS.map((value) => ({ value, label: value }))}
          value={region.value}
          onChange={(to) => region.value = to as Region}
        />
        <div class="row end">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" busy={isBusy}>Create</Button>
        </div>
      </form>
    </Dialog>
  );
}

function Change({ of, onClose, onDone }: DialogProps & { readonly of: Workspace }) {
  const { maxSensitivity, rateLimit, recallDiaryDays } = of.settings;
  const form = useDraft(`Change ${of.id}`, {
    ...{ name: of.name, maxSensitivity, recallDiaryDays: String(recallDiaryDays) },
    ...{ perMinute: rateLimit === null ? "" : String(rateLimit.perMinute) },
  });
  const set = (change: Partial<typeof form.value>) => form.value = { ...form.value, ...change };
  const [run, isBusy, faultOf] = useAction();
  const save = async () => {
    const { name, perMinute, ...settings } = form.value;
    const body = {
      ...(name !== of.name && { name }),
      settings: {
        maxSensitivity: settings.maxSensitivity,
        recallDiaryDays: Number(settings.recallDiaryDays),
        rateLimit: toLimit(perMinute, rateLimit),
      },
    };
    if (!await run(() => svc.updateWorkspace({ id: of.id, ...body }, { ifMatch: of.version }), "Changed.")) return;
    onDone();
    onClose();
  };
  return (
    <Dialog title="Change the workspace" onClose={onClose}>
      <form class="stack" onSubmit={(event) => (event.preventDefault(), save())}>
        <TextField
          label="Name"
          value={form.value.name}
          fault={faultOf("name")}
          onInput={(name) => set({ name })}
        />
        <Select
          label="Its keys see up to"
          hint="No key sees more, whatever its own ceiling. It takes effect at once."
          options={CEILINGS}
          value={form.value.maxSensitivity}
          onChange={(to) => set({ maxSensitivity: to as Sensitivity })}
        />
        <TextField
          label="Requests a minute for each key"
          hint="Empty: as the service is configured. 0: no limit. A key may have a limit of its own."
          type="number"
          min={0}
          value={form.value.perMinute}
          fault={faultOf("settings.rateLimit.perMinute")}
          onInput={(perMinute) => set({ perMinute })}
        />
        <TextField
          label="Days for which it keeps recalls"
          hint="What was asked, by whom, and what was shown. 0: keeps none."
          type="number"
          min={0}
          max={90}
          value={form.value.recallDiaryDays}
          fault={faultOf("settings.recallDiaryDays")}
          onInput={(recallDiaryDays) => set({ recallDiaryDays })}
        />
        <div class="row end">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" busy={isBusy}>Save</Button>
        </div>
      </form>
    </Dialog>
  );
}

/** A limit on the requests of a minute, a fifth of which may come at once, as the service has it by default. */
function toLimit(perMinute: string, before: Workspace["settings"]["rateLimit"]): Workspace["settings"]["rateLimit"] {
  if (perMinute.trim() === "") return null;
  const n = Number(perMinute);
  return n === before?.perMinute ? before : { perMinute: n, burst: Math.max(1, Math.ceil(n / 5)) };
}
