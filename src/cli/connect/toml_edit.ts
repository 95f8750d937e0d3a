/** Changes one table of a TOML document; comments, order and layout of everything else stay. */
import { parse, patch } from "@decimalturn/toml-patch";
import { isDeepStrictEqual } from "node:util";
import { EditError } from "./json_edit.ts";

type Table = Record<string, unknown>;

/** Returns a table; undefined if there is none. @throws EditError for a broken document */
export function readTable(text: string, [above, name]: readonly [string, string]): Table | undefined {
  const table = (read(text)[above] as Table | undefined)?.[name];
  if (table !== undefined && !isTable(table)) throw new EditError(`has ${above}.${name} that is not a table`);
  return table;
}

/** Sets a table of plain texts. @throws EditError */
export function setTable(
  text: string,
  [above, name]: readonly [string, string],
  values: Readonly<Record<string, string>>,
): string {
  const document = read(text);
  const outer = document[above] ?? {};
  if (!isTable(outer)) throw new EditError(`has ${above} that is not a table`);
  const before = outer[name];
  if (before !== undefined && !isTable(before)) throw new EditError(`has ${above}.${name} that is not a table`);
  if (before !== undefined && isDeepStrictEqual(before, values)) return text;
  const after = { ...document, [above]: { ...outer, [name]: values } };
  if (before === undefined) {
    // The usual form: a table of its own at the end. If that is impossible, such as below an inline table, the library
    // finds another form.
    const block = blockOf(above, name, values);
    const appended = text === "" ? block.slice(1) : text + block;
    if (isDeepStrictEqual(tryRead(appended), after)) return appended;
  }
  return checked(patch(text, after), after);
}

/** Removes a table, and the one above it if that is empty then and `keepAbove` is not set. @throws EditError */
export function removeTable(text: string, [above, name]: readonly [string, string], keepAbove = false): string {
  const document = read(text);
  const outer = document[above];
  if (!isTable(outer) || outer[name] === undefined) return text;
  const { [name]: removed, ...others } = outer;
  const { [above]: _, ...rest } = document;
  const after = Object.keys(others).length > 0 || keepAbove ? { ...document, [above]: others } : rest;
  // The table in its appended form, with the line break before it.
  const block = blockOf(above, name, removed as Record<string, unknown>);
  const at = text.startsWith(block.slice(1)) ? -1 : text.lastIndexOf(block);
  const without = text.slice(0, Math.max(0, at)) + text.slice(at + block.length);
  if ((at >= 0 || text.startsWith(block.slice(1))) && isDeepStrictEqual(tryRead(without), after)) return without;
  return checked(patch(text, after), after);
}

function blockOf(above: string, name: string, values: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(values).map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`);
  return `\n[${above}.${name}]\n${lines.join("")}`;
}

function read(text: string): Table {
  try {
    return JSON.parse(JSON.stringify(parse(text)));
  } catch (error) {
    throw new EditError(`is not valid TOML: ${error instanceof Error ? error.message.split("\n")[0] : error}`);
  }
}

function tryRead(text: string): Table | undefined {
  try {
    return read(text);
  } catch {
    return undefined;
  }
}

function checked(text: string, expected: Table): string {
  if (!isDeepStrictEqual(tryRead(text), JSON.parse(JSON.stringify(expected)))) {
    throw new EditError("is written in a way that cannot be changed safely");
  }
  return text;
}

function isTable(value: unknown): value is Table {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
