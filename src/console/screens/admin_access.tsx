/** Access of admins to workspaces: one asks, another one agrees, for a limited time, and everything is recorded. */
import { useSignal } from "@preact/signals";
import type { BreakGlassRequest, BreakGlassState, Scope, Sensitivity } from "../../../clients/typescript/mod.ts";
import { CEILINGS, sayScopes } from "../keys.ts";
import type { ScreenProps } from "../router.ts";
import { admin, enterWorkspace, grant, isWriting, leaveWorkspace, svc } from "../session.ts";
import { Badge, type Tone } from "../ui/badge.tsx";
import { confirm, Dialog } from "../ui/dialog.tsx";
import { useDraft } from "../ui/draft.ts";
import { Button, Select, TextField } from "../ui/form.tsx";
import { useAction, usePages } from "../ui/load.ts";
import { Name } from "../ui/name.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { sayAgo, When, Words } from "../ui/words.tsx";
import { onlyOf, useWorkspaces, withNone, WorkspaceName, type Workspaces } from "../workspaces.tsx";

const TONES: Readonly<Record<BreakGlassState, Tone>> = {
  pending: "warn",
  approved: "good",
  denied: "bad",
  revoked: "bad",
  expired: "quiet",
};

export function AdminAccess(_: ScreenProps) {
  const workspaces = useWorkspaces();
  const pages = usePages(
    (cursor, signal) => svc.listBreakGlass({ limit: 20, ...(cursor && { cursor }) }, { signal }),
    [],
  );
  const dialog = useSignal<"ask" | BreakGlassRequest | undefined>(undefined);
  const close = () => dialog.value = undefined;
  return (
    <>
      <h1>Access to workspaces</h1>
      <p class="lead">
        An admin sees nothing of what a workspace holds. When that is needed, one admin asks with a reason, and a second
        one agrees, each with a one-time code. The access ends by itself, and the workspace's own audit log shows the
        request, the agreement and each use. (Its name elsewhere is break-glass.)
      </p>
      {isWriting.value && (
        <p>
          <Button kind="primary" onClick={() => dialog.value = "ask"}>Ask for access…</Button>
        </p>
      )}
      <Loaded load={pages} what="requests">
        {(requests) =>
          requests.length === 0
            ? (
              <Empty title="Nobody has asked yet">
                {!isWriting.value && "Allow changes (above) to ask for access."}
              </Empty>
            )
            : (
              <ol class="list stack">
                {requests.map((one) => (
                  <li key={one.id} class="card">
                    <Request
                      of={one}
                      workspaces={workspaces}
                      onApprove={() => dialog.value = one}
                      onDone={pages.reload}
                    />
                  </li>
                ))}
              </ol>
            )}
      </Loaded>
      {pages.hasMore && (
        <p class="more">
          <Button onClick={pages.more} busy={pages.isLoading}>Show more</Button>
        </p>
      )}
      {dialog.value === "ask" && <Ask workspaces={workspaces} onClose={close} onDone={pages.reload} />}
      {typeof dialog.value === "object" && (
        <Approve of={dialog.value} workspaces={workspaces} onClose={close} onDone={pages.reload} />
      )}
    </>
  );
}

interface RequestProps {
  readonly of: BreakGlassRequest;
  readonly workspaces: Workspaces;
}

function Request({ of, workspaces, onApprove, onDone }: RequestProps & {
  readonly onApprove: () => void;
  readonly onDone: () => void;
}) {
  return (
    <>
      <div class="row between">
        <h2>
          <WorkspaceName id={of.workspaceId} of={workspaces} />
        </h2>
        <Badge tone={TONES[of.state]}>{of.state}</Badge>
      </div>
      <p>
        <Words text={of.reason} />
      </p>
      <p class="quiet">
        <Name of={of.requestedBy.name} /> asked <When at={of.createdAt} as="ago" />: {sayScopes(of.scopes)}, up to{" "}
        {of.maxSensitivity}, for {sayTime(of.ttlSeconds)}. <Course of={of} />
      </p>
      <Acts of={of} onApprove={onApprove} onDone={onDone} />
    </>
  );
}

