/**
 * Opaque cursors of keyset lists.
 *
 * A cursor holds the key of the last row of its page, its list and its order. A cursor of another list or order is
 * refused, because it would give a page that skips rows.
 */
import { Buffer } from "node:buffer";
import { ServiceError } from "../../errors.ts";
import type { Page } from "../../schema/common.ts";
import { isUuid } from "../../crypto/ids.ts";

export type CursorKey = string | number;

export function encodeCursor(list: string, order: "asc" | "desc", key: CursorKey): string {
  return Buffer.from(JSON.stringify([list, order, key])).toString("base64url");
}

/**
 * Reads the key in a cursor; undefined without a cursor. Callers write cursors, so `isKey` checks the key.
 * @throws ServiceError `validation_failed`
 */
export function decodeCursor<K extends CursorKey>(
  list: string,
  order: "asc" | "desc",
  cursor: string | undefined,
  isKey: (key: unknown) => key is K,
): K | undefined {
  if (cursor === undefined) return undefined;
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    if (Array.isArray(parts) && parts.length === 3 && parts[0] === list && parts[1] === order && isKey(parts[2])) {
      return parts[2];
    }
  } catch {
    // A cursor that is not JSON is answered like any other text that is not a cursor of this list.
  }
  throw new ServiceError("validation_failed", "Cannot read the cursor: it is not of this list and order", {
    errors: [{ path: "cursor", message: "must be the nextCursor of this list in the same order" }],
  });
}

/** Makes a page from `limit + 1` rows: the surplus row only shows that there is a next page. */
export function toPage<Row, Item>(
  rows: readonly Row[],
  limit: number,
  toItem: (row: Row) => Item,
  toCursor: (row: Row) => string,
): Page<Item> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { data: shown.map(toItem), nextCursor: rows.length > limit && last !== undefined ? toCursor(last) : null };
}

/** Whether the key in a cursor is the id of the last row, as in most lists. */
export function isId(key: unknown): key is string {
  return typeof key === "string" && isUuid(key);
}
