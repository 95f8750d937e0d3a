/** How an agent is connected: with a key made on the spot, and a light that tells when it calls for the first time. */
import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { IssuedApiKey, OutputOf } from "../../../clients/typescript/mod.ts";
import { type Client, CLIENTS } from "../clients.ts";
import { createKey, readLastUse, wordsOf } from "../keys.ts";
import { href, type ScreenProps } from "../router.ts";
import { admin, can, isWriting, serviceTime, session, setWriting, svc } from "../session.ts";
import { Actor } from "../ui/actor.tsx";
import { Button, Select, TextField } from "../ui/form.tsx";
import { AGENTS_RIGHTS, RightsFields, Secret } from "../ui/key.tsx";
import { useAction } from "../ui/load.ts";
import { Alert } from "../ui/states.tsx";
import { Name } from "../ui/name.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { Copy, When } from "../ui/words.tsx";
import { onlyOf, useWorkspaces, withNone } from "../workspaces.tsx";

export function Connect(_: ScreenProps) {
  const made = useSignal<IssuedApiKey | undefined>(undefined);
  return (
    <>
      <h1>Connect an agent</h1>
      {session.value!.managesKeys
        ? (
          <section class="card section" aria-labelledby="connect-key">
            <h2 id="connect-key">1. A key for it</h2>
            {made.value === undefined ? <MakeKey made={made} /> : <Made made={made} />}
          </section>
        )
        : (
          <p class="lead">
            Set <code>SVC_KEY</code>{" "}
            to a key of this workspace (<code>svc_live_…</code>) where the agent runs. The operator makes one with{" "}
            <code>svc key create --name my-agent</code>; each agent gets a key of its own, so that the audit tells them
            apart.
          </p>
        )}
      <section class="section" aria-labelledby="connect-client">
        <h2 id="connect-client">{session.value!.managesKeys ? "2. Tell your client" : "Tell your client"}</h2>
        <Tabs
          label="Clients"
          tabs={CLIENTS.map((client) => ({
            id: client.id,
            label: client.name,
            panel: () => <Told client={client} secret={made.value?.key} />,
          }))}
        />
      </section>
      <section class="section" aria-labelledby="connect-call">
        <h2 id="connect-call">{session.value!.managesKeys ? "3. Let it call" : "Let it call"}</h2>
        <p>Restart the client and ask it, for example, what it remembers about you.</p>
        {made.value === undefined ? <AnyCall /> : <CallBy key={made.value.id} made={made.value} />}
      </section>
    </>
  );
}

/** What to paste into one client. */
function Told({ client: { name, where, text, link }, secret }: {
  readonly client: Client;
  readonly secret: string | undefined;
}) {
  return (
    <>
      {link && secret && (
        <p>
          <a class="button primary" href={link(secret)}>Set up {name}</a> or by hand:
        </p>
      )}
      <p class="hint">{where}:</p>
      <pre tabIndex={0}>{text(secret)}</pre>
      <p class="section">
        <Copy text={() => text(secret)} label="Copy" />
      </p>
      {secret && <p class="hint">The text holds the key: keep it out of version control.</p>}
    </>
  );
}

/** Makes a key without a way to a terminal. */
function MakeKey({ made }: { readonly made: Signal<IssuedApiKey | undefined> }) {
  const workspaces = useWorkspaces();
  const name = useSignal("my-agent"), rights = useSignal(AGENTS_RIGHTS), place = useSignal("");
  const workspaceId = place.value || onlyOf(workspaces);
  const [run, isBusy] = useAction();
  const make = () =>
    run(async () => {
      if (!isWriting.value) await setWriting(true);
      const { scopes, maxSensitivity } = rights.value;
      const given = name.value.trim() || "my-agent";
      made.value = await createKey({ name: given, workspaceId, scopes, maxSensitivity, expiresAt: null });
    });
  return (
    <form class="stack narrow" onSubmit={(event) => (event.preventDefault(), make())}>
      <TextField
        label="Name of the agent"
        hint="You recognise the key by it. Each agent gets a key of its own, so that the audit log tells them apart."
        value={name.value}
        onInput={(text) => name.value = text}
      />
      {admin.value !== null && (
        <Select
          label="Workspace"
          options={withNone(workspaces, workspaceId)}
          value={workspaceId}
          onChange={(to) => place.value = to}
        />
      )}
      <RightsFields value={rights.value} onChange={(to) => rights.value = to} />
      <div>
        <Button
          type="submit"
          kind="primary"
          busy={isBusy}
          disabled={rights.value.scopes.length === 0 || workspaceId === ""}
        >
          {isWriting.value ? "Make a key" : "Allow changes and make a key"}
        </Button>
      </div>
    </form>
  );
}

