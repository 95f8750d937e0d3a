/**
 * The memory as a store of LangGraph: a stored item is a fact that holds its value, and is found again by namespace and
 * key, and by its words.
 *
 * ```ts
 * const graph = builder.compile({ checkpointer, store: new SvcStore(svc) });
 * ```
 * @module
 */
import type { Lists, Methods } from "./client.ts";
import { SvcError } from "./error.ts";
import type { Fact } from "./gen/types.ts";
import {
  checkNamespace,
  describeValue,
  fits,
  labelOf,
  matches,
  nameOf,
  type StoreFilter,
  tagOf,
  tagsOf,
  toRecallFilter,
  type Value,
} from "./langgraph_items.ts";

/** An item of the store. */
export interface StoreItem {
  readonly value: Value;
  readonly key: string;
  readonly namespace: string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A found item; its score is the probability that it is relevant, if there was a query. */
export interface FoundItem extends StoreItem {
  readonly score?: number;
}

/** The items to find. */
export interface StoreSearch {
  /** Conditions on members of the value: a value it must equal, or `$eq $ne $gt $gte $lt $lte $in $nin`. */
  readonly filter?: StoreFilter;
  /** @default 10 */
  readonly limit?: number;
  /** @default 0 */
  readonly offset?: number;
  /** What to find, in words. With it, `offset` and `limit` reach 100 items. */
  readonly query?: string;
}

/** The namespaces to find; `*` stands for any one label. */
export interface NamespaceSearch {
  readonly prefix?: string[];
  readonly suffix?: string[];
  readonly maxDepth?: number;
  /** @default 100 */
  readonly limit?: number;
  /** @default 0 */
  readonly offset?: number;
}

/** One of several operations in a call of `batch`. */
export interface StoreOperation {
  readonly namespace?: string[];
  readonly key?: string;
  readonly value?: Value | null;
  readonly index?: false | string[];
  readonly namespacePrefix?: string[];
  readonly filter?: StoreFilter;
  readonly query?: string;
  readonly matchConditions?: readonly { readonly matchType: "prefix" | "suffix"; readonly path: string[] }[];
  readonly maxDepth?: number;
  readonly limit?: number;
  readonly offset?: number;
}

/** Settings of the store. */
export interface StoreOptions {
  /** The effect of deleting: the service's operations can undo `archive`; `erase` removes the content for ever. */
  readonly deletes?: "archive" | "erase";
}

type Service = Methods & { readonly all: Pick<Lists, "listFacts"> };

const TAG = "langgraph";
const PAGE_MAX = 100;
const GONE: readonly string[] = ["archived", "retracted"];

/** A `BaseStore` of LangGraph. It is not derived from that class, so that the package is not needed to load this one. */
export class SvcStore {
  readonly #svc: Service;
  readonly #deletes: "archive" | "erase";

  constructor(svc: Service, { deletes = "archive" }: StoreOptions = {}) {
    this.#svc = svc;
    this.#deletes = deletes;
  }

