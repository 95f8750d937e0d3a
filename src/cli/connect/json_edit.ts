/**
 * Changes single members of a JSON document, with or without comments, and leaves every other byte unchanged, because
 * people keep comments and their own layout in these files. Adding and then removing something restores the document.
 */
import { type Node, parseTree, printParseErrorCode } from "jsonc-parser";
import { isDeepStrictEqual } from "node:util";

/** A document that cannot be changed. The message is for the person whose file it is. */
export class EditError extends Error {}

/** The path to a value: member names, and places in lists. */
export type JsonPath = readonly (string | number)[];

/** Returns the value at a path; undefined if there is none. @throws EditError for a broken document */
export function readValue(text: string, path: JsonPath): unknown {
  const node = findNode(parse(text), path);
  return node === undefined ? undefined : valueOf(node);
}

/** Sets the value at a path and creates missing members on the way. @throws EditError */
export function setValue(text: string, path: JsonPath, value: unknown): string {
  const document = text.trim() === "" ? `{}${text === "" ? "\n" : text}` : text;
  const root = parse(document);
  const found = findNode(root, path);
  if (found !== undefined) {
    if (isDeepStrictEqual(valueOf(found), value)) return document;
    const indent = indentOfLine(document, found.offset);
    return splice(document, found.offset, found.length, render(document, value, indent));
  }
  // Finds the nearest existing member, and sets the rest of the path as a new value below it.
  let depth = path.length - 1;
  while (findNode(root, path.slice(0, depth)) === undefined) depth--;
  const rest = path.slice(depth + 1).toReversed().reduce<unknown>((inner, key) => ({ [key]: inner }), value);
  return addMember(document, requireKind(root, path.slice(0, depth), "object"), String(path[depth]), rest);
}

/** Adds an element to the end of the list at a path; creates the list if there is none. @throws EditError */
export function addElement(text: string, path: JsonPath, value: unknown): string {
  const document = text.trim() === "" ? setValue(text, path, []) : text;
  const root = parse(document);
  if (findNode(root, path) === undefined) return setValue(document, path, [value]);
  const list = requireKind(root, path, "array");
  return addChild(document, list, (indent) => render(document, value, indent));
}

/** Removes the value at a path, if there is one. @throws EditError */
export function removeAt(text: string, path: JsonPath): string {
  const node = text.trim() === "" ? undefined : findNode(parse(text), path);
  if (node?.parent === undefined) return text;
  const child = node.parent.type === "property" ? node.parent : node;
  const container = child.parent!;
  const end = child.offset + child.length;
  const inside = { start: container.offset + 1, end: container.offset + container.length - 1 };
  // The comma before or after it goes too, so that the others keep one between each.
  const after = commaAfter(text, end, inside.end);
  const start = inside.start + text.slice(inside.start, child.offset).trimEnd().length;
  if (after !== undefined) return splice(text, start, after + 1 - start, "");
  const siblings = container.children!;
  const before = siblings[siblings.indexOf(child) - 1];
  if (before === undefined) {
    const isEmpty = text.slice(inside.start, start).trim() === "" && text.slice(end, inside.end).trim() === "";
    return isEmpty ? splice(text, inside.start, inside.end - inside.start, "") : splice(text, start, end - start, "");
  }
  const comma = commaAfter(text, before.offset + before.length, child.offset)!;
  return splice(splice(text, start, end - start, ""), comma, 1, "");
}

function parse(text: string): Node {
  const errors: Parameters<typeof parseTree>[1] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [error] = errors!;
  if (error !== undefined || root === undefined) {
    const line = text.slice(0, error?.offset ?? 0).split("\n").length;
    throw new EditError(`is not valid JSON: ${error ? printParseErrorCode(error.error) : "empty"} in line ${line}`);
  }
  if (root.type !== "object") throw new EditError("is not a JSON object");
  return root;
}

/** @throws EditError if a member on the way exists twice: only the client knows which one counts */
function findNode(root: Node, path: JsonPath): Node | undefined {
  let at: Node | undefined = root;
  for (const key of path) {
    if (at === undefined) return undefined;
    if (typeof key === "number") {
      at = at.type === "array" ? at.children?.[key] : undefined;
      continue;
    }
    const named: Node[] = at.type === "object"
      ? at.children!.filter(({ children }) => children![0]!.value === key)
      : [];
    if (named.length > 1) throw new EditError(`has ${JSON.stringify(key)} twice`);
    at = named[0]?.children?.[1];
  }
  return at;
}

