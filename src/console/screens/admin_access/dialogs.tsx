/** The dialogs by which one admin asks for access to a workspace and another one agrees. */
import { useSignal } from "@preact/signals";
import type { BreakGlassRequest, Scope, Sensitivity } from "../../../../clients/typescript/mod.ts";
import { CEILINGS, sayScopes } from "../../keys.ts";
import { svc } from "../../session.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { useDraft } from "../../ui/draft.ts";
import { Button, Select, TextField } from "../../ui/form.tsx";
import { useAction } from "../../ui/load.ts";
import { Name } from "../../ui/name.tsx";
import { Words } from "../../ui/words.tsx";
import { onlyOf, withNone, WorkspaceName, type Workspaces } from "../../workspaces.tsx";

export interface RequestProps {
  readonly of: BreakGlassRequest;
  readonly workspaces: Workspaces;
}

const TIMES = [["900", "15 minutes"], ["3600", "an hour"], ["14400", "4 hours"], ["86400", "a day"]] as const;

export function sayTime(seconds: number): string {
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

export function Ask({ workspaces, onClose, onDone }: DialogProps) {
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
          hint="From the moment when the second admin agrees."
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

export function Approve({ of, workspaces, onClose, onDone }: RequestProps & DialogProps) {
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
