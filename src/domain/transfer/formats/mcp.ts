/**
 * The JSONL of the MCP memory server: `{ type: "entity", name, entityType, observations[] }` and `{ type: "relation",
 * from, to, relationType }`. An entity becomes an entity, each observation a fact about it, a relation a relation with
 * the nearest of the nine verbs; its original word is in its metadata.
 */
import { ServiceError } from "../../../errors.ts";
import type { RelationLine, UnitLine } from "../../../schema/transfer_lines.ts";
import { type ForeignRecord, textOf } from "./document.ts";
import { entityLine, factLine, idOf, type Maker, relationLine } from "./lines.ts";

/** A document holds `{ entities, relations }`, as the server's `read_graph` returns them. */
export const MCP_LISTS = ["entities", "relations"] as const;

/** The server identifies an entity by its name alone. */
function entityIdOf(maker: Maker, name: unknown): string {
  return idOf(maker, null, "entity", name);
}

/** @throws ServiceError `validation_failed` for a record that is neither */
export function fromMcp(maker: Maker, { list, value: record }: ForeignRecord): (UnitLine | RelationLine)[] {
  const type = record["type"] ?? { entities: "entity", relations: "relation" }[list];
  if (type === "entity") return readEntity(maker, record);
  if (type !== "relation") {
    throw new ServiceError("validation_failed", "Cannot import: its type is neither entity nor relation");
  }
  const { from, to, relationType } = record;
  const [source, target, word] = [textOf(from), textOf(to), textOf(relationType)];
  if (source === undefined || target === undefined || word === undefined) {
    throw new ServiceError("validation_failed", "Cannot import: from, to and relationType must be strings");
  }
  return [relationLine(maker, {
    id: idOf(maker, null, "relation", source, target, word),
    word,
    sourceId: entityIdOf(maker, source),
    targetId: entityIdOf(maker, target),
  })];
}

function readEntity(maker: Maker, record: ForeignRecord["value"]): UnitLine[] {
  const { name, entityType, observations } = record;
  const id = entityIdOf(maker, name);
  const said = Array.isArray(observations) ? observations : [];
  return [
    entityLine(maker, { id, name, entityType: textOf(entityType) ?? "other" }),
    ...said.map((observation: unknown) => {
      const text = textOf(observation);
      // An observation leaves out its subject.
      const statement = text === undefined || text.includes(String(name)) ? text : `${name}: ${text}`;
      return factLine(maker, {
        id: idOf(maker, null, "observation", name, observation),
        statement,
        subject: textOf(name) ?? null,
        entityIds: [id],
        metadata: { mcp: { observation } },
      });
    }),
  ];
}
