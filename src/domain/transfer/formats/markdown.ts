/**
 * Memories in Markdown: CLAUDE.md, MEMORY.md, .cursorrules, memory banks of Cline, notes of basic-memory and Obsidian. Over
 * HTTP they come as `{ files: [{ path, text, modifiedAt? }] }`, or as a list or JSONL of such files.
 *
 * Each bullet and each paragraph is a fact that begins with its heading; front matter gives tags, and a title. A line that
 * is nothing but bold is a heading, too. Tasks, code and tables are no facts. Notes of
 * basic-memory (`markdown/plugins.py` there) have observations, `- [category] text #tag (context)`, and relations, `- type
 * [[Target]] (context)`, which become a relation between the entities of the note and of its target.
 */
import { parse } from "yaml";
import { sha256Hex } from "../../../crypto/hash.ts";
import { ServiceError } from "../../../errors.ts";
import { isCommand } from "../../../language/commands.ts";
import { STATEMENT_BYTES_MAX } from "../../../schema/fact.ts";
import { splitText } from "./conversation.ts";
import { cutBetween, type ForeignRecord, objectOf, textOf, timeIfAny } from "./document.ts";
import { entityLine, factLine, idOf, type MadeLine, type Maker, relationLine, tagsOf } from "./lines.ts";

export const MARKDOWN_LISTS = ["files"] as const;

export interface MarkdownFile {
  /** Identifies the file; the same in every import. */
  readonly path: string;
  readonly text: string;
  readonly modifiedAt?: string | null;
  /** What its statements without a heading are about; empty: they say so themselves. Default: the file's name. */
  readonly title?: string;
}

/** A bullet or paragraph with the headings above it. */
interface Piece {
  readonly headings: readonly string[];
  readonly text: string;
  readonly isBullet: boolean;
}