  /** Runs several operations: reads see the state before the writes; if two write the same item, the later one wins. */
  // deno-lint-ignore no-explicit-any
  async batch(operations: readonly StoreOperation[]): Promise<any> {
    const puts = new Map<string, StoreOperation>();
    const results = [];
    for (const operation of operations) {
      const { namespace, key, namespacePrefix, matchConditions } = operation;
      if (namespacePrefix !== undefined) results.push(await this.search(namespacePrefix, operation));
      else if (namespace !== undefined && key !== undefined && "value" in operation) {
        puts.set(await nameOf(namespace, key), operation);
        results.push(undefined);
      } else if (namespace !== undefined && key !== undefined) results.push(await this.get(namespace, key));
      else results.push(await this.#listNamespaces(matchConditions ?? [], operation));
    }
    for (const { namespace, key, value, index } of puts.values()) {
      if (value == null) await this.delete(namespace!, key!);
      else await this.put(namespace!, key!, value, index);
    }
    return results;
  }

  /** Reads an item; null if there is none. */
  async get(namespace: string[], key: string): Promise<StoreItem | null> {
    const fact = await this.#find(namespace, key);
    return fact === undefined || GONE.includes(fact.status) ? null : toItem(fact) ?? null;
  }

  /**
   * Writes an item. A search finds it by its texts; `index` selects the members whose texts count, false none.
   * @throws SvcError `validation_failed` for a value of more than about 16 KiB as JSON
   */
  async put(namespace: string[], key: string, value: Value, index?: false | string[]): Promise<void> {
    checkNamespace(namespace);
    if (namespace.length === 0 || namespace[0] === TAG) throw new TypeError(`Cannot put into namespace [${namespace}]`);
    const label = labelOf(namespace, key);
    const externalId = await nameOf(namespace, key);
    const body = {
      externalId,
      statement: describeValue(value, index) || label,
      // Only this item has the name, so its statement contradicts no other item, and none contradicts it.
      subject: externalId,
      predicate: "holds",
      object: "value",
      tags: [TAG, ...await tagsOf(namespace)],
      metadata: { langgraph: { namespace, key, value, hidden: index === false } },
    };
    try {
      // One that was deleted is answered as it is if nothing would change, and otherwise refused.
      if (!GONE.includes((await this.#svc.upsertFact(body)).status)) return;
    } catch (error) {
      if (!(error instanceof SvcError && error.code === "invalid_transition")) throw error;
    }
    const { id } = await this.#svc.getFactByExternalId({ externalId });
    await this.#svc.restoreFact({ id });
    await this.#svc.upsertFact(body);
  }

  /** Deletes an item, if there is one. */
  async delete(namespace: string[], key: string): Promise<void> {
    const fact = await this.#find(namespace, key);
    if (fact === undefined) return;
    if (this.#deletes === "erase") await this.#svc.forgetFact({ id: fact.id, mode: "erase" });
    else if (fact.status !== "archived") await this.#svc.archiveFact({ id: fact.id });
  }

  /** Finds items below a namespace: the most relevant ones of a query, otherwise the newest. */
  async search(namespacePrefix: string[], options: StoreSearch = {}): Promise<FoundItem[]> {
    checkNamespace(namespacePrefix);
    const { filter = {}, limit = 10, offset = 0, query } = options;
    const tags = [namespacePrefix.length === 0 ? TAG : await tagOf(namespacePrefix)];
    const found: FoundItem[] = [];
    if (limit <= 0) return [];
    const items = query ? this.#recall(query, tags, filter, offset + limit) : this.#list(tags);
    for await (const item of items) {
      if (!fits(item.value, filter)) continue;
      found.push(item);
      if (found.length === offset + limit) break;
    }
    return found.slice(offset);
  }

  /** Lists the namespaces that have items, in order. It reads all items below a fixed prefix. */
  async listNamespaces(options: NamespaceSearch = {}): Promise<string[][]> {
    const { prefix, suffix } = options;
    const conditions = [
      ...(prefix ? [{ matchType: "prefix" as const, path: prefix }] : []),
      ...(suffix ? [{ matchType: "suffix" as const, path: suffix }] : []),
    ];
    return await this.#listNamespaces(conditions, options);
  }

  /** Nothing has to be prepared. */
  start(): void {}

  /** Nothing has to be ended. */
  stop(): void {}

  async #find(namespace: string[], key: string): Promise<Fact | undefined> {
    checkNamespace(namespace);
    try {
      return await this.#svc.getFactByExternalId({ externalId: await nameOf(namespace, key) });
    } catch (error) {
      if (error instanceof SvcError && (error.code === "not_found" || error.code === "erased")) return undefined;
      throw error;
    }
  }

  async *#list(tags: string[]): AsyncGenerator<StoreItem> {
    for await (const fact of this.#svc.all.listFacts({ tags, limit: PAGE_MAX })) {
      const item = toItem(fact);
      if (item !== undefined) yield item;
    }
  }

  async *#recall(query: string, tags: string[], filter: StoreFilter, reach: number): AsyncGenerator<FoundItem> {
    if (reach > PAGE_MAX) throw new RangeError(`Cannot search by a query beyond ${PAGE_MAX} items`);
    const filters = { ...toRecallFilter(filter), "metadata.langgraph.hidden": { ne: true } };
    const { results } = await this.#svc.recall({ query, tags, types: ["fact"], minScore: 0, limit: PAGE_MAX, filters });
    if (results.length === 0) return;
    const { data } = await this.#svc.getUnits({ id: results.map(({ id }) => id) });
    for (const [i, { score }] of results.entries()) {
      const unit = data[i]?.unit;
      const item = unit?.type === "fact" ? toItem(unit) : undefined;
      if (item !== undefined) yield { ...item, score };
    }
  }

  async #listNamespaces(
    conditions: NonNullable<StoreOperation["matchConditions"]>,
    { maxDepth, limit = 100, offset = 0 }: NamespaceSearch,
  ): Promise<string[][]> {
    const found = new Map<string, string[]>();
    // Items have a prefix without `*` as a tag.
    const fixed = conditions.find(({ matchType, path }) => matchType === "prefix" && !path.includes("*"))?.path ?? [];
    for await (const { namespace } of this.#list([fixed.length === 0 ? TAG : await tagOf(fixed)])) {
      if (!conditions.every((condition) => matches(namespace, condition))) continue;
      const cut = namespace.slice(0, maxDepth);
      found.set(JSON.stringify(cut), cut);
    }
    const order = (labels: string[]) => labels.join("\0");
    const all = [...found.values()].sort((a, b) => order(a) < order(b) ? -1 : 1);
    return all.slice(offset, offset + limit);
  }
}

/** The item that a fact holds; undefined for a fact of another origin. */
function toItem({ metadata, createdAt, updatedAt }: Fact): StoreItem | undefined {
  const held = metadata["langgraph"] as { namespace: string[]; key: string; value: Value } | undefined;
  if (held?.namespace === undefined) return undefined;
  const { namespace, key, value } = held;
  return { value, key, namespace, createdAt: new Date(createdAt), updatedAt: new Date(updatedAt) };
}
