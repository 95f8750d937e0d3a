/**
 * Conversations of ChatGPT: `conversations.json`, or `conversations-000.json` and so on, of a data export. It is a list
 * of `{ conversation_id, title, create_time, current_node, mapping: { <node>: { id, parent, children, message } } }`; a
 * message is `{ id, author: { role, name }, create_time, recipient, content: { content_type, parts | text }, metadata
 * }`. OpenAI publishes no schema; this follows basic-memory `importers/chatgpt_importer.py` and
 * mitkury/chatgpt-export-parser `docs/chatgpt-data-export-format.md`.
 *
 * A conversation becomes a session with the messages on the path from its last one, `current_node`, back to its
 * beginning. Earlier versions of an edited message or a repeated answer are on other branches, which are left out.
 */
import { ServiceError } from "../../../errors.ts";
import { type ForeignRecord, listOf, objectOf, textOf, timeIfAny } from "./document.ts";
import { conversationLines, type Message } from "./conversation.ts";
import type { MadeLine, Maker } from "./lines.ts";

type Node = Readonly<Record<string, unknown>>;

/** @throws ServiceError `validation_failed` for a record that is no conversation of ChatGPT */
export function fromChatGpt(maker: Maker, { value: chat }: ForeignRecord): MadeLine[] {
  const id = textOf(chat["conversation_id"]) ?? textOf(chat["id"]);
  const { mapping } = chat;
  if (id === undefined || typeof mapping !== "object" || mapping === null || Array.isArray(mapping)) {
    throw refuse("it is no conversation of ChatGPT: it has no conversation_id or no mapping");
  }
  const nodes = new Map(Object.entries(mapping).map(([key, node]) => [key, objectOf(node)]));
  const path = pathTo(nodes, findLeaf(nodes, chat["current_node"]));
  countBranches(maker, nodes, new Set(path));
  return conversationLines(maker, {
    id,
    title: textOf(chat["title"]),
    startedAt: secondsToTime(chat["create_time"]),
    metadata: {
      chatgpt: {
        id,
        ...(textOf(chat["default_model_slug"]) && { model: chat["default_model_slug"] }),
        ...(textOf(chat["gizmo_id"]) && { gizmoId: chat["gizmo_id"] }),
      },
    },
    messages: path.flatMap((key) => readMessage(maker, key, objectOf(nodes.get(key)!["message"]))),
  });
}

function refuse(reason: string): ServiceError {
  return new ServiceError("validation_failed", `Cannot import: ${reason}`);
}

/** The last message on display; if the file does not name it, the latest one without a successor. */
function findLeaf(nodes: ReadonlyMap<string, Node>, current: unknown): string | undefined {
  if (typeof current === "string" && nodes.has(current)) return current;
  const parents = new Set([...nodes.values()].map((node) => node["parent"]));
  const timeOf = (key: string) => Number(objectOf(nodes.get(key)!["message"])["create_time"] ?? 0) || 0;
  const leaves = [...nodes.keys()].filter((key) => !parents.has(key));
  if (leaves.length === 0 && nodes.size > 0) throw refuse("its messages form a circle");
  return leaves.reduce<string | undefined>(
    (best, key) => best === undefined || timeOf(key) >= timeOf(best) ? key : best,
    undefined,
  );
}

/** The keys of the messages from the first to the last. */
function pathTo(nodes: ReadonlyMap<string, Node>, leaf: string | undefined): string[] {
  const path = new Set<string>();
  for (let key = leaf; key !== undefined && nodes.has(key);) {
    if (path.has(key)) throw refuse(`its messages form a circle at ${key.slice(0, 100)}`);
    path.add(key);
    const parent: unknown = nodes.get(key)!["parent"];
    key = typeof parent === "string" ? parent : undefined;
  }
  return [...path].reverse();
}

function countBranches(maker: Maker, nodes: ReadonlyMap<string, Node>, path: ReadonlySet<string>): void {
  const silent: Maker = { ...maker, omit: () => {} };
  const others = [...nodes].filter(([key, node]) =>
    !path.has(key) && readMessage(silent, key, objectOf(node["message"])).length > 0
  );
  if (others.length > 0) maker.omit("messages of branches that were not chosen", others.length);
}

function readMessage(maker: Maker, key: string, message: Node): Message[] {
  const role = objectOf(message["author"])["role"];
  const metadata = objectOf(message["metadata"]);
  const content = objectOf(message["content"]);
  const leaveOut = (what: string) => {
    maker.omit(what);
    return [];
  };
  if (Object.keys(message).length === 0) return [];
  if (role === "system") return textIn(maker, content) === "" ? [] : leaveOut("system messages");
  if (metadata["is_visually_hidden_from_conversation"] === true) return leaveOut("hidden messages");
  if (role === "tool") return leaveOut("tool messages");
  if (role !== "user" && role !== "assistant") return leaveOut("messages of unknown roles");
  const recipient = message["recipient"];
  if (typeof recipient === "string" && recipient !== "all") return leaveOut("tool calls");
  const kind = content["content_type"];
  if (kind === "thoughts" || kind === "reasoning_recap") return leaveOut("reasoning");
  if (kind === "user_editable_context" || kind === "model_editable_context") return leaveOut("custom instructions");
  const text = textIn(maker, content);
  const files = listOf(metadata["attachments"]).flatMap((one) => textOf(objectOf(one)["name"])?.slice(0, 200) ?? []);
  // ChatGPT keeps an empty message where it is about to call a tool.
  const isEmpty = files.length === 0 && listOf(content["parts"]).every((part) => typeof part === "string");
  if (text.trim() === "" && isEmpty) return leaveOut("messages without text");
  if (files.length > 0) maker.omit("files and images", files.length);
  return [{
    id: textOf(message["id"]) ?? key,
    role,
    content: text,
    at: secondsToTime(message["create_time"]),
    ...(files.length > 0 && { metadata: { files: files.slice(0, 50) } }),
  }];
}

/** The text of a message's content, verbatim; each part on lines of its own. */
function textIn(maker: Maker, content: Node): string {
  const kind = content["content_type"];
  if (kind === "code") {
    const language = textOf(content["language"]);
    const name = language === undefined || language === "unknown" ? "" : language;
    return textOf(content["text"]) === undefined ? "" : `\`\`\`${name}\n${content["text"]}\n\`\`\``;
  }
  const parts = listOf(content["parts"]).map((part) => {
    if (typeof part === "string") return part;
    const { content_type, text } = objectOf(part);
    if (typeof text === "string") return text;
    maker.omit(/image|audio|video|asset|file/.test(String(content_type)) ? "files and images" : "parts without text");
    return "";
  });
  if (parts.length === 0 && typeof content["text"] === "string") return content["text"];
  return parts.filter((part) => part !== "").join("\n");
}

/** Times are seconds since 1970, with a fraction. */
function secondsToTime(value: unknown): string | null {
  return timeIfAny(value);
}
