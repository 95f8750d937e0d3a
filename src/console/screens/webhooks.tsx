/** Where changes are sent, and what became of each delivery. */
import { useSignal } from "@preact/signals";
import type { Webhook, WebhookDelivery, WebhookDeliveryState } from "../../../clients/typescript/mod.ts";
import { go, href, type ScreenProps } from "../router.ts";
import { isWriting, svc } from "../session.ts";
import { Badge, type Tone } from "../ui/badge.tsx";
import { confirm, Dialog } from "../ui/dialog.tsx";
import { useDraft } from "../ui/draft.ts";
import { Button, Select, TextField } from "../ui/form.tsx";
import { useAction, useLoad, usePages } from "../ui/load.ts";
import { Loaded } from "../ui/states.tsx";
import { PagedTable } from "../ui/table.tsx";
import { Copy, When, Words } from "../ui/words.tsx";

const TONES: Readonly<Record<string, Tone>> = {
  enabled: "good",
  disabled: "bad",
  unverified: "warn",
  delivered: "good",
  pending: "info",
  dead: "bad",
  skipped: "quiet",
};

export function Webhooks(_: ScreenProps) {
  const pages = usePages(
    (cursor, signal) => svc.listWebhooks({ limit: 50, ...(cursor && { cursor }) }, { signal }),
    [],
  );
  const isAdding = useSignal(false);
  return (
    <>
      <h1>Webhooks</h1>
      {isWriting.value && (
        <p>
          <Button kind="primary" onClick={() => isAdding.value = true}>Add a webhook…</Button>
        </p>
      )}
      <PagedTable
        caption="webhooks"
        pages={pages}
        keyOf={({ id }) => id}
        empty={`A webhook tells another program of each change.${
          isWriting.value ? "" : " Allow changes (above) to add one."
        }`}
        columns={[
          {
            head: "Address",
            isWide: true,
            cell: ({ id, url }) => (
              <a href={href(`/webhooks/${id}`)}>
                <Words text={url} lines />
              </a>
            ),
          },
          { head: "Tells of", cell: ({ kinds }) => kinds.length === 0 ? "everything" : kinds.join(", ") },
          { head: "State", cell: (hook) => <Status of={hook} /> },
          {
            head: "Last success",
            cell: ({ lastSuccessAt }) => lastSuccessAt === null ? "never" : <When at={lastSuccessAt} as="ago" />,
          },
        ]}
      />
      {isAdding.value && <Add onClose={() => isAdding.value = false} onDone={pages.reload} />}
    </>
  );
}

function Status({ of: { status, statusReason, lastError } }: { readonly of: Webhook }) {
  const why = [statusReason, lastError].filter(Boolean).join(": ");
  return <Badge tone={TONES[status] ?? "quiet"} {...(why && { title: why })}>{status}</Badge>;
}

function Add({ onClose, onDone }: { readonly onClose: () => void; readonly onDone: () => void }) {
  const url = useDraft("Add", "https://"), secret = useSignal<string | undefined>(undefined);
  const [run, isBusy, faultOf] = useAction();
  const add = () =>
    run(async () => {
      secret.value = (await svc.createWebhook({ url: url.value })).secret;
      onDone();
    });
  return (
    <Dialog title="Add a webhook" onClose={onClose}>
      {secret.value === undefined
        ? (
          <form class="stack" onSubmit={(event) => (event.preventDefault(), add())}>
            <TextField
              label="Address"
              hint="An https address that answers the service's first, verifying call."
              value={url.value}
              fault={faultOf("url")}
              onInput={(text) => url.value = text}
            />
            <div class="row end">
              <Button onClick={onClose}>Cancel</Button>
              <Button type="submit" kind="primary" busy={isBusy}>Add</Button>
            </div>
          </form>
        )
        : (
          <>
            <p>This is its secret: the receiver checks each delivery with it. The page shows it only now.</p>
            <pre tabIndex={0}>{secret.value}</pre>
            <div class="row end">
              <Copy text={secret.value} label="Copy" />
              <Button onClick={onClose}>Close</Button>
            </div>
          </>
        )}
    </Dialog>
  );
}

