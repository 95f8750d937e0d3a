/** What admins did, in the service's own chain, and whether that chain is whole. */
import { useSignal } from "@preact/signals";
import { href, type ScreenProps } from "../router.ts";
import { svc } from "../session.ts";
import { Actor } from "../ui/actor.tsx";
import { type Filter, Filters } from "../ui/filters.tsx";
import { Button } from "../ui/form.tsx";
import { useAction, usePages } from "../ui/load.ts";
import { Alert } from "../ui/states.tsx";
import { PagedTable } from "../ui/table.tsx";
import { When } from "../ui/words.tsx";
import { useWorkspaces, WorkspaceName } from "../workspaces.tsx";

/** What a person looks for, by the names of the events that belong to it. */
const KINDS = [
  {
    value: "",
    label: "all acts",
    names: ["api_key.", "workspace.", "break_glass.", "admin.", "admin_key.", "broker_key.", "console_session."],
  },
  { value: "tenants", label: "apps and their users", names: ["broker_key.", "tenant."] },
  { value: "keys", label: "keys of workspaces", names: ["api_key.", "admin.opened_workspace"] },
  { value: "workspaces", label: "workspaces", names: ["workspace."] },
  { value: "access", label: "access to workspaces", names: ["break_glass.", "admin.opened_workspace"] },
  { value: "admins", label: "admins and their keys", names: ["admin.", "admin_key."] },
  { value: "logins", label: "logins to the console", names: ["console_session."] },
  { value: "refused", label: "what was refused", names: ["refused."] },
  { value: "read", label: "what was read", names: ["read."] },
  { value: "all", label: "everything", names: undefined },
] as const;

const FILTERS: readonly Filter[] = [
  { name: "kind", label: "What", options: KINDS },
  { name: "target", label: "About (id)" },
  { name: "from", label: "From", kind: "time" },
  { name: "to", label: "To", kind: "time" },
];

export function AdminAudit({ query }: ScreenProps) {
  const { kind = "", target = "", from = "", to = "" } = query;
  const names = KINDS.find((one) => one.value === kind)?.names;
  const workspaces = useWorkspaces();
  const pages = usePages(
    (cursor, signal) =>
      svc.listAdminAudit({
        limit: 50,
        ...(names && target === "" && { eventType: [...names] }),
        ...(target && { target }),
        ...(from && { from }),
        ...(to && { to }),
        ...(cursor && { cursor }),
      }, { signal }),
    [kind, target, from, to],
  );
  return (
    <>
      <h1>What admins did</h1>
      <p class="lead">
        Each act of an admin and of the command line, the latest first; the filter also shows what was refused and what
        was read. What was done to a workspace stands in that workspace's audit log, too.
      </p>
      <Chain />
      <Filters path="/admin/audit" query={query} filters={FILTERS} />
      <PagedTable
        caption="acts of admins"
        pages={pages}
        keyOf={({ id }) => id}
        empty={<a href={href("/admin/audit")}>Clear the filter</a>}
        columns={[
          { head: "Row", isNumber: true, cell: ({ seq }) => seq },
          { head: "When", cell: (row) => <When at={row.created_at} as="moment" /> },
          { head: "Who", isWide: true, cell: ({ actor_id: id, detail }) => <Actor id={id} name={detail["admin"]} /> },
          {
            head: "What",
            cell: ({ event_type: what }) => <span class="unbroken" title={what}>{what.replaceAll(/[._]/g, " ")}</span>,
          },
          { head: "Outcome", cell: ({ outcome }) => outcome },
          {
            head: "About",
            cell: ({ targets: [first], target_count: n, event_type: what }) =>
              first === undefined
                ? ""
                : what.startsWith("read.") && n > 1
                ? `${n} things`
                : (
                  <a href={href("/admin/audit", { target: first })}>
                    <WorkspaceName id={first} of={workspaces} />
                  </a>
                ),
          },
          { head: "From", cell: ({ ip_address: address }) => address ?? "" },
        ]}
      />
    </>
  );
}

function Chain() {
  const found = useSignal<string | undefined>(undefined), isBad = useSignal(false);
  const [run, isBusy] = useAction();
  const verify = () =>
    run(async () => {
      const { ok, size, problem, firstBadSeq } = await svc.verifyAdminAudit({});
      isBad.value = !ok;
      found.value = ok
        ? `All ${size.toLocaleString("en")} rows are as they were written.`
        : `Row ${firstBadSeq ?? "?"} is ${problem}. Somebody has changed the log in the database.`;
    });
  return (
    <div class="filters">
      <Button busy={isBusy} onClick={verify}>Verify the chain</Button>
      {found.value && <Alert tone={isBad.value ? "bad" : "good"}>{found.value}</Alert>}
    </div>
  );
}
