/** How an agent is connected, with the address filled in, and a light that tells when it calls for the first time. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { OutputOf } from "../../../clients/typescript/mod.ts";
import type { ScreenProps } from "../router.ts";
import { can, SERVICE, serviceTime, svc } from "../session.ts";
import { Alert } from "../ui/states.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { Copy, When } from "../ui/words.tsx";

const KEY = "svc_live_…";
const address = () => SERVICE.href.replace(/\/$/, "");

/** What each client wants to be told. A key stands nowhere in them: each client reads it from `SVC_KEY`. */
const CLIENTS: readonly { readonly id: string; readonly name: string; readonly text: () => string }[] = [
  {
    id: "claude-code",
    name: "Claude Code",
    text: () => `claude mcp add --transport http svc ${address()}/mcp --header "Authorization: Bearer $SVC_KEY"`,
  },
  {
    id: "cursor",
    name: "Cursor",
    text: () => json({ mcpServers: { svc: { url: `${address()}/mcp`, headers: bearer("${env:SVC_KEY}") } } }),
  },
  {
    id: "codex",
    name: "Codex",
    text: () => `[mcp_servers.svc]\nurl = "${address()}/mcp"\nbearer_token_env_var = "SVC_KEY"\n`,
  },
  {
    id: "vscode",
    name: "VS Code",
    text: () =>
      json({ servers: { svc: { type: "http", url: `${address()}/mcp`, headers: bearer("${env:SVC_KEY}") } } }),
  },
  {
    id: "gemini",
    name: "Gemini CLI",
    text: () => json({ mcpServers: { svc: { httpUrl: `${address()}/mcp`, headers: bearer("$SVC_KEY") } } }),
  },
  {
    id: "typescript",
    name: "TypeScript",
    text: () =>
      `import { createClient } from "@svc/client";\n\nconst svc = createClient({ url: "${address()}", key: process.env.SVC_KEY });\nawait svc.createFact({ statement: "Backups are kept for ninety days." });\nconst { results } = await svc.recall({ query: "How long do we keep backups?" });\n`,
  },
  {
    id: "curl",
    name: "curl",
    text: () =>
      `curl ${address()}/v1/memory/recall -H "authorization: Bearer $SVC_KEY" \\\n  -H "content-type: application/json" -d '{"query": "How long do we keep backups?"}'\n`,
  },
];

const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });
const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

export function Connect(_: ScreenProps) {
  return (
    <>
      <h1>Connect an agent</h1>
      <p>
        Set <code>SVC_KEY</code> to a key of this workspace ({KEY}) where the agent runs. The operator makes one with
        {" "}
        <code>svc key create --name my-agent</code>; each agent gets a key of its own, so that the audit tells them
        apart.
      </p>
      <Light />
      <Tabs
        label="Clients"
        tabs={CLIENTS.map(({ id, name, text }) => ({
          id,
          label: name,
          panel: () => (
            <>
              <pre tabIndex={0}>{text()}</pre>
              <p class="section">
                <Copy text={text} label="Copy" />
              </p>
            </>
          ),
        }))}
      />
    </>
  );
}

const LOOKS_MS = 2_000;

/** Whether somebody else than the console called. Rows of streams do not say who opened them, and the console has one. */
function isOthers({ detail, actor_type: type, event_type: what }: OutputOf<"listAudit">["data"][number]): boolean {
  return (type === "key" || type === "admin") && (detail as { via?: string }).via !== "console" &&
    !/stream/i.test(what);
}

/** Turns green when somebody else than the console calls. */
function Light() {
  const seen = useSignal<{ readonly who: string; readonly at: string } | undefined>(undefined);
  useEffect(() => {
    if (!can("audit:read")) return;
    const since = serviceTime().toISOString(), gone = new AbortController();
    const look = async () => {
      const { data } = await svc.listAudit({ from: since, limit: 50 }, { signal: gone.signal });
      const call = data.find(isOthers);
      if (call !== undefined) seen.value = { who: call.actor_id, at: call.created_at };
    };
    const timer = setInterval(() => seen.value === undefined && look().catch(() => undefined), LOOKS_MS);
    return () => (clearInterval(timer), gone.abort());
  }, []);
  if (!can("audit:read")) return null;
  return seen.value === undefined ? <Alert tone="info">Waiting for the first call…</Alert> : (
    <Alert tone="good">
      Connected: <code>{seen.value.who}</code> called <When at={seen.value.at} as="ago" />.
    </Alert>
  );
}
