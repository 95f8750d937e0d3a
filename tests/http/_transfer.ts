/**
 * Shared parts of tests of export and import: exports, imports, files made by hand, and a workspace full of everything.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { ImportReport } from "../../src/schema/transfer.ts";
import type { Scope } from "../../src/schema/scopes.ts";
import type { TestService } from "../_service.ts";

// deno-lint-ignore no-explicit-any
export type Line = any;

export interface ExportFile {
  readonly text: string;
  readonly header: Line;
  readonly lines: Line[];
  readonly end: Line;
}

export const JSONL = { "content-type": "application/x-ndjson" };

/** Exports a whole workspace, and checks that the file is complete. */
export async function exportAll(service: TestService, key = service.key, query = ""): Promise<ExportFile> {
  const reply = await service.get(`/v1/export${query}`, { key });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  assert.equal(reply.headers.get("content-type"), "application/x-ndjson");
  return parseFile(reply.body);
}

export function parseFile(text: string): ExportFile {
  assert.ok(text.endsWith("\n"));
  const texts = text.slice(0, -1).split("\n");
  const all = texts.map((line) => JSON.parse(line));
  const [header, end] = [all[0], all.at(-1)];
  assert.equal(header.kind, "header");
  assert.equal(end.kind, "end");
  assert.equal(end.count, all.length - 2);
  assert.equal(end.sha256, sha256(`${texts.slice(0, -1).join("\n")}\n`));
  return { text, header, lines: all.slice(1, -1), end };
}

export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** A file with some lines and a correct end. Lines that are texts are inserted unchanged. */
export function makeFile(header: Line, lines: readonly (Line | string)[]): string {
  const texts = [header, ...lines].map((line) => typeof line === "string" ? line : JSON.stringify(line));
  const body = `${texts.join("\n")}\n`;
  const end = { kind: "end", count: lines.length, sha256: sha256(body), seq: header.seq, omitted: {} };
  return `${body}${JSON.stringify(end)}\n`;
}

/** Imports a file and returns the report. */
export async function importText(
  service: TestService,
  text: string | Uint8Array,
  options: { key?: string; format?: string; type?: string } = {},
): Promise<ImportReport> {
  const reply = await service.call("POST", `/v1/import?format=${options.format ?? "svc"}`, {
    body: text,
    key: options.key ?? service.key,
    headers: { "content-type": options.type ?? JSONL["content-type"] },
  });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return ImportReport.parse(reply.body);
}

/** A workspace of its own, with a key for it. */
export async function emptyWorkspace(
  service: TestService,
  scopes?: readonly Scope[],
): Promise<{ workspaceId: string; key: string }> {
  const workspaceId = await service.createWorkspace("target");
  return { workspaceId, key: await service.createKey({ workspaceId, ...(scopes && { scopes }) }) };
}

