/** Adds a plan to the text of a configuration file, and removes it. */
import { isOwnCommand, KEY_VARIABLE, type Plan, SERVER_NAME } from "./clients.ts";
import { addElement, EditError, type JsonPath, readValue, removeAt, setValue } from "./json_edit.ts";
import { readTable, removeTable, setTable } from "./toml_edit.ts";

type ServerEntry = Readonly<Record<string, unknown>>;

/** Returns the text with everything in the plan. @throws EditError */
export function putIn(text: string, plan: Plan, client: string): string {
  let edited = plan.format === "toml" ? putInToml(text, plan) : putServer(text, plan);
  for (const [name, value] of Object.entries(plan.base ?? {})) {
    if (edited.trim() === "" || readValue(edited, [name]) === undefined) edited = setValue(edited, [name], value);
  }
  for (const [event, element] of Object.entries(plan.hooks ?? {})) edited = putHook(edited, client, event, element);
  return edited;
}

/** Returns the text without what `putIn` adds; `before` is the text before it was added, if it is known. @throws EditError */
export function takeOut(text: string, plan: Plan, client: string, before: string | undefined): string {
  let edited = text;
  const isKept = (path: JsonPath) =>
    before !== undefined && before.trim() !== "" && readValue(before, path) !== undefined;
  const { server } = plan;
  if (server !== undefined && plan.format === "toml") {
    const entry = readTable(text, [server.above, SERVER_NAME]);
    return entry !== undefined && isOwn(entry) ? removeTable(text, [server.above, SERVER_NAME]) : text;
  }
  if (server !== undefined && edited.trim() !== "") {
    const entry = readValue(edited, [server.above, SERVER_NAME]);
    if (isEntry(entry) && isOwn(entry)) {
      edited = removeAt(edited, [server.above, SERVER_NAME]);
      edited = dropEmpty(edited, [server.above], isKept);
    }
  }
  for (const event of Object.keys(plan.hooks ?? {})) {
    edited = takeOutHooks(edited, client, event);
    edited = dropEmpty(edited, ["hooks", event], isKept);
  }
  return plan.hooks === undefined ? edited : dropEmpty(edited, ["hooks"], isKept);
}

/** Whether the text holds no more than connecting writes into a new file. */
export function isNothingLeft(text: string, { format, base = {} }: Plan): boolean {
  if (format === "toml") return text.trim() === "";
  if (text.trim() === "") return true;
  const value = readValue(text, []) as ServerEntry;
  return !/\/\/|\/\*/.test(text) && Object.keys(value).every((name) => value[name] === base[name]);
}

/** Recognises an entry by the key that it names, and by its address. */
function isOwn(entry: ServerEntry): boolean {
  const url = entry["url"] ?? entry["httpUrl"];
  return typeof url === "string" && url.endsWith("/mcp") && JSON.stringify(entry).includes(KEY_VARIABLE);
}

function requireOwn(entry: unknown, above: string): void {
  if (entry !== undefined && !(isEntry(entry) && isOwn(entry))) {
    throw new EditError(`has another server ${above}.${SERVER_NAME}; rename or remove it first`);
  }
}

function putServer(text: string, { server }: Plan): string {
  if (server === undefined) return text;
  const { above, entry } = server;
  const found = text.trim() === "" ? undefined : readValue(text, [above, SERVER_NAME]);
  requireOwn(found, above);
  if (found === undefined) return setValue(text, [above, SERVER_NAME], entry);
  // Members that the user has added to the entry stay.
  return Object.entries(entry).reduce((edited, [name, value]) => {
    const path = [above, SERVER_NAME, name];
    const isHeaders = name === "headers" && isEntry((found as ServerEntry)[name]);
    return isHeaders
      ? setValue(edited, [...path, "Authorization"], (value as ServerEntry)["Authorization"])
      : setValue(edited, path, value);
  }, text);
}

function putInToml(text: string, { server }: Plan): string {
  if (server === undefined) return text;
  const at = [server.above, SERVER_NAME] as const;
  const found = readTable(text, at);
  requireOwn(found, server.above);
  return setTable(text, at, { ...found, ...server.entry } as Record<string, string>);
}

function putHook(text: string, client: string, event: string, element: object): string {
  const path = ["hooks", event];
  const list = text.trim() === "" ? undefined : readValue(text, path);
  const places = Array.isArray(list) ? findOwn(list, client, event) : [];
  if (places.length === 0) return addElement(text, path, element);
  // The program may have moved since; the handler stays where the user put it.
  const command = (element as { command?: string; hooks?: { command: string }[] }).command ??
    (element as { hooks: { command: string }[] }).hooks[0]!.command;
  return places.reduce((edited, place) => setValue(edited, [...path, ...place, "command"], command), text);
}

/** Removes our handlers, and groups that hold nothing else. */
function takeOutHooks(text: string, client: string, event: string): string {
  if (text.trim() === "") return text;
  const list = readValue(text, ["hooks", event]);
  if (!Array.isArray(list)) return text;
  // From the last to the first, so that the other places stay valid.
  return findOwn(list, client, event).toReversed().reduce((edited, place) => {
    const [group] = place;
    const path = ["hooks", event, ...place];
    const handlers = place.length > 1 ? readValue(edited, ["hooks", event, group!, "hooks"]) as unknown[] : [];
    return removeAt(edited, handlers.length > 1 ? path : ["hooks", event, group!]);
  }, text);
}

/** The places of our handlers in the list of an event: in the list itself, or in the lists of its groups. */
function findOwn(list: readonly unknown[], client: string, event: string): (string | number)[][] {
  return list.flatMap((element, i) => {
    if (!isEntry(element)) return [];
    if (isOwnCommand(element["command"], client, event)) return [[i]];
    const handlers = Array.isArray(element["hooks"]) ? element["hooks"] : [];
    return handlers.flatMap((handler, j) =>
      isEntry(handler) && isOwnCommand(handler["command"], client, event) ? [[i, "hooks", j]] : []
    );
  });
}

function dropEmpty(text: string, path: JsonPath, isKept: (path: JsonPath) => boolean): string {
  if (text.trim() === "") return text;
  const value = readValue(text, path);
  const isEmpty = typeof value === "object" && value !== null && Object.keys(value).length === 0;
  return isEmpty && !isKept(path) ? removeAt(text, path) : text;
}

function isEntry(value: unknown): value is ServerEntry {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
