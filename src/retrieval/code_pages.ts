/**
 * Memory for the sign codes of vectors, in pages, and the Hamming distances of all codes of some pages to another code.
 * All services of a process share one WebAssembly memory, because an engine allows only some dozens of large ones.
 */
import { measure, memory } from "../gen/hamming.wasm";

/** Bytes of a code: one bit for each of 256 components. */
export const CODE_BYTES = 32;
/** Codes of a page. */
export const PAGE_CODES = 1_024;
const PAGE_BYTES = CODE_BYTES * PAGE_CODES;
const WASM_PAGE_BYTES = 65_536;
/** The first page holds what a search needs: the query's code, and behind it the distances of one page. */
const QUERY_AT = 0, DISTANCES_AT = CODE_BYTES;

const free: number[] = [];
let end = PAGE_BYTES;

/** Takes a page. @returns its address */
export function takePage(): number {
  const page = free.pop() ?? end;
  if (page < end) return page;
  end += PAGE_BYTES;
  const lacking = end - memory.buffer.byteLength;
  if (lacking > 0) memory.grow(Math.ceil(lacking / WASM_PAGE_BYTES));
  return page;
}

/** Gives a page back. */
export function givePage(page: number): void {
  free.push(page);
}

/** The code at a place of a page. Valid until the next `takePage`. */
export function codeAt(page: number, place: number): Uint8Array {
  return new Uint8Array(memory.buffer, page + place * CODE_BYTES, CODE_BYTES);
}

/** Sets the code to which `measurePage` compares. */
export function setQueryCode(code: Uint8Array): void {
  new Uint8Array(memory.buffer, QUERY_AT, CODE_BYTES).set(code);
}

/** The distances of a page's first `count` codes, 0 to 256 each. Valid until the next call. */
export function measurePage(page: number, count: number): Uint16Array {
  measure(page, count, QUERY_AT, DISTANCES_AT);
  return new Uint16Array(memory.buffer, DISTANCES_AT, count);
}
