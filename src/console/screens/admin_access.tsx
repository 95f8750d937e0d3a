/** Access of admins to workspaces: one asks, another one agrees, for a limited time, and everything is recorded. */
import { useSignal } from "@preact/signals";
import type { BreakGlassRequest, BreakGlassState } from "../../../clients/typescript/mod.ts";
import { sayScopes } from "../keys.ts";
import type { ScreenProps } from "../router.ts";
import { admin, enterWorkspace, grant, isWriting, leaveWorkspace, svc } from "../session.ts";
import { Badge, type Tone } from "../ui/badge.tsx";
import { confirm } from "../ui/dialog.tsx";
import { Button } from "../ui/form.tsx";
import { useAction, usePages } from "../ui/load.ts";
import { Name } from "../ui/name.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { sayAgo, When, Words } from "../ui/words.tsx";
import { useWorkspaces, WorkspaceName } from "../workspaces.tsx";
import { Approve, Ask, type RequestProps, sayTime } from "./admin_access/dialogs.tsx";

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
        text: "It ends at once and cannot be resumed: somebody would have to ask again.",
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
