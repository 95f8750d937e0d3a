/**
 * Memories of OpenMemory, in the shape of mem0ai/mem0 `openmemory/api/app/routers/backup.py`: the lines of
 * `memories.jsonl.gz`, `{ id, content, metadata, created_at, updated_at, state, app, categories: [name] }`; or
 * `memories.json`, `{ user, apps, categories, memories: [{ …, app_id, category_ids }], status_history, access_controls }`. The
 * command line makes such lines from the database file `openmemory.db`, too. A memory becomes a fact.
 */
import { type ForeignRecord, listOf, objectOf, textOf, timeIfAny, timeOf } from "./document.ts";
import { factLine, idOf, type MadeLine, type Maker, metadataOf, shortName } from "./lines.ts";

export const OPENMEMORY_LISTS = [
  "apps",
  "categories",
  "memories",
  "memory_categories",
  "status_history",
  "access_controls",
] as const;

const LEFT_OUT: Readonly<Record<string, string>> = {
  status_history: "changes of a memory's state",
  access_controls: "access rules of apps",
};

/** Reads the records of a file; memories know the names of apps and categories before them. */
export class OpenMemoryReader {
  readonly #maker: Maker;
  readonly #names = new Map<string, string>();

  constructor(maker: Maker) {
    this.#maker = maker;
  }

  /** @throws ServiceError `validation_failed` for a memory with an invalid time */
  read({ list, value: record }: ForeignRecord): MadeLine[] {
    if (list === "apps" || list === "categories") {
      const [id, name] = [textOf(record["id"]), textOf(record["name"])];
      if (id !== undefined && name !== undefined) this.#names.set(id, shortName(name));
      return [];
    }
    // Each memory names its categories itself.
    if (list === "memory_categories") return [];
    if (LEFT_OUT[list] !== undefined) {
      this.#maker.omit(LEFT_OUT[list]);
      return [];
    }
    return this.#readMemory(record);
  }

  #readMemory(record: ForeignRecord["value"]): MadeLine[] {
    const maker = this.#maker;
    const { id, content, state, created_at } = record;
    if (state === "deleted") {
      maker.omit("deleted memories");
      return [];
    }
    const nameOf = (key: unknown) => this.#names.get(String(key));
    const own = textOf(record["app"]);
    const app = own === undefined ? nameOf(record["app_id"]) : shortName(own);
    const categories = [...listOf(record["categories"]), ...listOf(record["category_ids"]).map(nameOf)];
    return [factLine(maker, {
      id: idOf(maker, id, textOf(content), textOf(record["user_id"])),
      externalId: textOf(id),
      statement: content,
      status: state === "archived" || state === "paused" ? "archived" : "active",
      occurredAt: timeOf(created_at, "created_at"),
      tags: categories as string[],
      metadata: {
        ...metadataOf(maker, objectOf(record["metadata"])),
        openmemory: {
          ...(textOf(id) !== undefined && { id }),
          ...(app !== undefined && { app }),
          ...(typeof state === "string" && state !== "active" && { state }),
          ...(timeIfAny(record["updated_at"]) !== null && { updatedAt: timeIfAny(record["updated_at"]) }),
        },
      },
    })];
  }
}
