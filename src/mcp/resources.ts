/** Resources, which can be read by address. Tools reach everything in them, too: many clients know only tools. */
import { getSelfProfile } from "../operations/self.ts";
import { getSession, listTurns } from "../operations/session.ts";
import { getUnit } from "../operations/units.ts";
import { ServiceError } from "../errors.ts";
import { looksLikeUuid } from "../schema/uuid.ts";
import type { Call } from "./call.ts";
import { BUDGET_TOKENS, DATA_LINE, jsonLine, lineOf, markedLine } from "./text.ts";

const BRIEFING = {
  uri: "svc://briefing",
  name: "briefing",
  title: "Briefing",
  description: "Who and what this memory is about, for the start of a session",
  mimeType: "text/markdown",
};

export const RESOURCE_TEMPLATES = [
  {
    uriTemplate: "svc://units/{id}",
    name: "unit",
    title: "Unit",
    description: "A unit of knowledge, whole",
    mimeType: "application/json",
  },
  {
    uriTemplate: "svc://sessions/{id}",
    name: "session",
    title: "Session",
    description: "The latest turns of a session",
    mimeType: "text/plain",
  },
];

const TURNS = "50";

export function listResources(call: Call) {
  return call.may("memory:read") ? [BRIEFING] : [];
}

/** @throws ServiceError `not_found` with the address as `uri`, and as the operations do */
export async function readResource(call: Call, uri: string) {
  const [, kind, id = ""] = /^svc:\/\/(briefing|units|sessions)(?:\/([^/?#]{1,64}))?$/.exec(uri) ?? [];
  if (kind === "briefing" && id === "") {
    const { body: { text } } = await call.run(getSelfProfile, { query: { maxTokens: String(BUDGET_TOKENS) } });
    return contentOf(uri, BRIEFING.mimeType, `${DATA_LINE}\n${text}`);
  }
  if (kind === "briefing" || !looksLikeUuid(id)) throw unknown(uri);
  try {
    if (kind === "units") {
      const { body } = await call.run(getUnit, { params: { id }, query: {} });
      return contentOf(uri, "application/json", jsonLine(body));
    }
    return contentOf(uri, "text/plain", await readTurns(call, id));
  } catch (error) {
    const isGone = error instanceof ServiceError && (error.code === "not_found" || error.code === "erased");
    throw isGone ? unknown(uri) : error;
  }
}

async function readTurns(call: Call, id: string): Promise<string> {
  const { body: { title, status, turnCount } } = await call.run(getSession, { params: { id } });
  const { body: { data } } = await call.run(listTurns, { params: { id }, query: { order: "desc", limit: TURNS } });
  return [
    DATA_LINE,
    `Session ${markedLine(title ?? id)}, ${status}, ${turnCount} turns; the latest ${data.length}:`,
    ...data.reverse().map(({ role, name, content, id, occurredAt, invisibleText: invisible }) =>
      lineOf(`${name ?? role}: ${content}`, { type: "turn", id, invisible, at: occurredAt })
    ),
  ].join("\n");
}

function contentOf(uri: string, mimeType: string, text: string) {
  return { contents: [{ uri, mimeType, text }] };
}

function unknown(uri: string): ServiceError {
  return new ServiceError("not_found", "Cannot find the resource", { extra: { uri: uri.slice(0, 200) } });
}