/** What became of a request. */
function Course({ of: { state, pendingUntil, approvedBy, expiresAt, endedBy, endedAt, uses, lastUsedAt } }: {
  readonly of: BreakGlassRequest;
}) {
  return (
    <>
      {approvedBy && (
        <>
          <Name of={approvedBy.name} /> agreed, until <When at={expiresAt!} as="moment" />.{" "}
        </>
      )}
      {endedBy && (
        <>
          <Name of={endedBy.name} /> {state === "denied" ? "denied it" : "ended it"} <When at={endedAt!} as="ago" />.
          {" "}
        </>
      )}
      {state === "pending" && (
        <>
          Another admin may agree until <When at={pendingUntil} as="moment" />.
        </>
      )}
      {uses > 0 && `Used ${uses === 1 ? "once" : `${uses} times`}, last ${sayAgo(lastUsedAt!)}.`}
    </>
  );
}

function Acts({ of, onApprove, onDone }: {
  readonly of: BreakGlassRequest;
  readonly onApprove: () => void;
  readonly onDone: () => void;
}) {
  const [run, isBusy] = useAction();
  const isMine = of.requestedBy.id === admin.value?.id;
  const isIn = grant.value?.id === of.id;
  const end = async (as: "deny" | "revoke") => {
    if (as === "revoke" && of.state === "approved") {
      const isSure = await confirm({
        title: "End the access?",
        text: "It ends at once, and cannot be taken up again: somebody would have to ask anew.",
        action: "End it",
        danger: true,
      });
      if (!isSure) return;
    }
    const work = () => as === "deny" ? svc.denyBreakGlass({ id: of.id }) : svc.revokeBreakGlass({ id: of.id });
    if (!await run(work, as === "deny" ? "Denied." : "Ended.")) return;
    if (isIn) leaveWorkspace();
    onDone();
  };
  const isOpen = of.state === "approved" && isMine;
  if (!isOpen && (!isWriting.value || !["pending", "approved"].includes(of.state))) return null;
  return (
    <div class="row">
      {isOpen && (isIn
        ? <Button onClick={leaveWorkspace}>Leave the workspace</Button>
        : (
          <Button kind="primary" busy={isBusy} onClick={() => run(() => enterWorkspace(of))}>
            Enter the workspace
          </Button>
        ))}
      {isWriting.value && of.state === "pending" && !isMine && (
        <>
          <Button kind="primary" onClick={onApprove}>Agree…</Button>
          <Button
            busy={isBusy}
            onClick={() => end("deny")}
          >
            Deny
          </Button>
        </>
      )}
      {isWriting.value && of.state === "pending" && isMine && (
        <Button
          busy={isBusy}
          onClick={() => end("revoke")}
        >
          Withdraw
        </Button>
      )}
      {isWriting.value && of.state === "approved" && (
        <Button
          kind="danger"
          busy={isBusy}
          onClick={() => end("revoke")}
        >
          End the access…
        </Button>
      )}
    </div>
  );
}

const TIMES = [["900", "15 minutes"], ["3600", "an hour"], ["14400", "4 hours"], ["86400", "a day"]] as const;

function sayTime(seconds: number): string {
  const known = TIMES.find(([value]) => Number(value) === seconds);
  return known?.[1] ?? (seconds < 7_200 ? `${Math.ceil(seconds / 60)} minutes` : `${Math.ceil(seconds / 3_600)} hours`);
}

const READS: readonly Scope[] = ["memory:read"];
const LOOKS: readonly { readonly value: string; readonly label: string; readonly scopes: readonly Scope[] }[] = [
  { value: "read", label: "Read what it knows", scopes: READS },
  { value: "audit", label: "Read what it knows, and its audit log", scopes: [...READS, "audit:read"] },
  { value: "mend", label: "Read and correct what it knows", scopes: [...READS, "memory:write"] },
];

