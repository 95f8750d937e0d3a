/**
 * A bank of Hindsight, in the shape of vectorize-io/hindsight `hindsight_api/engine/transfer/schema.py`: the files of the ZIP
 * archive that `export-bank` and the documents' export write, as `{ source_bank_id, documents: [{ id, original_text, tags,
 * created_at, facts: [{ text, source_id, fact_type, context, occurred_start, occurred_end, mentioned_at, metadata, tags,
 * entities: [name], causal_relations: [{ relation_type, target_fact_index }] }] }], observations: [{ text, sources: [{
 * document_id, fact_index }] }], mental_models, directives, knowledge_pages }`. The command line reads the archive itself.
 *
 * Facts and observations become facts, an observation one that is derived from its sources; names become entities, causes
 * relations. The texts that Hindsight read its facts from are left out and counted.
 */
import { ServiceError } from "../../../errors.ts";
import { STATEMENT_BYTES_MAX } from "../../../schema/fact.ts";
import { splitText } from "./conversation.ts";
import { type ForeignFile, type ForeignRecord, listOf, objectOf, textOf, timeIfAny } from "./document.ts";
import {
  entityLine,
  factLine,
  idOf,
  type MadeLine,
  type Maker,
  metadataOf,
  relationLine,
  shortKey,
  tagsOf,
} from "./lines.ts";

export const HINDSIGHT_LISTS = ["documents", "observations", "mental_models", "directives", "knowledge_pages"] as const;

type Value = ForeignRecord["value"];

const ENTITY_IDS_MAX = 100;
/** The importer reads no more tags of one document than this. */
const TAGS_MAX = 200;

export class HindsightReader {
  readonly #maker: Maker;
  readonly #bank: string;
  /** The ids of a document's facts here, in their order. */
  readonly #facts = new Map<unknown, readonly string[]>();

  constructor(maker: Maker, { source_bank_id, manifest }: ForeignFile["about"]) {
    this.#maker = maker;
    this.#bank = shortKey(textOf(source_bank_id) ?? textOf(objectOf(manifest)["source_bank_id"]) ?? "bank");
  }

  /** @throws ServiceError `validation_failed` for a record that no archive of a bank has */
  read({ list, value: record }: ForeignRecord): MadeLine[] {
    if (Array.isArray(record["facts"]) || list === "documents") return this.#readDocument(record);
    if (list === "observations") return this.#readObservation(record);
    if (HINDSIGHT_LISTS.includes(list as "directives")) {
      this.#maker.omit(list.replaceAll("_", " "));
      return [];
    }
    throw new ServiceError(
      "validation_failed",
      "Cannot import: it is no document of a Hindsight bank: it has no facts",
    );
  }

  #readDocument(document: Value): MadeLine[] {
    const facts = listOf(document["facts"]).map(objectOf);
    const key = shortKey(textOf(document["id"]) ?? "document");
    const tags = tagsOf(this.#maker, ...listOf(document["tags"]).slice(0, TAGS_MAX));
    const ids = facts.map((fact, i) => idOf(this.#maker, fact["source_id"], "fact", this.#bank, key, i, fact["text"]));
    this.#facts.set(document["id"], ids);
    if (textOf(document["original_text"]) !== undefined) this.#maker.omit("source texts of documents");
    return facts.flatMap((fact, i) => [
      ...this.#readFact(fact, ids[i]!, { document: key, tags }),
      ...this.#readCauses(fact, ids, i),
    ]);
  }

  #readFact(fact: Value, id: string, of: { readonly document: string; readonly tags: readonly string[] }): MadeLine[] {
    const maker = this.#maker;
    const names = [...new Set(listOf(fact["entities"]).flatMap((name) => textOf(name)?.slice(0, 200) ?? []))];
    const entities = names.slice(0, ENTITY_IDS_MAX).map((name) =>
      entityLine(maker, { id: idOf(maker, null, "entity", name), name, entityType: "other" })
    );
    const [statement, ...rest] = splitText(textOf(fact["text"]) ?? "", STATEMENT_BYTES_MAX);
    if (rest.length > 0) maker.omit("ends of statements above 16 KiB");
    return [
      ...entities,
      factLine(maker, {
        id,
        externalId: textOf(fact["source_id"]),
        statement,
        occurredAt: timeIfAny(fact["occurred_start"] ?? fact["mentioned_at"] ?? fact["event_date"]),
        tags: [...of.tags, ...listOf(fact["tags"]).slice(0, TAGS_MAX)] as string[],
        entityIds: entities.map((entity) => entity.id),
        metadata: {
          ...metadataOf(maker, fact["metadata"]),
          hindsight: {
            bank: this.#bank.slice(0, 200),
            document: of.document.slice(0, 500),
            ...(textOf(fact["fact_type"]) && { type: fact["fact_type"] }),
            ...(textOf(fact["context"]) && { context: String(fact["context"]).slice(0, 1_000) }),
            ...(timeIfAny(fact["occurred_end"]) && { occurredUntil: timeIfAny(fact["occurred_end"]) }),
          },
        },
      }),
    ];
  }

  #readCauses(fact: Value, ids: readonly string[], at: number): MadeLine[] {
    return listOf(fact["causal_relations"]).map(objectOf).flatMap(({ relation_type, target_fact_index }) => {
      const target = ids[Number(target_fact_index)];
      const word = textOf(relation_type)?.slice(0, 200) ?? "related_to";
      if (target === undefined || target === ids[at]) {
        this.#maker.omit("causes that name no other fact");
        return [];
      }
      const id = idOf(this.#maker, null, "relation", ids[at], target, word);
      return [relationLine(this.#maker, { id, word, sourceId: ids[at]!, targetId: target })];
    });
  }

  #readObservation(observation: Value): MadeLine[] {
    const text = textOf(observation["text"]);
    const sources = listOf(observation["sources"]).map(objectOf).flatMap(({ document_id, fact_index }) =>
      this.#facts.get(document_id)?.[Number(fact_index)] ?? []
    );
    const id = idOf(this.#maker, observation["source_id"], "observation", this.#bank, text);
    return [factLine(this.#maker, {
      id,
      externalId: textOf(observation["source_id"]),
      statement: text === undefined ? text : splitText(text, STATEMENT_BYTES_MAX)[0],
      factType: "observation",
      occurredAt: timeIfAny(observation["occurred_start"] ?? observation["mentioned_at"] ?? observation["event_date"]),
      tags: listOf(observation["tags"]) as string[],
      derivedFrom: [...new Set(sources)].slice(0, 50),
      metadata: {
        hindsight: {
          bank: this.#bank.slice(0, 200),
          type: "observation",
          ...(typeof observation["proof_count"] === "number" && { proofCount: observation["proof_count"] }),
        },
      },
    })];
  }
}