export function WebhookScreen({ params: { id = "" } }: ScreenProps) {
  const load = useLoad((signal) => svc.getWebhook({ id }, { signal }), [id]);
  const state = useSignal<WebhookDeliveryState | "">("");
  const pages = usePages(
    (cursor, signal) =>
      svc.listWebhookDeliveries(
        { id, limit: 50, ...(state.value && { state: [state.value] }), ...(cursor && { cursor }) },
        { signal },
      ),
    [id, state.value],
  );
  const [run, isBusy] = useAction();
  const change = async (work: () => Promise<unknown>, done: string) => {
    await run(work, done);
    load.reload();
    pages.reload();
  };
  const remove = async () => {
    const isSure = await confirm({
      title: "Delete the webhook?",
      text: "The service sends nothing more to it, and forgets its deliveries.",
      action: "Delete",
      danger: true,
    });
    if (isSure && await run(() => svc.deleteWebhook({ id }), "Deleted.")) go("/webhooks");
  };
  return (
    <Loaded load={load} what="the webhook">
      {(hook) => (
        <>
          <h1>
            <Words text={hook.url} />
          </h1>
          <p>
            <Status of={hook} /> {hook.lastError && (
              <span class="fault">
                <Words text={hook.lastError} />
              </span>
            )}
          </p>
          {isWriting.value && (
            <div class="row filters">
              <Button busy={isBusy} onClick={() => change(() => svc.testWebhook({ id }), "A test was sent.")}>
                Send a test
              </Button>
              {hook.status === "enabled"
                ? (
                  <Button
                    busy={isBusy}
                    onClick={() => change(() => svc.updateWebhook({ id, status: "disabled" }), "Paused.")}
                  >
                    Pause
                  </Button>
                )
                : (
                  <Button
                    busy={isBusy}
                    onClick={() => change(() => svc.updateWebhook({ id, status: "enabled" }), "It runs.")}
                  >
                    Enable
                  </Button>
                )}
              <Button kind="danger" onClick={remove}>Delete…</Button>
            </div>
          )}
          <div class="row filters">
            <Select
              label="Deliveries"
              options={["", "pending", "delivered", "dead", "skipped"].map((value) => ({
                value,
                label: value || "all",
              }))}
              value={state.value}
              onChange={(to) => state.value = to as WebhookDeliveryState}
            />
          </div>
          <PagedTable
            caption="deliveries"
            pages={pages}
            keyOf={(one) => one.id}
            empty="Nothing was sent yet."
            columns={[
              { head: "When", cell: ({ createdAt }) => <When at={createdAt} as="moment" /> },
              { head: "What", cell: ({ kind }) => kind },
              { head: "State", cell: (one) => <Badge tone={TONES[one.state] ?? "quiet"}>{one.state}</Badge> },
              { head: "Tries", isNumber: true, cell: ({ attempts }) => attempts },
              { head: "Answer", isWide: true, cell: (one) => <Answer of={one} /> },
              {
                head: "Again",
                cell: ({ id: deliveryId, state: now }) =>
                  isWriting.value && now === "dead" && (
                    <Button
                      small
                      busy={isBusy}
                      onClick={() => change(() => svc.retryWebhookDelivery({ id, deliveryId }), "It is tried again.")}
                    >
                      Retry
                    </Button>
                  ),
              },
            ]}
          />
        </>
      )}
    </Loaded>
  );
}

function Answer({ of: { lastStatus, lastError, durationMs } }: { readonly of: WebhookDelivery }) {
  return (
    <>
      {lastStatus ?? ""} {lastError !== null && (
        <span class="fault">
          <Words text={lastError} />
        </span>
      )} {durationMs !== null && <span class="quiet">{durationMs.toLocaleString()} ms</span>}
    </>
  );
}
