/** Apps that make a workspace for each of their users, each by the key of its broker. */
import { useSignal } from "@preact/signals";
import type { BrokerKey, IssuedBrokerKey, Region } from "../../../clients/typescript/mod.ts";
import { sayScopes } from "../keys.ts";
import { href, type ScreenProps } from "../router.ts";
import { isWriting, svc } from "../session.ts";
import { Badge } from "../ui/badge.tsx";
import { confirm, Dialog } from "../ui/dialog.tsx";
import { useDraft } from "../ui/draft.ts";
import { Button, Select, TextField } from "../ui/form.tsx";
import { AGENTS_RIGHTS, RightsFields, Secret } from "../ui/key.tsx";
import { useAction, usePages } from "../ui/load.ts";
import { Name } from "../ui/name.tsx";
import { PagedTable } from "../ui/table.tsx";
import { sayAgo, When, Words } from "../ui/words.tsx";

export function AdminApps(_: ScreenProps) {
  const pages = usePages(
    (cursor, signal) => svc.listBrokerKeys({ limit: 50, ...(cursor && { cursor }) }, { signal }),
    [],
  );
  const dialog = useSignal<"create" | BrokerKey | undefined>(undefined);
  const close = () => dialog.value = undefined;
  return (
    <>
      <h1>Apps</h1>
      <p class="lead">
        An app gives each of its users a workspace of their own, by the key of its broker. That key makes, suspends,
        exports and erases these workspaces; it reads and writes no memory itself.
      </p>
      {isWriting.value && (
        <p>
          <Button kind="primary" onClick={() => dialog.value = "create"}>Add an app…</Button>
        </p>
      )}
      <PagedTable
        caption="apps"
        pages={pages}
        keyOf={({ id }) => id}
        empty={`There is no app.${isWriting.value ? "" : " Allow changes (above) to add one."}`}
        columns={[
          {
            head: "Name",
            isWide: true,
            cell: (one) => (
              <>
                <Words text={one.name} lines /> <code title="How the key begins, after its prefix">{one.publicId}</code>
              </>
            ),
          },
          { head: "Region", cell: ({ region }) => <span class="unbroken">{region}</span> },
          {
            head: "Its users may",
            isWide: true,
            cell: ({ scopes }) => <span title={scopes.join(", ")}>{sayScopes(scopes)}</span>,
          },
          { head: "See up to", cell: ({ maxSensitivity }) => maxSensitivity },
          {
            head: "Last used",
            cell: ({ lastUsedAt }) => lastUsedAt === null ? "never" : <When at={lastUsedAt} as="ago" />,
          },
          { head: "Ends", cell: (one) => <End of={one} /> },
          {
            head: "More",
            cell: (one) => (
              <div class="row tight">
                <a class="button small" href={href("/admin/tenants", { app: one.id })}>Users</a>
                {isWriting.value && one.revokedAt === null && (
                  <Acts
                    of={one}
                    onRotate={() => dialog.value = one}
                    onDone={pages.reload}
                  />
                )}
              </div>
            ),
          },
        ]}
      />
      {dialog.value === "create" && <Create onClose={close} onDone={pages.reload} />}
      {typeof dialog.value === "object" && <Rotate of={dialog.value} onClose={close} onDone={pages.reload} />}
    </>
  );
}

function End({ of: { revokedAt, expiresAt, formerValidUntil } }: { readonly of: BrokerKey }) {
  if (revokedAt !== null) return <Badge tone="bad" title={`Revoked ${sayAgo(revokedAt)}`}>revoked</Badge>;
  return (
    <>
      {expiresAt === null ? "never" : <When at={expiresAt} />}{" "}
      {formerValidUntil !== null && (
        <Badge tone="warn" title={`Until then the secret before it counts, too: ${formerValidUntil}`}>rotating</Badge>
      )}
    </>
  );
}

