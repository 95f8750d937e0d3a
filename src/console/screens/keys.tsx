/** Keys: who may call the service, what each may do, and when it last did. */
import { useSignal } from "@preact/signals";
import type { ApiKey, IssuedApiKey } from "../../../clients/typescript/mod.ts";
import { createKey, listKeys, revokeKey, rotateKey, sayScopes, wordsOf } from "../keys.ts";
import { go, type ScreenProps } from "../router.ts";
import { admin, isWriting, logout, me } from "../session.ts";
import { Badge } from "../ui/badge.tsx";
import { confirm, Dialog } from "../ui/dialog.tsx";
import { useDraft } from "../ui/draft.ts";
import { Button, Check, Select, TextField } from "../ui/form.tsx";
import { AGENTS_RIGHTS, RightsFields, Secret } from "../ui/key.tsx";
import { useAction, usePages } from "../ui/load.ts";
import { Name } from "../ui/name.tsx";
import { PagedTable } from "../ui/table.tsx";
import { sayAgo, When, Words } from "../ui/words.tsx";
import { onlyOf, useWorkspaces, withNone, WorkspaceName, type Workspaces } from "../workspaces.tsx";

export function Keys({ query: { workspace = "" } }: ScreenProps) {
  const workspaces = useWorkspaces();
  const showsEnded = useSignal(false);
  const pages = usePages(
    (cursor, signal) => listKeys({ workspaceId: workspace, cursor }, signal),
    [workspace],
  );
  const dialog = useSignal<"create" | ApiKey | undefined>(undefined);
  const isOver = (key: ApiKey) =>
    key.revokedAt !== null || (key.expiresAt !== null && new Date(key.expiresAt) <= new Date());
  const shown = {
    ...pages,
    pages: pages.pages.map((page) => page.filter((key) => showsEnded.value || !isOver(key))),
  };
  const close = () => dialog.value = undefined;
  return (
    <>
      <h1>Keys</h1>
      <p class="lead">
        Every program and person calls the service with a key of its own, so that the audit log tells them apart. A key
        opens one workspace.
      </p>
      <div class="row filters">
        {isWriting.value && <Button kind="primary" onClick={() => dialog.value = "create"}>Create a key…</Button>}
        {admin.value !== null && (
          <Select
            label="Workspace"
            options={[{ value: "", label: "all" }, ...workspaces.choices]}
            value={workspace}
            onChange={(to) => go("/keys", { workspace: to }, { replace: true })}
          />
        )}
        <Check label="Also those that have ended" checked={showsEnded.value} onChange={(on) => showsEnded.value = on} />
      </div>
      <PagedTable
        caption="keys"
        pages={shown}
        keyOf={({ id }) => id}
        empty={`No key is in force here.${isWriting.value ? "" : " Allow changes (above) to create one."}`}
        columns={[
          {
            head: "Name",
            isWide: true,
            cell: (key) => (
              <>
                <Words text={key.name} lines /> <code title="How the key begins, after its prefix">{key.publicId}</code>
                {" "}
                {isOwn(key) && <Badge tone="info">yours</Badge>}
              </>
            ),
          },
          ...(admin.value === null ? [] : [{
            head: "Workspace",
            cell: (key: ApiKey) => <WorkspaceName id={key.workspaceId} of={workspaces} />,
          }]),
          {
            head: "May",
            isWide: true,
            cell: ({ scopes }) => <span title={scopes.join(", ")}>{sayScopes(scopes)}</span>,
          },
          { head: "Sees up to", cell: ({ maxSensitivity }) => maxSensitivity },
          {
            head: "Last used",
            cell: (key) =>
              isOwn(key) ? "in use by you" : key.lastUsedAt === null ? "never" : <When at={key.lastUsedAt} as="ago" />,
          },
          { head: "Created", cell: ({ createdAt }) => <When at={createdAt} /> },
          { head: "Ends", cell: (key) => <End of={key} isOver={isOver(key)} /> },
          ...(!isWriting.value ? [] : [{
            head: "Change",
            cell: (key: ApiKey) =>
              isOver(key)
                ? ""
                : <Acts of={key} workspaces={workspaces} onRotate={() => dialog.value = key} onDone={pages.reload} />,
          }]),
        ]}
      />
      {dialog.value === "create" && (
        <Create workspaces={workspaces} workspaceId={workspace} onClose={close} onDone={pages.reload} />
      )}
      {typeof dialog.value === "object" && <Rotate of={dialog.value} onClose={close} onDone={pages.reload} />}
    </>
  );
}

/** Whether it is the key by which this session was opened. */
function isOwn({ id }: ApiKey): boolean {
  return me.value?.key?.id === id;
}

function End(
  { of: { revokedAt, expiresAt, formerValidUntil }, isOver }: { readonly of: ApiKey; readonly isOver: boolean },
) {
  if (revokedAt !== null) return <Badge tone="bad" title={`Revoked ${sayAgo(revokedAt)}`}>revoked</Badge>;
  if (isOver) return <Badge title={`Ended ${sayAgo(expiresAt!)}`}>ended</Badge>;
  return (
    <>
      {expiresAt === null ? "never" : <When at={expiresAt} />}{" "}
      {formerValidUntil !== null && (
        <Badge tone="warn" title={`Until then the secret before it counts, too: ${formerValidUntil}`}>rotating</Badge>
      )}
    </>
  );
}

