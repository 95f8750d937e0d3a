/** The users of an app: whose memory is in service, and how it is suspended and erased. */
import { useSignal } from "@preact/signals";
import type { Tenant, TenantState } from "../../../clients/typescript/mod.ts";
import { go, href, type ScreenProps } from "../router.ts";
import { isWriting, svc } from "../session.ts";
import { Badge } from "../ui/badge.tsx";
import { confirm, Dialog } from "../ui/dialog.tsx";
import { Filters } from "../ui/filters.tsx";
import { Button, Select, TextField } from "../ui/form.tsx";
import { useAction, useLoad, usePages } from "../ui/load.ts";
import { Name } from "../ui/name.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { PagedTable, Table } from "../ui/table.tsx";
import { count, Id, When, Words } from "../ui/words.tsx";

const APPS_MAX = 200;
const PATH = "/admin/tenants";

export function AdminTenants({ query }: ScreenProps) {
  const apps = useLoad(async (signal) => (await svc.listBrokerKeys({ limit: APPS_MAX }, { signal })).data, []);
  const app = query["app"] ?? (apps.data?.length === 1 ? apps.data[0]!.id : "");
  return (
    <>
      <h1>Tenants</h1>
      <p class="lead">
        The users of an app, each with a workspace that no other user reaches. What is in one is shown only after{" "}
        <a href={href("/admin/access")}>a second admin has agreed</a>; then it can be exported, too.
      </p>
      <Loaded load={apps}>
        {(found) =>
          found.length === 0
            ? (
              <Empty title="No app makes workspaces here">
                <a href={href("/admin/apps")}>Add an app</a>, and give its key to whoever runs it.
              </Empty>
            )
            : (
              <>
                <div class="row filters">
                  <Select
                    label="App"
                    options={[
                      ...(app === "" ? [{ value: "", label: "Choose…" }] : []),
                      ...found.map(({ id, name }) => ({ value: id, label: name })),
                    ]}
                    value={app}
                    onChange={(to) => go(PATH, { app: to }, { replace: true })}
                  />
                </div>
                {app !== "" && <Users key={app} app={app} query={query} />}
              </>
            )}
      </Loaded>
    </>
  );
}

const STATES: readonly { readonly value: string; readonly label: string }[] = [
  { value: "", label: "any" },
  { value: "active", label: "in service" },
  { value: "suspended", label: "suspended" },
  { value: "erasing", label: "being erased" },
  { value: "erased", label: "erased" },
];

function Users({ app, query }: { readonly app: string; readonly query: ScreenProps["query"] }) {
  const { q = "", state = "" } = query;
  const filter = { ...(q && { q }), ...(state && { state: state as TenantState }) };
  const pages = usePages(
    (cursor, signal) => svc.listTenants({ brokerId: app, limit: 50, ...filter, ...(cursor && { cursor }) }, { signal }),
    [app, q, state],
  );
  const dialog = useSignal<Tenant | undefined>(undefined);
  const close = () => dialog.value = undefined;
  return (
    <>
      <Filters
        path={PATH}
        query={{ ...query, app }}
        filters={[
          { name: "q", label: "User begins with", kind: "search" },
          { name: "state", label: "State", options: STATES },
        ]}
      />
      <PagedTable
        caption="tenants"
        pages={pages}
        keyOf={({ id }) => id}
        empty={q || state ? "No user matches." : "The app has made no workspace yet."}
        columns={[
          {
            head: "User",
            isWide: true,
            cell: ({ id, externalId }) => (
              <>
                {externalId === null ? <span class="quiet">erased</span> : <Words text={externalId} lines />}{" "}
                <Id id={id} />
              </>
            ),
          },
          { head: "State", cell: ({ state }) => <State of={state} /> },
          { head: "Created", cell: ({ createdAt }) => <When at={createdAt} /> },
          { head: "Changed", cell: ({ updatedAt }) => <When at={updatedAt} as="ago" /> },
          {
            head: "More",
            cell: (one) => <Acts of={one} onErase={() => dialog.value = one} onDone={pages.reload} />,
          },
        ]}
      />
      {dialog.value?.state === "erased" && <Receipt of={dialog.value} onClose={close} />}
      {dialog.value !== undefined && dialog.value.state !== "erased" && (
        <Erase
          of={dialog.value}
          onClose={close}
          onDone={(receipt) => (dialog.value = receipt, pages.reload())}
        />
      )}
    </>
  );
}