interface DialogProps {
  readonly workspaces: Workspaces;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function Ask({ workspaces, onClose, onDone }: DialogProps) {
  const totp = useSignal("");
  const form = useDraft("Ask", {
    ...{ workspaceId: onlyOf(workspaces), reason: "", look: "read", ttl: "3600" },
    maxSensitivity: "confidential" as Sensitivity,
  });
  const set = (change: Partial<typeof form.value>) => form.value = { ...form.value, ...change };
  const fault = useSignal(""), placeFault = useSignal("");
  const [run, isBusy, faultOf] = useAction();
  const ask = async () => {
    const { workspaceId, reason, look, ttl, maxSensitivity } = form.value;
    fault.value = reason.trim() === "" ? "Say why; the workspace reads it." : "";
    placeFault.value = workspaceId === "" ? "Choose the one to enter." : "";
    if (fault.value !== "" || placeFault.value !== "") return;
    const scopes = [...LOOKS.find((one) => one.value === look)!.scopes];
    const body = {
      workspaceId,
      reason: reason.trim(),
      scopes,
      maxSensitivity,
      ttlSeconds: Number(ttl),
      totp: digits(totp.value),
    };
    const isDone = await run(() => svc.requestBreakGlass(body), "Asked. Another admin has an hour to agree.");
    totp.value = "";
    if (!isDone) return;
    onDone();
    onClose();
  };
  return (
    <Dialog title="Ask for access" onClose={onClose}>
      <form class="stack" noValidate onSubmit={(event) => (event.preventDefault(), ask())}>
        <Select
          label="Workspace"
          options={withNone(workspaces, form.value.workspaceId)}
          value={form.value.workspaceId}
          fault={placeFault.value || faultOf("workspaceId")}
          onChange={(workspaceId) => set({ workspaceId })}
        />
        <TextField
          label="Reason"
          hint="The workspace reads it in its audit log."
          rows={2}
          value={form.value.reason}
          fault={fault.value || faultOf("reason")}
          onInput={(reason) => set({ reason })}
        />
        <Select label="To" options={LOOKS} value={form.value.look} onChange={(look) => set({ look })} />
        <Select
          label="Sees up to"
          options={CEILINGS}
          value={form.value.maxSensitivity}
          onChange={(to) => set({ maxSensitivity: to as Sensitivity })}
        />
        <Select
          label="For"
          hint="From the agreement on."
          options={TIMES.map(([value, label]) => ({ value, label }))}
          value={form.value.ttl}
          onChange={(ttl) => set({ ttl })}
        />
        <Code value={totp.value} fault={faultOf("totp")} onInput={(text) => totp.value = text} />
        <div class="row end">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" busy={isBusy}>Ask</Button>
        </div>
      </form>
    </Dialog>
  );
}

function Approve({ of, workspaces, onClose, onDone }: RequestProps & DialogProps) {
  const totp = useSignal("");
  const [run, isBusy, faultOf] = useAction();
  const approve = async () => {
    const code = digits(totp.value);
    totp.value = "";
    if (!await run(() => svc.approveBreakGlass({ id: of.id, totp: code }), "Agreed.")) return;
    onDone();
    onClose();
  };
  return (
    <Dialog title="Agree to the access" onClose={onClose}>
      <form class="stack" noValidate onSubmit={(event) => (event.preventDefault(), approve())}>
        <p>
          <Name of={of.requestedBy.name} /> will be in <WorkspaceName id={of.workspaceId} of={workspaces} inline /> for
          {" "}
          {sayTime(of.ttlSeconds)} from now: {sayScopes(of.scopes)}, up to {of.maxSensitivity}.
        </p>
        <blockquote>
          <Words text={of.reason} />
        </blockquote>
        <Code value={totp.value} fault={faultOf("totp")} onInput={(text) => totp.value = text} />
        <div class="row end">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" busy={isBusy}>Agree</Button>
        </div>
      </form>
    </Dialog>
  );
}

function Code({ value, fault, onInput }: {
  readonly value: string;
  readonly fault: string | undefined;
  readonly onInput: (text: string) => void;
}) {
  return (
    <TextField
      label="One-time code"
      hint="Six digits from your authenticator. A code counts once: after one has been used, wait for the next."
      value={value}
      fault={fault}
      onInput={onInput}
      autocomplete="one-time-code"
    />
  );
}

/** Apps show a code in two groups. */
function digits(code: string): string {
  return code.replaceAll(/\s/g, "");
}