const FRONT_MATTER = /^---[ \t]*\r?\n([^]*?)\r?\n---[ \t]*(\r?\n|$)/;
const FRONT_MATTER_MAX = 65_536;
const HEADING = /^ {0,3}(#{1,6})\s(.*)$/;
const BULLET = /^\s*(?:[-*+]|\d{1,9}[.)])\s(.*)$/;
/** A heading by its underline, behind its text. */
const UNDERLINE = /^ {0,3}(?:={2,}|-{2,})[ \t]*$/;
/** A paragraph that is nothing but bold, as programs write headings. */
const BOLD = /^(?:\*\*([^*]+)\*\*|__([^_]+)__):?$/;
/** The level of a bold heading: below all others. */
const BOLD_LEVEL = 7;
const TASK = /^\[[ xX-]\](?:\s|$)/;
const TABLE_ROW = /^\s*\|.*\|\s*$/;
/** One cell of the line below a table's head. */
const RULE_CELL = /^\s*:?-+:?\s*$/;
const FENCE = /^\s*(```+|~~~+)/;
/** The marks of a line that divides a page, without the spaces between them. */
const RULE = /^(?:-{3,}|\*{3,}|_{3,})$/;
const INDENT_OF_CODE = "    ";
/** `- [category] text`, unless it is a task, a link, or a time of a transcript. */
const OBSERVATION = /^\[([^[\]()]+)\]\s+(.+)$/s;
/** The characters of an observation's category. That of a task has one: `- [x] text`. */
const CATEGORY_MIN = 2;
const CATEGORY_MAX = 64;
const CLOCK = /^\d{1,3}:\d{2}(:\d{2})?/;
/** `[[target]] (note)`, after the word of a relation. */
const TARGET = /^\[\[([^[\]]+)\]\](.*)$/s;
const NOTE = /^(?:\([^()]*\))?$/;
const HASHTAG = /(?:^|\s)#([\p{L}\p{N}][\p{L}\p{N}_/-]*)/gu;
/** A line of CLAUDE.md that includes another file. */
const FILE_IMPORT = /^@\S+$/;
const HEADING_MAX = 250;
/** The most bullets and paragraphs of one file. */
const PIECES_MAX = 20_000;
/** The most tags that are read from one file's front matter. */
const TAGS_MAX = 200;

/** @throws ServiceError `validation_failed` for a file without path or text */
export function fromMarkdown(maker: Maker, { value: file }: ForeignRecord): MadeLine[] {
  const { path, text } = file;
  if (textOf(path) === undefined || typeof text !== "string") {
    throw new ServiceError("validation_failed", "Cannot import: a file needs a path and a text, both strings");
  }
  return markdownLines(maker, { path: path as string, text, modifiedAt: timeIfAny(file["modifiedAt"]) });
}

/** @throws ServiceError `payload_too_large` when the texts of the request are too long together */
export function markdownLines(maker: Maker, file: MarkdownFile): MadeLine[] {
  maker.budget.reads(file.text.length);
  const { front, body } = readFrontMatter(maker, file.text);
  const path = file.path.replaceAll("\\", "/").slice(0, 500).toWellFormed();
  const title = file.title ?? textOf(front["title"])?.slice(0, 200) ??
    path.split("/").at(-1)!.replace(/\.[a-z]+$/i, "");
  const frontTags = [front["tags"]].flat().flatMap((tag) => typeof tag === "string" ? tag.split(",") : [])
    .slice(0, TAGS_MAX);
  const fileTags = tagsOf(maker, ...frontTags);
  const at = timeIfAny(front["created"] ?? front["date"]) ?? file.modifiedAt ?? null;
  const occurredAt = at !== null && at <= maker.now ? at : null;
  const pieces = readPieces(maker, body);
  const entity = (name: string) => idOf(maker, null, "entity", name);
  const lines: MadeLine[] = [];
  const seen = new Set<string>();
  const isNote = title !== "" &&
    (front["permalink"] !== undefined || pieces.some((piece) => relationIn(piece) !== undefined));
  if (isNote) {
    lines.push(entityLine(maker, { id: entity(title), name: title, entityType: typeOf(front), tags: frontTags }));
  }
  for (const piece of pieces) {
    // Before its heading is put in front: it tells a command by how it begins.
    if (isCommand(piece.text)) {
      maker.omit("commands");
      continue;
    }
    const relation = isNote ? relationIn(piece) : undefined;
    if (relation !== undefined) {
      const { word, target } = relation;
      lines.push(
        entityLine(maker, { id: entity(target), name: target, entityType: "other" }),
        ...(target === title ? [] : [relationLine(maker, {
          id: idOf(maker, null, "relation", path, title, target, word),
          word,
          sourceId: entity(title),
          targetId: entity(target),
        })]),
      );
      if (target === title) maker.omit("relations of a note with itself");
      continue;
    }
    const { statement, category, tags } = readStatement(piece, title);
    for (const part of splitText(statement, STATEMENT_BYTES_MAX)) {
      const key = sha256Hex(part).slice(0, 32);
      if (seen.has(key)) {
        maker.omit("repeated statements");
        continue;
      }
      seen.add(key);
      lines.push(factLine(maker, {
        id: idOf(maker, null, "statement", path, key),
        externalId: `${path}#${key}`,
        statement: part,
        occurredAt,
        tags: tagsOf(maker, ...fileTags, ...tags, category),
        entityIds: isNote ? [entity(title)] : [],
        metadata: {
          [maker.source]: {
            path,
            ...(piece.headings.length > 0 && { heading: piece.headings.join(" › ").slice(0, 500).toWellFormed() }),
            ...(category !== undefined && { category }),
          },
        },
      }));
    }
  }
  if (pieces.length === 0) maker.omit("files without text");
  return lines;
}

function typeOf(front: Readonly<Record<string, unknown>>): string {
  return (textOf(front["type"]) ?? "note").slice(0, 64).toLowerCase();
}

function readFrontMatter(maker: Maker, text: string): { front: Readonly<Record<string, unknown>>; body: string } {
  const whole = text.replace(/^\ufeff/, "");
  const found = FRONT_MATTER.exec(whole);
  if (found === null) return { front: {}, body: whole };
  const body = whole.slice(found[0].length);
  try {
    if (found[1]!.length > FRONT_MATTER_MAX) throw new RangeError("front matter is too long");
    return { front: objectOf(parse(found[1]!, { maxAliasCount: 10, schema: "core", logLevel: "silent" })), body };
  } catch {
    maker.omit("front matter that cannot be read");
    return { front: {}, body };
  }
}