const TONES = { creating: "info", active: "good", suspended: "warn", erasing: "bad", erased: "quiet" } as const;
const MEANS: Readonly<Record<TenantState, string>> = {
  creating: "Its workspace may not be there yet",
  active: "Its workspace is in service",
  suspended: "Every request in its workspace is refused",
  erasing: "An erasure broke off; erase it again to finish",
  erased: "Nothing of it is left but the receipt",
};

function State({ of }: { readonly of: TenantState }) {
  return <Badge tone={TONES[of]} title={MEANS[of]}>{STATES.find(({ value }) => value === of)?.label ?? of}</Badge>;
}

function Acts({ of, onErase, onDone }: {
  readonly of: Tenant;
  readonly onErase: () => void;
  readonly onDone: () => void;
}) {
  const [run, isBusy] = useAction();
  if (of.state === "erased") return <Button small onClick={onErase}>Receipt…</Button>;
  if (!isWriting.value) return <>—</>;
  const suspend = async () => {
    const isSure = await confirm({
      title: "Suspend the user?",
      action: "Suspend",
      danger: true,
      text: (
        <p>
          Every request in the workspace of <Name of={of.externalId ?? ""} />{" "}
          is refused at once, by every key and token, until you resume it. Nothing in it is changed.
        </p>
      ),
    });
    if (isSure && await run(() => svc.suspendTenant({ id: of.id }), "Suspended.")) onDone();
  };
  const resume = async () => await run(() => svc.resumeTenant({ id: of.id }), "In service again.") && onDone();
  return (
    <div class="row tight">
      {of.state === "active" && <Button small busy={isBusy} onClick={suspend}>Suspend…</Button>}
      {of.state === "suspended" && <Button small busy={isBusy} onClick={resume}>Resume</Button>}
      <Button small kind="danger" onClick={onErase}>Erase…</Button>
    </div>
  );
}

/** Erases after the person has typed the user's id: nothing brings it back. */
function Erase({ of, onClose, onDone }: {
  readonly of: Tenant;
  readonly onClose: () => void;
  readonly onDone: (receipt: Tenant) => void;
}) {
  const typed = useSignal(""), fault = useSignal("");
  const [run, isBusy] = useAction();
  const name = of.externalId ?? "";
  const erase = () => {
    fault.value = typed.value === name ? "" : "It is another text.";
    if (fault.value !== "") return;
    run(async () => onDone(await svc.eraseTenant({ id: of.id }, { timeoutMs: 600_000 })));
  };
  return (
    <Dialog title="Erase everything of the user" onClose={onClose}>
      <form class="stack" noValidate onSubmit={(event) => (event.preventDefault(), erase())}>
        <p>
          All memory of <Name of={name} />{" "}
          is deleted, of every sensitivity, with its keys and this id. Nobody can bring it back. What the audit log
          recorded stays: it holds ids and no content.
        </p>
        <TextField
          label={`Type ${name} to erase it`}
          autocomplete="off"
          value={typed.value}
          fault={fault.value}
          onInput={(text) => typed.value = text}
        />
        <div class="row end">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="danger" busy={isBusy}>Erase</Button>
        </div>
      </form>
    </Dialog>
  );
}

function Receipt({ of, onClose }: { readonly of: Tenant; readonly onClose: () => void }) {
  const rows = Object.entries(of.erasedRows ?? {}).sort(([a], [b]) => a < b ? -1 : 1);
  return (
    <Dialog title="Erased" onClose={onClose}>
      <p>
        Tenant <Id id={of.id} /> was erased <When at={of.erasedAt!} as="moment" />. This is what it had:
      </p>
      <Table
        caption="rows that were deleted"
        rows={rows}
        keyOf={([table]) => table}
        columns={[
          { head: "Table", isWide: true, cell: ([table]) => <code>{table}</code> },
          { head: "Rows", isNumber: true, cell: ([, n]) => count(n) },
        ]}
      />
      <div class="row end">
        <Button kind="primary" onClick={onClose}>Done</Button>
      </div>
    </Dialog>
  );
}
