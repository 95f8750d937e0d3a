/**
 * Edges of Graphiti or Zep: `{ edges: [...], nodes?: [...] }`, a bare list of edges, or JSONL. An edge is `{ uuid, name,
 * fact, source_node_uuid, target_node_uuid, source_node_name?, target_node_name?, valid_at?, invalid_at?, expired_at?,
 * created_at?, episodes?, attributes? }` and becomes a fact with its validity, and, where its nodes have names, two
 * entities and a relation that rests on the fact. A node is `{ uuid, name, labels?, summary?, attributes? }`. Nodes of one
 * name, which Graphiti makes where it did not recognise what it knew, are one entity with the edges of all of them.
 */
import type { RelationLine, UnitLine } from "../../../schema/transfer_lines.ts";
import { UNKNOWN_TYPE } from "../changed.ts";
import { type ForeignRecord, textOf, timeOf } from "./document.ts";
import { nameKey } from "../../../language/names.ts";
import { entityLine, factLine, idOf, type Maker, relationLine } from "./lines.ts";

export const GRAPHITI_LISTS = ["nodes", "edges", "facts"] as const;

interface Node {
  readonly id: string;
  readonly name: string;
}

/** Turns records into lines; edges know the nodes before them. */
export class GraphitiReader {
  readonly #maker: Maker;
  readonly #nodes = new Map<string, Node>();
  /** The line of each entity, by the key of its name. */
  readonly #named = new Map<string, UnitLine>();

  constructor(maker: Maker) {
    this.#maker = maker;
  }

  read(record: ForeignRecord): (UnitLine | RelationLine)[] {
    const { value } = record;
    const isNode = record.list === "nodes" ||
      (value["fact"] === undefined && value["source_node_uuid"] === undefined && textOf(value["name"]) !== undefined);
    return isNode ? this.#readNode(value) : this.#readEdge(value);
  }

  #readNode(node: ForeignRecord["value"]): UnitLine[] {
    const name = textOf(node["name"]);
    const twin = name === undefined ? undefined : this.#named.get(nameKey(name));
    const id = twin?.id ?? idOf(this.#maker, node["uuid"], name);
    if (name !== undefined) this.#nodes.set(String(node["uuid"] ?? name), { id, name });
    const labels = Array.isArray(node["labels"]) ? node["labels"].filter((label) => textOf(label)) as string[] : [];
    const label = labels.findLast((one) => one !== "Entity");
    const { attributes } = node;
    const summary = textOf(node["summary"]);
    const line = entityLine(this.#maker, {
      id,
      name,
      entityType: label?.toLowerCase() ?? UNKNOWN_TYPE,
      attributes: {
        ...(typeof attributes === "object" && attributes !== null && !Array.isArray(attributes) ? attributes : {}),
        ...(summary !== undefined && { summary }),
      },
    });
    if (twin !== undefined) {
      addTo(twin, line);
      return [];
    }
    if (name !== undefined) this.#named.set(nameKey(name), line);
    return [line];
  }

  #readEdge(edge: ForeignRecord["value"]): (UnitLine | RelationLine)[] {
    const lines: (UnitLine | RelationLine)[] = [];
    const end = (side: "source" | "target"): Node | undefined => {
      const uuid = textOf(edge[`${side}_node_uuid`]);
      const nested = edge[`${side}_node`] as { name?: unknown } | undefined;
      const name = textOf(edge[`${side}_node_name`]) ?? textOf(nested?.name);
      const known = this.#nodes.get(uuid ?? name ?? "");
      if (known !== undefined || name === undefined) return known;
      lines.push(...this.#readNode({ uuid: uuid ?? null, name }));
      return this.#nodes.get(uuid ?? name) ?? this.#nodes.get(name);
    };
    const [source, target] = [end("source"), end("target")];
    const word = textOf(edge["name"]);
    const statement = textOf(edge["fact"]);
    const id = idOf(this.#maker, edge["uuid"], word, statement, source?.id, target?.id);
    const validFrom = timeOf(edge["valid_at"], "valid_at");
    const invalidAt = timeOf(edge["invalid_at"], "invalid_at");
    const expiredAt = timeOf(edge["expired_at"], "expired_at");
    const validTo = invalidAt !== null && validFrom !== null && invalidAt < validFrom ? validFrom : invalidAt;
    const isClosed = expiredAt !== null || (validTo !== null && validTo <= this.#maker.now);
    const predicate = word?.toLowerCase().replaceAll("_", " ");
    lines.push(factLine(this.#maker, {
      id,
      statement,
      ...(source && target && predicate && { subject: source.name, predicate, object: target.name }),
      status: isClosed ? "superseded" : "active",
      validFrom,
      validTo,
      occurredAt: validFrom,
      entityIds: [...new Set([source, target].flatMap((node) => node === undefined ? [] : [node.id]))],
      metadata: {
        graphiti: {
          ...Object.fromEntries(
            ["name", "group_id", "created_at", "source_node_uuid", "target_node_uuid"].flatMap((name) =>
              textOf(edge[name]) === undefined ? [] : [[name, edge[name]]]
            ),
          ),
          ...(expiredAt !== null && { expired_at: expiredAt }),
          ...(hasMembers(edge["episodes"]) && { episodes: edge["episodes"] }),
          ...(hasMembers(edge["attributes"]) && { attributes: edge["attributes"] }),
        },
      },
    }));
    if (source !== undefined && target !== undefined && source.id !== target.id) {
      lines.push(relationLine(this.#maker, {
        id: idOf(this.#maker, null, "relation", id),
        word: word ?? "related_to",
        sourceId: source.id,
        targetId: target.id,
        evidenceIds: [id],
        validFrom,
        validTo,
      }));
    }
    return lines;
  }
}

/** Adds to an entity what another node of its name has and it lacks. */
function addTo(entity: UnitLine, twin: UnitLine): void {
  const { body: own } = entity, { body: more } = twin;
  Object.assign(own, {
    entityType: own["entityType"] === UNKNOWN_TYPE ? more["entityType"] : own["entityType"],
    attributes: { ...more["attributes"] as object, ...own["attributes"] as object },
  });
}

function hasMembers(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}