function Acts({ of: key, workspaces, onRotate, onDone }: {
  readonly of: ApiKey;
  readonly workspaces: Workspaces;
  readonly onRotate: () => void;
  readonly onDone: () => void;
}) {
  const [run, isBusy] = useAction();
  const revoke = async () => {
    const isSure = await confirm({
      title: "Revoke the key?",
      action: "Revoke",
      danger: true,
      text: (
        <>
          <p>
            <Name of={key.name} />{" "}
            {key.lastUsedAt === null ? "has never been used." : `was last used ${sayAgo(key.lastUsedAt)}.`}
          </p>
          <p>
            Whatever uses it is refused at once and for good: it can no longer {wordsOf(key.scopes).join(", ")}
            {admin.value !== null && (
              <>
                {" "}in <WorkspaceName id={key.workspaceId} of={workspaces} inline />
              </>
            )}. Its open streams and its sessions of the console end.
          </p>
          {isOwn(key)
            ? <p>It is the key of your own session: you will be logged out.</p>
            : <p>To replace its secret without a pause, rotate it instead.</p>}
        </>
      ),
    });
    if (!isSure || !await run(() => revokeKey(key.id), "Revoked.")) return;
    if (isOwn(key)) await logout();
    else onDone();
  };
  return (
    <div class="row tight">
      <Button small onClick={onRotate}>Rotate…</Button>
      <Button small kind="danger" busy={isBusy} onClick={revoke}>Revoke…</Button>
    </div>
  );
}

const LIVES = [["", "never"], ["30", "in 30 days"], ["90", "in 90 days"], ["365", "in a year"]] as const;

function Create({ workspaces, workspaceId, onClose, onDone }: {
  readonly workspaces: Workspaces;
  readonly workspaceId: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const name = useDraft("Create", ""), days = useSignal(""), rights = useDraft("Create: rights", AGENTS_RIGHTS);
  const place = useSignal(workspaceId || onlyOf(workspaces));
  const made = useSignal<IssuedApiKey | undefined>(undefined);
  const fault = useSignal(""), placeFault = useSignal("");
  const [run, isBusy, faultOf] = useAction();
  const create = () => {
    fault.value = name.value.trim() === "" ? "Give it a name by which you will know it again." : "";
    placeFault.value = place.value === "" ? "Choose the one that it opens." : "";
    if (fault.value !== "" || placeFault.value !== "" || rights.value.scopes.length === 0) return;
    const { scopes, maxSensitivity } = rights.value;
    const expiresAt = days.value === "" ? null : new Date(Date.now() + Number(days.value) * 86_400_000).toISOString();
    run(async () => {
      made.value = await createKey({
        name: name.value.trim(),
        workspaceId: place.value,
        scopes,
        maxSensitivity,
        expiresAt,
      });
      onDone();
    });
  };
  if (made.value !== undefined) return <Shown of={made.value} title="The key was created" onClose={onClose} />;
  return (
    <Dialog title="Create a key" onClose={onClose}>
      <form class="stack" noValidate onSubmit={(event) => (event.preventDefault(), create())}>
        <TextField
          label="Name"
          hint="Who or what will use it, such as claude-code or ada."
          value={name.value}
          fault={fault.value || faultOf("name")}
          onInput={(text) => name.value = text}
        />
        {admin.value !== null && (
          <Select
            label="Workspace"
            options={withNone(workspaces, place.value)}
            value={place.value}
            fault={placeFault.value || faultOf("workspaceId")}
            onChange={(to) => place.value = to}
          />
        )}
        <RightsFields value={rights.value} onChange={(to) => rights.value = to} />
        {rights.value.scopes.length === 0 && <p class="fault" role="alert">Tick at least one thing that it may do.</p>}
        <Select
          label="Ends"
          options={LIVES.map(([value, label]) => ({ value, label }))}
          value={days.value}
          onChange={(to) => days.value = to}
        />
        <div class="row end">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" busy={isBusy}>Create</Button>
        </div>
      </form>
    </Dialog>
  );
}

const OVERLAPS = [["86400", "for a day"], ["3600", "for an hour"], ["604800", "for a week"], [
  "0",
  "not at all",
]] as const;

function Rotate({ of, onClose, onDone }: {
  readonly of: ApiKey;
  readonly onClose: () => void;
  readonly onDone: () => void;
}) {
  const overlap = useSignal("86400"), made = useSignal<IssuedApiKey | undefined>(undefined);
  const [run, isBusy] = useAction();
  const rotate = () =>
    run(async () => {
      made.value = await rotateKey(of.id, Number(overlap.value));
      onDone();
    });
  if (made.value !== undefined) return <Shown of={made.value} title="The new secret" onClose={onClose} />;
  return (
    <Dialog title="Rotate the key" onClose={onClose}>
      <form class="stack" onSubmit={(event) => (event.preventDefault(), rotate())}>
        <p>
          <Name of={of.name} /> gets a new secret; its name and what it may do stay.
        </p>
        {isOwn(of) && <p>It is the key of your own session, which ends with the present secret.</p>}
        <Select
          label="The present secret still counts"
          hint="Until then you can replace it wherever the key is used."
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
  readonly of: IssuedApiKey;
  readonly title: string;
  readonly onClose: () => void;
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <Secret of={of} />
      <div class="row end">
        <Button onClick={onClose}>I have kept it</Button>
      </div>
    </Dialog>
  );
}
