/**
 * The data export of claude.ai: `conversations.json`, a list of `{ uuid, name, created_at, chat_messages: [{ uuid, sender,
 * text, content: [{ type, text }], created_at, attachments: [{ file_name, extracted_content }], files }] }`;
 * `memories.json`, a list of `{ conversations_memory, project_memories: { <project>: text }, account_uuid }`; and
 * `projects.json` or `projects/<uuid>.json`, `{ uuid, name, description, prompt_template, docs: [{ uuid, filename, content }]
 * }`. Anthropic publishes no schema; this follows basic-memory `importers/claude_conversations_importer.py` and
 * `importers/claude_projects_importer.py`, and exports of 2026 as tools read them.
 *
 * A conversation becomes a session; the text of an attachment a turn of its own behind its message. What Claude remembers,
 * and documents of projects, are Markdown and become facts, statement by statement.
 */
import { isUuid } from "../../../crypto/ids.ts";
import { ServiceError } from "../../../errors.ts";
import { type ForeignRecord, listOf, objectOf, textOf, timeIfAny } from "./document.ts";
import { conversationLines, type Message } from "./conversation.ts";
import { type MadeLine, type Maker, shortName } from "./lines.ts";
import { markdownLines } from "./markdown.ts";

/** Names of projects by their ids. */
type Names = ReadonlyMap<string, string>;

/**
 * The names of the projects that some records tell of: projects themselves, conversations in one, and memories to which
 * `svc import` has added `project_names`, because the export has the names in another file.
 */
export function listProjects(records: Iterable<ForeignRecord["value"]>): Map<string, string> {
  const names = new Map<string, string>();
  const note = (id: unknown, name: unknown) => {
    if (textOf(id) !== undefined && textOf(name) !== undefined) names.set(id as string, shortName(name as string));
  };
  for (const record of records) {
    if (isProject(record)) note(record["uuid"], record["name"]);
    const { uuid, name } = objectOf(record["project"]);
    note(uuid, name);
    for (const [id, one] of Object.entries(objectOf(record["project_names"]))) note(id, one);
  }
  return names;
}

function isProject(record: ForeignRecord["value"]): boolean {
  return Array.isArray(record["docs"]) || record["prompt_template"] !== undefined;
}

/**
 * @param names the projects of the export, as far as they are known
 * @throws ServiceError `validation_failed` for a record that no export of claude.ai has
 */
export function fromClaude(maker: Maker, { value: record }: ForeignRecord, names: Names): MadeLine[] {
  if (Array.isArray(record["chat_messages"])) return readConversation(maker, record, names);
  if (record["conversations_memory"] !== undefined || record["project_memories"] !== undefined) {
    return readMemories(maker, record, names);
  }
  if (isProject(record)) return readProject(maker, record);
  if (record["email_address"] !== undefined || record["full_name"] !== undefined) {
    maker.omit("accounts");
    return [];
  }
  throw new ServiceError(
    "validation_failed",
    "Cannot import: it is no conversation, memory or project of claude.ai: it has no chat_messages, no conversations_memory and no docs",
  );
}

function readConversation(maker: Maker, chat: ForeignRecord["value"], names: Names): MadeLine[] {
  const id = textOf(chat["uuid"]);
  if (id === undefined) throw new ServiceError("validation_failed", "Cannot import: the conversation has no uuid");
  const project = textOf(objectOf(chat["project"])["uuid"]) ?? textOf(chat["project_uuid"]);
  const projectName = project && names.get(project);
  return conversationLines(maker, {
    id,
    title: textOf(chat["name"]),
    startedAt: timeIfAny(chat["created_at"]),
    metadata: { claude: { id, ...(project && { project }), ...(projectName && { projectName }) } },
    messages: listOf(chat["chat_messages"]).flatMap((message, i) => readMessage(maker, objectOf(message), i)),
  });
}

const LEFT_OUT: Readonly<Record<string, string>> = {
  thinking: "reasoning",
  redacted_thinking: "reasoning",
  tool_use: "tool calls",
  server_tool_use: "tool calls",
  tool_result: "tool messages",
  image: "files and images",
  document: "files and images",
  token_budget: "token budgets",
};

function readMessage(maker: Maker, message: ForeignRecord["value"], at: number): Message[] {
  const { sender } = message;
  if (sender !== "human" && sender !== "assistant") {
    maker.omit("messages of unknown roles");
    return [];
  }
  const id = textOf(message["uuid"]) ?? `message-${at + 1}`;
  const role = sender === "human" ? "user" : "assistant";
  const time = timeIfAny(message["created_at"]);
  const blocks = listOf(message["content"]).map(objectOf);
  const texts = blocks.flatMap(({ type, text }) => {
    if (typeof text === "string" && (type === "text" || type === undefined)) return text === "" ? [] : [text];
    maker.omit(LEFT_OUT[String(type)] ?? "parts without text");
    return [];
  });
  const own = texts.length > 0 ? texts.join("\n") : blocks.length > 0 ? "" : textOf(message["text"]) ?? "";
  const files = listOf(message["files"]).length;
  if (files > 0) maker.omit("files and images", files);
  const attachments = listOf(message["attachments"]).flatMap((one, i): Message[] => {
    const { file_name, extracted_content } = objectOf(one);
    if (textOf(extracted_content) === undefined) {
      maker.omit("files and images");
      return [];
    }
    const content = extracted_content as string;
    const file = textOf(file_name)?.slice(0, 200);
    return [{ id: `${id}/attachment-${i + 1}`, role, content, at: time, metadata: { ...(file && { file }) } }];
  });
  const isSpoken = own.trim() !== "" || attachments.length === 0;
  return [...isSpoken ? [{ id, role, content: own, at: time } as const] : [], ...attachments];
}

function readMemories(maker: Maker, record: ForeignRecord["value"], names: Names): MadeLine[] {
  const own = textOf(record["conversations_memory"]);
  const projects = Object.entries(objectOf(record["project_memories"]));
  return [
    ...own === undefined ? [] : markdownLines(maker, { path: "memories/conversations", text: own, title: "" }),
    ...projects.flatMap(([project, text]) =>
      textOf(text) === undefined ? [] : markdownLines(maker, {
        path: `memories/projects/${shortName(project)}`,
        text: text as string,
        // The export calls a project by its id, which says nothing to a reader.
        ...(isUuid(project) && { title: names.get(project) ?? "" }),
      })
    ),
  ];
}

function readProject(maker: Maker, project: ForeignRecord["value"]): MadeLine[] {
  const name = shortName(textOf(project["name"]) ?? textOf(project["uuid"]) ?? "project");
  const at = timeIfAny(project["updated_at"]);
  const texts = [
    { path: `projects/${name}/description`, text: project["description"], at },
    { path: `projects/${name}/prompt_template`, text: project["prompt_template"], at },
    ...listOf(project["docs"]).map(objectOf).map((doc) => ({
      path: `projects/${name}/${shortName(textOf(doc["filename"]) ?? textOf(doc["uuid"]) ?? "document")}`,
      text: doc["content"],
      at: timeIfAny(doc["created_at"]) ?? at,
    })),
  ];
  return texts.flatMap(({ path, text, at: modifiedAt }) =>
    textOf(text) === undefined ? [] : markdownLines(maker, { path, text: text as string, modifiedAt })
  );
}
