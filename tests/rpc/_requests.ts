/** For each RPC a request that is answered, and what it needs to exist first. */
import assert from "node:assert/strict";
import type { TestService } from "../_service.ts";

let serial = 0;
const unique = (text: string) => `${text} (${++serial}-${crypto.randomUUID().slice(0, 8)})`;

async function idOf(service: TestService, path: string, body: unknown): Promise<string> {
  const reply = await service.post(path, body);
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  return reply.body.id;
}

type Make = (service: TestService) => Promise<Record<string, unknown>>;

export const REQUESTS: Readonly<Record<string, Make>> = {
  Recall: async () => ({ query: "Where does Caroline live?", limit: 3 }),
  Remember: async () => ({ statement: unique("Caroline lives in Rome"), metadata: { source: { line: 1 } } }),
  Forget: async (service) => ({
    id: await idOf(service, "/v1/memory/facts", { statement: unique("The build is green") }),
    mode: "archive",
    reason: "no longer needed",
  }),
  ResolveReasoning: async () => ({ goal: "Sort the mail", context: { by: "date" } }),
  RecordReasoning: async () => ({
    goal: unique("Sort the mail"),
    context: "office",
    steps: ["Open it.", { action: "sort" }],
    answer: "By date.",
  }),
  CreateTask: async () => ({ title: unique("Compare the quotes"), priority: 2, tags: ["purchasing"] }),
  UpdateTask: async (service) => ({
    id: await idOf(service, "/v1/memory/tasks", { title: unique("Compare") }),
    status: "in_progress",
    description: null,
    tags: [],
  }),
  RecordEvent: async () => ({ type: "tool.called", agentId: "assistant-1", data: { tool: "search" } }),
  SelfEdit: async () => ({
    reason: "noted",
    mode: "atomic",
    operations: [{ op: "add", type: "fact", body: { statement: unique("The build is green") } }],
  }),
  GetHealth: async () => ({}),
  Whoami: async () => ({}),
  WatchMemory: async () => ({}),
  WatchTasks: async () => ({}),
  StreamHealth: async () => ({}),
  IngestBatch: async () => ({ fact: { statement: unique("It was ingested") } }),
  ImportMemory: async () => ({
    data: btoa(JSON.stringify([{ id: crypto.randomUUID(), memory: unique("It was imported") }])),
    format: "mem0",
  }),
  Session: async () => ({ start: { title: "Planning" } }),
  // As whoever holds a key asks; what peers send is in the tests of federation.
  FederationSync: async () => ({ id: "1", pull: { limit: 1 } }),
};