function requireKind(root: Node, path: JsonPath, kind: "object" | "array"): Node {
  const node = findNode(root, path)!;
  const article = kind === "object" ? "an object" : "a list";
  if (node.type !== kind) throw new EditError(`has ${path.join(".")} that is not ${article}`);
  return node;
}

function valueOf({ type, children = [], value }: Node): unknown {
  if (type === "array") return children.map(valueOf);
  if (type !== "object") return value;
  return Object.fromEntries(children.map(({ children }) => [children![0]!.value, valueOf(children![1]!)]));
}

function addMember(text: string, object: Node, key: string, value: unknown): string {
  return addChild(text, object, (indent) => `${JSON.stringify(key)}: ${render(text, value, indent)}`);
}

/** Adds a child at the end; `make` gets the indent of its line, or undefined if the container is on one line. */
function addChild(text: string, container: Node, make: (indent: string | undefined) => string): string {
  const start = container.offset + 1, end = container.offset + container.length - 1;
  const base = indentOfLine(text, container.offset);
  const last = container.children!.at(-1);
  const lineBreak = lineBreakOf(text);
  if (last === undefined) {
    const indent = base + unitOf(text);
    const keep = text.slice(start, end).trimEnd();
    return splice(text, start, end - start, `${keep}${lineBreak}${indent}${make(indent)}${lineBreak}${base}`);
  }
  const lastEnd = last.offset + last.length;
  if (!text.slice(start, end).includes("\n")) {
    return splice(text, lastEnd, 0, `, ${make(undefined)}`);
  }
  const indent = isFirstOfLine(text, last.offset) ? indentOfLine(text, last.offset) : base + unitOf(text);
  const comma = commaAfter(text, lastEnd, end);
  // A comment at the end of the line stays with its member.
  const place = endOfComments(text, (comma ?? lastEnd - 1) + 1, end);
  const added = `${lineBreak}${indent}${make(indent)}`;
  if (comma !== undefined) return splice(text, place, 0, `${added},`);
  return splice(splice(text, place, 0, added), lastEnd, 0, ",");
}

/** The place of the next comma before `end`, skipping comments. */
function commaAfter(text: string, from: number, end: number): number | undefined {
  let at = from;
  while (at < end) {
    if (/\s/.test(text[at]!)) at++;
    else if (text.startsWith("//", at)) at = endOr(text.indexOf("\n", at), end);
    else if (text.startsWith("/*", at)) at = endOr(text.indexOf("*/", at) + 2, end);
    else return text[at] === "," ? at : undefined;
  }
  return undefined;
}

/** The end of comments that follow on the same line; `from` if there are none, or other text follows. */
function endOfComments(text: string, from: number, end: number): number {
  let at = from;
  let reached = from;
  while (at < end && text[at] !== "\n" && text[at] !== "\r") {
    if (text.startsWith("//", at)) {
      return endOr(text.indexOf("\n", at), end) - (text[text.indexOf("\n", at) - 1] === "\r" ? 1 : 0);
    }
    if (text.startsWith("/*", at)) {
      const close = text.indexOf("*/", at) + 2;
      if (text.slice(at, close).includes("\n")) return reached;
      reached = at = close;
    } else if (text[at] === " " || text[at] === "\t") at++;
    else return from;
  }
  return reached;
}

function endOr(found: number, end: number): number {
  return found < 2 || found > end ? end : found;
}

function render(text: string, value: unknown, indent: string | undefined): string {
  if (indent === undefined) return JSON.stringify(value);
  return JSON.stringify(value, null, unitOf(text)).replaceAll("\n", lineBreakOf(text) + indent);
}

/** The unit of indentation, as in the first member. */
function unitOf(text: string): string {
  return /^\s*\{\s*?\r?\n([ \t]+)["/]/.exec(text)?.[1] ?? "  ";
}

function lineBreakOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

function indentOfLine(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", offset - 1) + 1))![0];
}

function isFirstOfLine(text: string, offset: number): boolean {
  return text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset).trim() === "";
}

function splice(text: string, at: number, length: number, added: string): string {
  return text.slice(0, at) + added + text.slice(at + length);
}
