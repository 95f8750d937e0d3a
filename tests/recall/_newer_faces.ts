/** Every face that shows results or facts, as a reader asks it about one matter. */
import { describeContext } from "../../clients/typescript/memory_block.ts";
import type { Person, Served } from "../cli/_svc.ts";
import type { TestService } from "../_service.ts";
import { send } from "../mcp/_client.ts";
import { callRpc } from "../rpc/_client.ts";

/** Who asks, and about what. */
export interface Asker {
  readonly service: TestService;
  readonly key: string;
  readonly question: string;
  /** The fact with the matter. */
  readonly id: string;
}

export interface Face {
  readonly name: string;
  /** All that the face shows, as JSON or text. */
  readonly read: (asker: Asker) => Promise<string>;
}

async function http(asker: Asker, method: string, path: string, body?: unknown): Promise<unknown> {
  const { service, key } = asker;
  const reply = method === "GET" ? await service.get(path, { key }) : await service.post(path, body, { key });
  if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
  return reply.body;
}

async function tool(asker: Asker, name: string, args: Record<string, unknown>) {
  const { status, body } = await send(asker.service, "tools/call", { name, arguments: args }, {
    key: asker.key,
    path: "/mcp/all",
  });
  if (status !== 200 || body.result.isError) throw new Error(`${name}: ${JSON.stringify(body)}`);
  return body.result;
}

const textOf = (result: { content: { text: string }[] }) => result.content.map(({ text }) => text).join("\n");

async function contextOf(asker: Asker) {
  const { id } = await http(asker, "POST", "/v1/session", {}) as { id: string };
  const query = new URLSearchParams({ query: asker.question, minScore: "0" });
  // deno-lint-ignore no-explicit-any
  return await http(asker, "GET", `/v1/session/${id}/context?${query}`) as any;
}

/** The faces that are asked within the process. */
export const FACES: readonly Face[] = [
  ...["/v1/memory/recall", "/v1/memory/recall/hot", "/v1/memory/recall/explain"].map((path): Face => ({
    name: `POST ${path}`,
    read: async (asker) => JSON.stringify(await http(asker, "POST", path, { query: asker.question, minScore: 0 })),
  })),
  {
    name: "GET /v1/memory/units",
    read: async (asker) => JSON.stringify(await http(asker, "GET", `/v1/memory/units?id=${asker.id}`)),
  },
  {
    name: "RPC Recall",
    async read({ service, key, question }) {
      const { status, body } = await callRpc(service, "Recall", { query: question, minScore: 0 }, { key });
      if (status !== 200) throw new Error(JSON.stringify(body));
      return JSON.stringify(body);
    },
  },
  ...(["recall", "explain", "read"] as const).flatMap((name): Face[] => {
    const ask = (asker: Asker) => tool(asker, name, name === "read" ? { ids: [asker.id] } : { query: asker.question });
    return [
      { name: `MCP ${name}, text`, read: async (asker) => textOf(await ask(asker)) },
      { name: `MCP ${name}, data`, read: async (asker) => JSON.stringify((await ask(asker)).structuredContent) },
    ];
  }),
  { name: "MCP recall, briefing", read: async (asker) => textOf(await tool(asker, "recall", {})) },
  { name: "session context", read: async (asker) => JSON.stringify((await contextOf(asker)).knowledge) },
  { name: "session context as a prompt", read: async (asker) => describeContext(await contextOf(asker), []) },
  {
    name: "profile, data",
    async read(asker) {
      const { facts, preferences } = await http(asker, "GET", "/v1/self/profile") as Record<string, unknown>;
      return JSON.stringify([facts, preferences]);
    },
  },
  {
    name: "profile, text",
    read: async (asker) => (await http(asker, "GET", "/v1/self/profile") as { text: string }).text,
  },
];

/** The commands of a person, each a process of its own. */
export function commandFaces(person: Person, served: Served): Face[] {
  const run = async ({ key }: Asker, args: readonly string[], input = "") => {
    const ran = await person.svc(args, { env: { SVC_URL: served.url, SVC_KEY: key }, input });
    if (ran.code !== 0) throw new Error(`svc ${args.join(" ")}: ${ran.stderr}`);
    return ran.stdout;
  };
  const hook = (event: string, more: object) => ({
    ...{ session_id: crypto.randomUUID(), transcript_path: `${person.home}/none.jsonl`, cwd: person.home },
    ...{ hook_event_name: event, source: "startup", ...more },
  });
  return [
    { name: "svc recall", read: (asker) => run(asker, ["recall", asker.question]) },
    { name: "svc recall --explain", read: (asker) => run(asker, ["recall", asker.question, "--explain"]) },
    { name: "svc recall --json", read: (asker) => run(asker, ["recall", asker.question, "--json"]) },
    { name: "svc brief", read: (asker) => run(asker, ["brief"]) },
    { name: "svc read", read: (asker) => run(asker, ["read", asker.id]) },
    {
      name: "svc hook, start of a session",
      read: (asker) => run(asker, ["hook", "claude-code", "SessionStart"], JSON.stringify(hook("SessionStart", {}))),
    },
    {
      name: "svc hook, prompt",
      read: (asker) =>
        run(
          asker,
          ["hook", "claude-code", "UserPromptSubmit"],
          JSON.stringify(hook("UserPromptSubmit", { prompt: asker.question })),
        ),
    },
  ];
}