interface DialogProps {
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function Acts({ of, onRotate, onDone }: {
  readonly of: BrokerKey;
  readonly onRotate: () => void;
  readonly onDone: () => void;
}) {
  const [run, isBusy] = useAction();
  const revoke = async () => {
    const isSure = await confirm({
      title: "Revoke the key of the app?",
      action: "Revoke",
      danger: true,
      text: (
        <>
          <p>
            <Name of={of.name} />{" "}
            can no longer open, suspend or erase its users, and the tokens that it gave end at once.
          </p>
          <p>The memory of its users stays, and admins manage it. To replace the secret without a pause, rotate it.</p>
        </>
      ),
    });
    if (isSure && await run(() => svc.revokeBrokerKey({ id: of.id }), "Revoked.")) onDone();
  };
  return (
    <>
      <Button small onClick={onRotate}>Rotate…</Button>
      <Button small kind="danger" busy={isBusy} onClick={revoke}>Revoke…</Button>
    </>
  );
}

const REGIONS: readonly Region[] = ["us-east-1", "eu-west-1", "ap-southeast-1"];

function Create({ onClose, onDone }: DialogProps) {
  const name = useDraft("Add an app", ""), rights = useDraft("Add an app: rights", AGENTS_RIGHTS);
  const region = useSignal<Region>(REGIONS[0]!), fault = useSignal("");
  const made = useSignal<IssuedBrokerKey | undefined>(undefined);
  const [run, isBusy, faultOf] = useAction();
  const create = () => {
    fault.value = name.value.trim() === "" ? "Give it the name of the app." : "";
    const { scopes, maxSensitivity } = rights.value;
    if (fault.value !== "" || scopes.length === 0) return;
    run(async () => {
      made.value = await svc.createBrokerKey({
        name: name.value.trim(),
        region: region.value,
        scopes: [...scopes],
        maxSensitivity,
      });
      onDone();
    });
  };
  if (made.value !== undefined) return <Shown of={made.value} title="The app is added" onClose={onClose} />;
  return (
    <Dialog title="Add an app" onClose={onClose}>
      <form class="stack" noValidate onSubmit={(event) => (event.preventDefault(), create())}>
        <TextField
          label="Name"
          hint="The audit log names it wherever the app does something. It never changes."
          value={name.value}
          fault={fault.value || faultOf("name")}
          onInput={(text) => name.value = text}
        />
        <Select
          label="Region"
          hint="Where the memory of its users lives. It never changes."
          options={REGIONS.map((value) => ({ value, label: value }))}
          value={region.value}
          onChange={(to) => region.value = to as Region}
        />
        <p class="hint">What its users may do at most, each in the own workspace:</p>
        <RightsFields value={rights.value} onChange={(to) => rights.value = to} />
        {faultOf("scopes") && <p class="fault" role="alert">{faultOf("scopes")}</p>}
        <div class="row end">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" busy={isBusy}>Add</Button>
        </div>
      </form>
    </Dialog>
  );
}

const OVERLAPS = [["86400", "for a day"], ["3600", "for an hour"], ["604800", "for a week"], [
  "0",
  "not at all",
]] as const;

function Rotate({ of, onClose, onDone }: DialogProps & { readonly of: BrokerKey }) {
  const overlap = useSignal("86400"), made = useSignal<IssuedBrokerKey | undefined>(undefined);
  const [run, isBusy] = useAction();
  const rotate = () =>
    run(async () => {
      made.value = await svc.rotateBrokerKey({ id: of.id, overlapSeconds: Number(overlap.value) });
      onDone();
    });
  if (made.value !== undefined) return <Shown of={made.value} title="The new secret" onClose={onClose} />;
  return (
    <Dialog title="Rotate the key of the app" onClose={onClose}>
      <form class="stack" onSubmit={(event) => (event.preventDefault(), rotate())}>
        <p>
          <Name of={of.name} /> gets a new secret and keeps its users.
        </p>
        <Select
          label="The present secret still counts"
          options={OVERLAPS.map(([value, label]) => ({ value, label }))}
          value={overlap.value}
          onChange={(to) => overlap.value = to}
        />
        <div class="row end">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" busy={isBusy}>Rotate</Button>
        </div>
      </form>
    </Dialog>
  );
}

function Shown({ of, title, onClose }: {
  readonly of: IssuedBrokerKey;
  readonly title: string;
  readonly onClose: () => void;
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <Secret of={of} />
      <div class="row end">
        <Button kind="primary" onClick={onClose}>Done</Button>
      </div>
    </Dialog>
  );
}
