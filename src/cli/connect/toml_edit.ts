/** Changes one table of a TOML document; comments, order and layout of everything else stay. */
import { parse, patch } from "@decimalturn/toml-patch";
import { isDeepStrictEqual } from "node:util";
import { EditError } from "./json_edit.ts";

type Table = Record<string, unknown>;

/** Returns a table; undefined where there is none. @throws EditError for a broken document */
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
  if (before !== undefined && isDeepStrictEqual(before, values)) return text;
  const after = { ...document, [above]: { ...outer, [name]: values } };
  if (before === undefined) {
    // As people write it: a table of its own at the end. Where that cannot be, such as below an inline table, the library
    // finds a way.
    const appended = text + blockOf(text, above, name, values);
    if (isDeepStrictEqual(tryRead(appended), after)) return appended;
  }
  return checked(patch(text, after), after);
}

/** Removes a table, and the one above it where nothing is left in it and `keepAbove` does not say otherwise. @throws EditError */
export function removeTable(text: string, [above, name]: readonly [string, string], keepAbove = false): string {
  const document = read(text);
  const outer = document[above];
  if (!isTable(outer) || outer[name] === undefined) return text;
  const { [name]: removed, ...others } = outer;
  const { [above]: _, ...rest } = document;
  const after = Object.keys(others).length > 0 || keepAbove ? { ...document, [above]: others } : rest;
  for (const start of [text.lastIndexOf(`\n[${above}.${name}]`), text.startsWith(`[${above}.${name}]`) ? 0 : -1]) {
    if (start < 0) continue;
    const block = blockOf(text.slice(0, start), above, name, removed as Record<string, string>);
    for (const at of [start + 1 - (block.length - block.trimStart().length), start]) {
      if (at < 0 || !text.startsWith(block, at)) continue;
      const without = text.slice(0, at) + text.slice(at + block.length);
      if (isDeepStrictEqual(tryRead(without), after)) return without;
    }
  }
  return checked(patch(text, after), after);
}

function blockOf(text: string, above: string, name: string, values: Readonly<Record<string, unknown>>): string {
  const gap = text === "" ? "" : text.endsWith("\n") ? "\n" : "\n\n";
  const lines = Object.entries(values).map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`);
  return `${gap}[${above}.${name}]\n${lines.join("")}`;
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