function Made({ made }: { readonly made: Signal<IssuedApiKey | undefined> }) {
  const key = made.value!;
  return (
    <>
      <Secret of={key} />
      <p>
        It may {wordsOf(key.scopes).join(", ")}, and sees up to{" "}
        {key.maxSensitivity}. It stands in the texts below; it can be revoked under <a href={href("/keys")}>Keys</a>.
      </p>
      <Button small onClick={() => made.value = undefined}>Make another one</Button>
    </>
  );
}

const LOOKS_MS = 2_000;
/** Looking goes on for ten minutes, so that a page that was left open keeps no session alive. */
const LOOKS_MAX = 300;

/** Looks again and again until there is something to see. */
function useWatch<T>(look: ((signal: AbortSignal) => Promise<T | undefined>) | undefined) {
  const seen = useSignal<T | undefined>(undefined), looks = useSignal(0);
  const isOver = looks.value >= LOOKS_MAX;
  useEffect(() => {
    if (look === undefined || isOver) return;
    const gone = new AbortController();
    const timer = setInterval(async () => {
      if (seen.peek() !== undefined || document.hidden) return;
      looks.value++;
      seen.value = await look(gone.signal).catch(() => undefined);
    }, LOOKS_MS);
    return () => (clearInterval(timer), gone.abort());
  }, [isOver]);
  return { seen: seen.value, isOver, again: () => looks.value = 0 };
}

/** Turns green when the key that was just made is used. */
function CallBy({ made }: { readonly made: IssuedApiKey }) {
  const { seen, ...watch } = useWatch(async (signal) => await readLastUse(made.id, signal) ?? undefined);
  if (seen === undefined) return <Waiting {...watch} />;
  return (
    <Alert tone="good">
      Connected: <Name of={made.name} /> has called.{" "}
      {can("memory:read") && <a href={href("/memory")}>See what it remembers</a>}
    </Alert>
  );
}

/** Whether an agent called: neither a page of the console, nor the service itself, nor an admin. */
function isAgents({ detail, actor_type: type }: OutputOf<"listAudit">["data"][number]): boolean {
  return type === "key" && (detail as { via?: string }).via !== "console";
}

/** Turns green when an agent calls, and says which: another one may be at work already. */
function AnyCall() {
  const since = useSignal(serviceTime().toISOString());
  const isSeen = can("audit:read");
  const { seen, ...watch } = useWatch(
    isSeen
      ? async (signal) => (await svc.listAudit({ from: since.value, limit: 50 }, { signal })).data.find(isAgents)
      : undefined,
  );
  if (!isSeen) return null;
  if (seen === undefined) return <Waiting {...watch} />;
  return (
    <Alert tone="good">
      Connected:{" "}
      <strong>
        <Actor id={seen.actor_id} />
      </strong>{" "}
      called <When at={seen.created_at} as="ago" /> (<code>{seen.event_type}</code>).
    </Alert>
  );
}

function Waiting({ isOver, again }: { readonly isOver: boolean; readonly again: () => void }) {
  if (!isOver) return <Alert tone="info">Waiting for the first call…</Alert>;
  return (
    <Alert tone="warn">
      <p>The client has not called within ten minutes.</p>
      <Button small onClick={again}>Look again</Button>
    </Alert>
  );
}
