/**
 * Reads the database file of OpenMemory, `openmemory.db`, as the lines of its own backup. Its tables are those of
 * mem0ai/mem0 `openmemory/api/app/models.py`: `memories`, `apps`, `categories` and `memory_categories`.
 */
import { DatabaseSync } from "node:sqlite";
import { ServiceError } from "../../errors.ts";
import { parseKeepingDigits } from "../../schema/json_text.ts";

const QUERY = `select m.id, m.content, m.metadata, m.state, m.created_at, m.updated_at, a.name as app,
  (select json_group_array(c.name) from memory_categories mc join categories c on c.id = mc.category_id
   where mc.memory_id = m.id) as categories
  from memories m left join apps a on a.id = m.app_id order by m.created_at, m.id`;

/** @throws ServiceError `invalid_request` when the tables are missing */
export async function* readOpenMemoryDatabase(path: string): AsyncGenerator<Uint8Array, void> {
  const encoder = new TextEncoder();
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { readOnly: true });
    for (const row of database.prepare(QUERY).iterate()) yield encoder.encode(`${JSON.stringify(toRecord(row))}\n`);
  } catch (error) {
    throw new ServiceError("invalid_request", `Cannot import: ${path} is no database of OpenMemory`, { cause: error });
  } finally {
    database?.close();
  }
}

function toRecord(row: Readonly<Record<string, unknown>>) {
  return {
    ...row,
    id: toUuid(row["id"]),
    // The states' names; the database has them in lower case.
    state: String(row["state"]).toLowerCase().replace(/^.*\./, ""),
    metadata: parse(row["metadata"]),
    categories: parse(row["categories"]),
    created_at: toTime(row["created_at"]),
    updated_at: toTime(row["updated_at"]),
  };
}

/** SQLite has UUIDs as 32 hexadecimal digits. */
function toUuid(value: unknown): string {
  const text = String(value).toLowerCase();
  return /^[0-9a-f]{32}$/.test(text) ? text.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5") : text;
}

function toTime(value: unknown): string | null {
  return typeof value === "string" ? `${value.replace(" ", "T").slice(0, 23)}Z` : null;
}

function parse(value: unknown): unknown {
  try {
    return parseKeepingDigits(String(value));
  } catch {
    return null;
  }
}