/** Fills a workspace with some of everything, with history. Returns ids by name. */
export async function fillWorkspace(service: TestService, key = service.key): Promise<Record<string, string>> {
  const send = async (method: string, path: string, body: unknown, status: number) => {
    const reply = await service.call(method, path, { body, key });
    // An entity that was named before may exist already.
    const isThere = path === "/v1/memory/entities" && [200, 201].includes(reply.status);
    const expected = isThere ? reply.status : status;
    assert.equal(reply.status, expected, `${method} ${path} ${JSON.stringify(reply.body)}`);
    return reply.body;
  };
  const post = (path: string, body: unknown = {}, status = 201) => send("POST", path, body, status);
  const ids: Record<string, string> = {};
  const session = await post("/v1/session", { title: "Call", agentId: "a1", tags: ["x"], scratchpad: { goal: 1 } });
  ids["session"] = session.id;
  await post(`/v1/session/${session.id}/turns`, {
    turns: [
      { role: "user", name: "Caroline", messageId: "m1", content: "I adopted a dog. Her name is Pixel." },
      { role: "assistant", messageId: "m2", content: "Pixel is a lovely name.", metadata: { mood: "glad" } },
      { role: "user", name: "Melanie", content: "I live in Lisbon since May and love the tram 28." },
    ],
  });
  await post(`/v1/session/${session.id}/pin`, { messageId: "m1" }, 200);
  const collapsed = await post(`/v1/session/${session.id}/collapse`, undefined, 200);
  ids["episode"] = collapsed.episodeId ?? collapsed.episode?.id;
  const open = await post("/v1/session", { title: "Open one" });
  await post(`/v1/session/${open.id}/turns`, { role: "user", messageId: "m9", content: "Still talking about boats." });
  const lives = { subject: "Caroline", predicate: "lives in" };
  const paris = await post("/v1/memory/facts", {
    statement: "Caroline lives in Paris.",
    ...lives,
    object: "Paris",
    validFrom: "2025-01-01T00:00:00Z",
    attribution: "user_stated",
    citations: [{ messageId: "m1", sessionId: session.id, quote: "I adopted" }],
  });
  ids["paris"] = paris.id;
  const rome = await post("/v1/memory/facts", {
    statement: "Caroline lives in Rome.",
    ...lives,
    object: "Rome",
    validFrom: "2026-01-01T00:00:00Z",
    attribution: "user_stated",
  });
  ids["rome"] = rome.id;
  ids["contested"] = (await post("/v1/memory/facts", {
    statement: "Caroline lives in Oslo.",
    ...lives,
    object: "Oslo",
    attribution: "unverified",
  })).id;
  const color = await post("/v1/memory/facts", { statement: "The boat is blue.", tags: ["boat"], pinned: true });
  ids["boat"] = color.id;
  await send("PATCH", `/v1/memory/facts/${color.id}`, { statement: "The boat is green.", reason: "painted" }, 200);
  await send("PATCH", `/v1/memory/facts/${color.id}`, { tags: ["boat", "harbour"] }, 200);
  await post("/v1/memory/facts", { statement: "The boat is green." }, 200);
  ids["derived"] = (await post("/v1/memory/facts", {
    statement: "Caroline has moved to Italy.",
    aliases: ["relocation", "Umzug"],
    derivedFrom: [rome.id],
    metadata: { why: "Rome is in Italy", deep: { a: [1, null, "ü"] } },
  })).id;
  ids["decision"] = (await post("/v1/memory/decisions", {
    title: "Database",
    decision: "We use Postgres.",
    alternatives: ["SQLite"],
    evidenceIds: [color.id],
  })).id;
  ids["decision2"] = (await post(`/v1/decisions/${ids["decision"]}/supersede`, {
    title: "Database",
    decision: "We use Postgres 18.",
    reason: "newer",
  })).id;
  ids["strategy"] = (await post("/v1/memory/strategies", {
    name: "Bisect",
    situation: "A test fails.",
    pattern: "Bisect the commits.",
    successCount: 3,
  })).id;
  ids["workflow"] = (await post("/v1/memory/workflows", {
    name: "Release",
    steps: ["Tag.", "Push."],
    aliases: ["shipping"],
  })).id;
  ids["skill"] = (await post("/v1/memory/skills", {
    name: "convert",
    description: "Converts money.",
    instructions: "Multiply.",
    parameters: { type: "object" },
    examples: [{ description: "one", arguments: { n: 1 } }],
  })).id;
  await post(`/v1/memory/skills/${ids["skill"]}/outcome`, { outcome: "success" }, 200);
  ids["archived"] = (await post("/v1/memory/facts", { statement: "The moon is made of cheese." })).id;
  await send("DELETE", `/v1/memory/facts/${ids["archived"]}`, undefined, 200);
  ids["erased"] = (await post("/v1/memory/facts", { statement: "A secret that is to go." })).id;
  await post(`/v1/facts/${ids["erased"]}/forget`, { mode: "erase" }, 200);
  // The session has mentioned its name, so the entity exists.
  const pixel = { aliases: ["the dog"], attributes: { age: 3 }, drawers: ["pets"] };
  ids["entity"] =
    (await post("/v1/memory/entities", { canonicalName: "Pixel", entityType: "animal", ...pixel }, 200)).id;
  ids["merged"] = (await post("/v1/memory/entities", { canonicalName: "Pixie", entityType: "animal" })).id;
  await post(`/v1/memory/entities/${ids["entity"]}/merge`, { sourceIds: [ids["merged"]] }, 200);
  await post("/v1/memory/relations", { verb: "about", sourceId: ids["episode"], targetId: ids["entity"] });
  await post("/v1/memory/relations", {
    verb: "related_to",
    participants: [
      { role: "owner", id: ids["derived"] },
      { role: "pet", id: ids["entity"] },
      { role: "home", id: ids["boat"] },
    ],
    evidenceIds: [ids["rome"]],
    metadata: { since: 2020 },
  });
  const entry = await post("/v1/memory/reasoning/record", {
    goal: "Find out what colour the boat has",
    context: { harbour: "south" },
    steps: ["Go there.", { action: "look" }],
    answer: "Green.",
    preconditions: [{ factId: ids["boat"] }],
    agentId: "a1",
  });
  ids["reasoning"] = entry.id;
  await post("/v1/memory/reasoning/feedback", { entryId: entry.id, outcome: "helpful", agentId: "a2" }, 200);
  await post("/v1/self/edit", {
    reason: "noted",
    mode: "per_item",
    operations: [
      { op: "add", type: "fact", body: { statement: "The harbour closes at nine." } },
      { op: "retract", id: ids["rome"] },
    ],
  });
  await post("/v1/memory/governance/gate", { action: "hold", reason: "an import is running" }, 200);
  await post("/v1/memory/governance/worth/feedback", {
    agentId: "a1",
    signals: [{ unitId: ids["boat"], signal: "helpful", weight: 0.5 }],
  }, 200);
  await post("/v1/memory/procedural/optimize", {
    agentId: "a1",
    trajectories: [{
      task: "Paint the boat",
      outcome: "success",
      lessons: ["Let the first coat dry before the second."],
    }],
  }, 200);
  const first = await post("/v1/memory/tasks", { title: "First", agentId: "a1" });
  const later = await post("/v1/memory/tasks", { title: "Later", dependsOn: [first.id], priority: 2 });
  ids["task"] = later.id;
  await send("PATCH", `/v1/memory/tasks/${first.id}`, { status: "in_progress" }, 200);
  await post("/v1/memory/events", { type: "tool.called", data: { n: 1 }, occurredAt: "2026-03-01T00:00:00Z" });
  return ids;
}
