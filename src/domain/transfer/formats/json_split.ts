/**
 * Splits a JSON document while it is read: gives the items of a list, or of some lists in an object, as bytes. Memory
 * holds one item, however long the document is. The caller parses the items.
 */
import { ServiceError } from "../../../errors.ts";
import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
} from "../../../schema/json_bytes.ts";

/** The bytes of an item, or its place if it is too long. */
export interface Slice {
  /** The member of the object whose list has the item; empty for the items of a bare list. */
  readonly list: string;
  /** From 1, over all lists of the document. */
  readonly no: number;
  /** Undefined: it is longer than the longest accepted item. */
  readonly bytes: Uint8Array | undefined;
  /** Commas, colons and brackets outside strings, which determine the cost of parsing. */
  readonly marks: number;
}

const SPACES = [0x20, 0x0a, 0x0d, 0x09];
/** The byte order mark that some programs on Windows write. */
const BOM = [0xef, 0xbb, 0xbf];
const KEY_BYTES_MAX = 200;
const MEMBER_BYTES_MAX = 65_536;

const decoder = new TextDecoder();

export class JsonSplitter {
  readonly #lists: ReadonlySet<string>;
  readonly #bytesMax: number;
  #offset = 0;
  #depth = 0;
  #inString = false;
  #escaped = false;
  #top: "none" | "array" | "object" | "ended" = "none";
  /** The list in progress, and the depth of its items. */
  #list: { readonly name: string; readonly depth: number } | undefined;
  #key: number[] | undefined;
  #name = "";
  #expects: "key" | "value" = "key";
  #no = 0;
  /** The item, or small member, in progress. */
  #open: { parts: Uint8Array[]; length: number; marks: number; isMember: boolean } | undefined;

  /** Members of the object other than the lists, as text; without those that are longer than 64 KiB. */
  readonly members = new Map<string, string>();
  /** Whether the document is a bare list or has at least one of the lists. */
  hasList = false;

  /** @param bytesMax the longest accepted item */
  constructor(lists: readonly string[], bytesMax: number) {
    this.#lists = new Set(lists);
    this.#bytesMax = bytesMax;
  }

  /** Whether the document's last bracket was read. */
  get isEnded(): boolean {
    return this.#top === "ended";
  }

  /** @throws ServiceError `invalid_request` for bytes that cannot be a JSON document, with the place. */
  push(chunk: Uint8Array): Slice[] {
    const out: Slice[] = [];
    let from = 0;
    const keep = (until: number) => {
      const open = this.#open;
      if (open === undefined) return;
      const max = open.isMember ? MEMBER_BYTES_MAX : this.#bytesMax;
      open.length += until - from;
      if (open.length > max) open.parts = [];
      else open.parts.push(chunk.slice(from, until));
    };
    const begin = (at: number, isMember: boolean) => {
      this.#open = { parts: [], length: 0, marks: 1, isMember };
      from = at;
    };
    const finish = (until: number) => {
      keep(until);
      const { parts, length, marks, isMember } = this.#open!;
      const isWhole = length <= (isMember ? MEMBER_BYTES_MAX : this.#bytesMax);
      this.#open = undefined;
      const bytes = isWhole ? join(parts, length) : undefined;
      if (!isMember) out.push({ list: this.#list!.name, no: ++this.#no, bytes, marks });
      else if (bytes !== undefined) this.members.set(this.#name, decoder.decode(bytes));
    };
    for (let i = 0; i < chunk.length; i++) {
      const c = chunk[i]!;
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (c === BACKSLASH) this.#escaped = true;
        else if (c === QUOTE) {
          this.#inString = false;
          if (this.#key !== undefined) {
            this.#name = decoder.decode(new Uint8Array(this.#key));
            this.#key = undefined;
          }
          continue;
        }
        if (this.#key !== undefined && this.#key.length < KEY_BYTES_MAX) this.#key.push(c);
        continue;
      }
      const isSpace = SPACES.includes(c);
      if (this.#top === "none") {
        if (isSpace || (this.#offset + i < BOM.length && c === BOM[this.#offset + i])) continue;
        if (c !== OPEN_ARRAY && c !== OPEN_OBJECT) {
          throw wrong(this.#offset + i, "it begins with no list and no object");
        }
        this.#depth = 1;
        this.#top = c === OPEN_ARRAY ? "array" : "object";
        if (c === OPEN_ARRAY) {
          this.hasList = true;
          this.#list = { name: "", depth: 1 };
        }
        continue;
      }
      if (this.#top === "ended") {
        if (!isSpace) throw wrong(this.#offset + i, "something follows its end");
        continue;
      }
      const list = this.#list;
      const atItems = list !== undefined && this.#depth === list.depth;
      const atMembers = list === undefined && this.#depth === 1;
      if (atItems) {
        if (c === COMMA || c === CLOSE_ARRAY) {
          if (this.#open !== undefined) finish(i);
          if (c === CLOSE_ARRAY) {
            this.#list = undefined;
            if (--this.#depth === 0) this.#top = "ended";
          }
          continue;
        }
        if (isSpace) continue;
        if (c === CLOSE_OBJECT) throw wrong(this.#offset + i, "a bracket closes what was not opened");
        if (this.#open === undefined) begin(i, false);
      } else if (atMembers) {
        if (c === COMMA || c === CLOSE_OBJECT) {
          if (this.#open !== undefined) finish(i);
          this.#expects = "key";
          if (c === CLOSE_OBJECT) {
            this.#depth = 0;
            this.#top = "ended";
          }
          continue;
        }
        if (isSpace) continue;
        if (c === CLOSE_ARRAY) throw wrong(this.#offset + i, "a bracket closes what was not opened");
        if (c === COLON && this.#open === undefined) {
          this.#expects = "value";
          continue;
        }
        if (this.#expects === "key") {
          if (c !== QUOTE) throw wrong(this.#offset + i, "a member has no name");
          this.#key = [];
          this.#inString = true;
          continue;
        }
        if (c === OPEN_ARRAY && this.#open === undefined && this.#lists.has(this.#name)) {
          this.hasList = true;
          this.#depth++;
          this.#list = { name: this.#name, depth: this.#depth };
          continue;
        }
        if (this.#open === undefined) begin(i, true);
      }
      if (c === QUOTE) this.#inString = true;
      else if (c === OPEN_ARRAY || c === OPEN_OBJECT) {
        this.#depth++;
        this.#open!.marks++;
      } else if (c === CLOSE_ARRAY || c === CLOSE_OBJECT) this.#depth--;
      else if (c === COMMA || c === COLON) this.#open!.marks++;
    }
    keep(chunk.length);
    this.#offset += chunk.length;
    return out;
  }

  /** @throws ServiceError `invalid_request` when the document is not at its end. */
  end(): void {
    if (this.#top === "ended") return;
    if (this.#top === "none") throw new ServiceError("invalid_request", "Cannot read JSON: it is empty");
    const where = this.#open !== undefined && !this.#open.isMember ? `in item ${this.#no + 1}` : "before its end";
    throw wrong(this.#offset, `it breaks off ${where}`);
  }
}

function wrong(at: number, what: string): ServiceError {
  return new ServiceError("invalid_request", `Cannot read JSON: at byte ${at} ${what}`);
}

function join(parts: readonly Uint8Array[], length: number): Uint8Array {
  if (parts.length === 1) return parts[0]!;
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