/** Bullets and paragraphs in order, without code, tables and tasks. A bullet lasts until something less indented. */
function readPieces(maker: Maker, body: string): Piece[] {
  const shown = cutBetween(body, "<!--", "-->");
  if (shown.count > 0) maker.omit("comments", shown.count);
  const headings: string[] = [];
  const pieces: Piece[] = [];
  let lines: string[] = [];
  let isBullet = false;
  let fence: string | undefined;
  let isTable = false;
  const setHeading = (level: number, text: string) => {
    headings.length = Math.min(headings.length, level - 1);
    headings[level - 1] = withoutHashes(text).slice(0, HEADING_MAX);
  };
  const flush = () => {
    const text = lines.join("\n").trim();
    lines = [];
    const bold = isBullet ? null : BOLD.exec(text);
    if (bold !== null) {
      setHeading(BOLD_LEVEL, (bold[1] ?? bold[2])!.replace(/:\s*$/, ""));
      return;
    }
    if (isBullet && TASK.test(text)) {
      maker.omit("tasks");
      isBullet = false;
      return;
    }
    if (text !== "" && pieces.length >= PIECES_MAX) {
      throw new ServiceError("validation_failed", `Cannot import: the file has more than ${PIECES_MAX} paragraphs`);
    }
    if (text !== "") {
      pieces.push({ headings: headings.filter((one) => one !== undefined && one !== ""), text, isBullet });
    }
    isBullet = false;
  };
  for (const line of shown.text.split(/\r?\n/)) {
    const mark = FENCE.exec(line)?.[1];
    if (fence !== undefined || mark !== undefined) {
      if (fence === undefined) {
        fence = mark;
        maker.omit("code blocks");
      } else if (mark !== undefined && mark.startsWith(fence)) fence = undefined;
      continue;
    }
    if (isTableRule(line) && lines.at(-1)?.includes("|")) {
      // Its head stands before its rule.
      lines.pop();
      isTable = true;
      maker.omit("tables");
      continue;
    }
    if (isTable && (TABLE_ROW.test(line) || line.includes("|"))) continue;
    isTable = false;
    if (UNDERLINE.test(line) && lines.length === 1 && !isBullet) {
      const text = lines.pop()!;
      setHeading(line.includes("=") ? 1 : 2, text);
      continue;
    }
    const heading = HEADING.exec(line);
    const bullet = BULLET.exec(line);
    if (heading !== null) {
      flush();
      setHeading(heading[1]!.length, heading[2]!);
    } else if (isRule(line) || line.trim() === "") flush();
    else if (FILE_IMPORT.test(line.trim())) {
      flush();
      maker.omit("references to other files");
    } else if (bullet !== null) {
      flush();
      isBullet = true;
      lines.push(bullet[1]!.trimStart());
    } else lines.push(isBullet ? line.trim() : line);
  }
  flush();
  return pieces;
}

/** A heading may end with the marks that begin it. */
function withoutHashes(text: string): string {
  let end = text.trimEnd().length;
  while (end > 0 && text[end - 1] === "#") end--;
  return text.slice(0, end).trim();
}

/** Whether a line parts a table's head from its rows: two cells or more. */
function isTableRule(line: string): boolean {
  const cells = line.trim().replace(/^\||\|$/g, "").split("|");
  return cells.length > 1 && cells.every((cell) => RULE_CELL.test(cell));
}

function isRule(line: string): boolean {
  return !line.startsWith(INDENT_OF_CODE) && RULE.test(line.replaceAll(/\s/g, ""));
}

/** `word [[target]]`, with quotes around several words; a note may follow. */
function relationIn({ text, isBullet }: Piece): { word: string; target: string } | undefined {
  const start = isBullet ? text.indexOf("[[") : -1;
  const found = start > 0 ? TARGET.exec(text.slice(start)) : null;
  if (found === null || !NOTE.test(found[2]!.trim()) || text[start - 1]!.trim() !== "") return undefined;
  const said = text.slice(0, start).trim();
  const quote = said.length > 2 && (said[0] === '"' || said[0] === "'") && said.at(-1) === said[0];
  const word = quote ? said.slice(1, -1) : said;
  if (word === "" || word.startsWith("[") || (quote ? word.includes(said[0]!) : /\s/.test(word))) return undefined;
  const target = found[1]!.split(/[|#]/)[0]!.trim().slice(0, 200);
  return target === "" ? undefined : { word: word.slice(0, 200), target };
}

/** The statement of a piece: below a heading, the heading comes first, since a bullet leaves out its subject. */
function readStatement(
  { headings, text }: Piece,
  title: string,
): { statement: string; category?: string; tags: string[] } {
  const found = OBSERVATION.exec(text);
  const category = found !== null && isCategory(found[1]!) ? found[1]!.trim() : undefined;
  const said = category === undefined ? text : found![2]!.trim();
  const tags = [...said.matchAll(HASHTAG)].map((match) => match[1]!);
  // Headings such as "Observations" name the form of a note, not its subject.
  const heading = headings.at(-1);
  const about = category === undefined ? heading ?? title : title;
  const isNamed = said.toLowerCase().includes(about.toLowerCase());
  return { statement: isNamed ? said : `${about}: ${said}`, ...(category !== undefined && { category }), tags };
}

function isCategory(text: string): boolean {
  return text.length >= CATEGORY_MIN && text.length <= CATEGORY_MAX && !CLOCK.test(text);
}
