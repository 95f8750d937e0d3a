/** The operations that every kind of knowledge unit has. Each kind's own file adds the operations that only it has. */
import { z } from "zod";
import { REGISTRY } from "../domain/kinds/registry.ts";
import { createUnit, createUnits } from "../domain/unit/create.ts";
import type { AnyKind } from "../domain/unit/kind.ts";
import { archiveUnit, forgetUnit, restoreUnit } from "../domain/unit/lifecycle.ts";
import { getUnit, listUnits } from "../domain/unit/read.ts";
import { listUnitRevisions } from "../domain/unit/revisions.ts";
import { updateUnit } from "../domain/unit/update.ts";
import type { ErrorCode } from "../errors.ts";
import { ListQuery, pageOf } from "../schema/common.ts";
import {
  ErasureReceipt,
  ForgetBody,
  GetUnitQuery,
  ItemError,
  revisionShape,
  UNIT_BATCH_MAX,
  UnitParams,
} from "../schema/unit.ts";
import { BATCH } from "./cost.ts";
import { BATCH_BYTES_MAX, operation } from "./operation.ts";

/** The names, texts and examples that the operations on a kind use; its schemas are in the registry of kinds. */
export interface KindWords {
  readonly kind: AnyKind;
  /** The kind's name in operation ids: `Strategy`, `Strategies`. */
  readonly one: string;
  readonly many: string;
  /** The kind's name in sentences: `a strategy`, `strategies`. */
  readonly article: string;
  readonly plural: string;
  readonly page: z.ZodObject;
  readonly listQuery: z.ZodObject;
  readonly createDescription?: string;
  readonly restoreDescription?: string;
  readonly createExample: object;
}

/** The same for kinds whose units can be revised. */
export interface RevisedKindWords extends KindWords {
  readonly updateDescription?: string;
  readonly updateExample: object;
}

/** The part that the operations on lifecycle and versions need. */
export type LastingKindWords = Pick<KindWords, "kind" | "one" | "article" | "restoreDescription"> & {
  /**
   * The schema of a version; default: the schema of the unit. It differs if a unit also shows values that versions
   * lack.
   */
  readonly unitThen?: z.ZodObject;
};
type Forget = (...given: Parameters<typeof forgetUnit>) => Promise<object>;
type Restore = (...given: Parameters<typeof restoreUnit>) => Promise<Record<string, unknown>>;

type OfKind = Pick<KindWords, "kind">;

/** The schema of the kind's units as replies show them. */
function unitOf({ kind }: OfKind): z.ZodObject {
  return REGISTRY[kind.type].resource as z.ZodObject;
}

/** The schema of the body that creates a unit. */
function createBodyOf({ kind }: OfKind): z.ZodType {
  return REGISTRY[kind.type].create;
}

/** The schema of the body that revises a unit. */
function updateBodyOf({ kind: { type } }: OfKind): z.ZodType {
  const { update } = REGISTRY[type];
  if (update === null) throw new Error(`A ${type} is never revised: it has no operation for it`);
  return update;
}

const ERASED: readonly ErrorCode[] = ["erased"];
type Reply = Promise<Record<string, unknown>>;

/** `createStrategy` */
export function creating(words: KindWords) {
  const { kind, one, article, createDescription, createExample } = words;
  return operation({
    id: `create${one}`,
    summary: `Create ${article}`,
    ...(createDescription !== undefined && { description: createDescription }),
    scope: "memory:write",
    body: createBodyOf(words),
    status: 201,
    reply: unitOf(words),
    versioned: true,
    example: { body: createExample },
  }, (ctx, { body }): Reply => createUnit(ctx, kind, body as never));
}

/** `listStrategies` */
export function listing({ kind, many, plural, listQuery, page }: KindWords) {
  return operation({
    id: `list${many}`,
    summary: `List ${plural}`,
    scope: "memory:read",
    query: listQuery,
    reply: page,
  }, (ctx, { query }): Reply => listUnits(ctx, kind, query as never) as unknown as Reply);
}

/** `getStrategy` */
export function getting(words: KindWords) {
  const { kind, one, article } = words;
  return operation({
    id: `get${one}`,
    summary: `Read ${article}`,
    description: "Reads the unit in any state, or as it was known at a time.",
    scope: "memory:read",
    params: UnitParams,
    query: GetUnitQuery,
    reply: unitOf(words),
    versioned: true,
    errors: ERASED,
  }, (ctx, { params, query }): Reply => getUnit(ctx, kind, params.id, query));
}

/** `updateStrategy` */
export function updating(words: RevisedKindWords) {
  const { kind, one, article, updateDescription, updateExample } = words;
  return operation(
    {
      id: `update${one}`,
      summary: `Revise ${article}`,
      description: ["Each change creates a revision; a patch that changes nothing creates none.", updateDescription]
        .filter(Boolean).join(" "),
      scope: "memory:write",
      params: UnitParams,
      body: updateBodyOf(words),
      reply: unitOf(words),
      versioned: true,
      errors: ["erased", "invalid_transition", "conflict"],
      example: { body: updateExample },
    },
    (ctx, { params, body, expectedVersion }): Reply => updateUnit(ctx, kind, params.id, body as never, expectedVersion),
  );
}

/** `archiveStrategy` */
export function archiving(words: KindWords) {
  const { kind, one, article } = words;
  return operation({
    id: `archive${one}`,
    summary: `Archive ${article}`,
    description:
      "The unit disappears from recall and lists and can be restored. A unit that is already archived stays as it is.",
    scope: "memory:delete",
    params: UnitParams,
    reply: unitOf(words),
    versioned: true,
    errors: ERASED,
  }, (ctx, { params, expectedVersion }): Reply => archiveUnit(ctx, kind, params.id, expectedVersion));
}

/** `createStrategies` */
export function creatingMany(words: KindWords) {
  const { kind, one, many, plural, createExample } = words;
  const { type } = kind;
  const result = z.strictObject({
    index: z.int().min(0).meta({ description: "Index of the item in the request" }),
    status: z.int().meta({ description: "201 created, otherwise the status of the error" }),
    [type]: unitOf(words).optional(),
    error: ItemError.optional(),
  }).meta({ id: `${one}BatchResult` });
  const reply = z.strictObject({ created: z.int().min(0), refused: z.int().min(0), results: z.array(result) })
    .meta({ id: `${one}BatchReply`, description: "The outcome of each item, in the order of the request" });
  const body = z.strictObject({ [plural]: z.array(createBodyOf(words)).min(1).max(UNIT_BATCH_MAX) })
    .meta({ id: `Create${one}BatchBody` });
  return operation({
    id: `create${many}`,
    summary: `Create up to ${UNIT_BATCH_MAX} ${plural}`,
    description:
      "One transaction, in order. Each item has its own result. If one is refused, for example because of an unknown source, the others are still stored. An invalid body is refused as a whole, with the path of each fault.",
    scope: "memory:write",
    cost: BATCH,
    body,
    bodyBytesMax: BATCH_BYTES_MAX,
    reply,
    example: { body: { [plural]: [createExample] } },
  }, async (ctx, { body }) => {
    const items = await createUnits<object, object, never>(ctx, kind, body[plural] as never[]);
    const results = items.map((item, index) =>
      ("unit" in item ? { index, status: item.status, [type]: item.unit } : { index, ...item }) as never
    );
    const created = items.filter((item) => "unit" in item).length;
    return { created, refused: items.length - created, results };
  });
}

/** `listStrategyRevisions` */
export function listingRevisions(words: LastingKindWords) {
  const { kind, one, article, unitThen = unitOf(words) } = words;
  const revision = z.strictObject({ ...revisionShape, [kind.type]: unitThen }).meta({ id: `${one}Revision` });
  return operation({
    id: `list${one}Revisions`,
    summary: `List the versions of ${article}`,
    scope: "memory:read",
    params: UnitParams,
    query: ListQuery,
    reply: pageOf(revision).meta({ id: `${one}RevisionPage` }),
    errors: ERASED,
  }, (ctx, { params, query }) => listUnitRevisions(ctx, kind, params.id, query) as Promise<never>);
}

/** `forgetStrategy`; `forget` is set if the kind forgets in its own way. */
export function forgetting(
  words: LastingKindWords,
  forget: Forget = (...given) => forgetUnit(...given),
  errors: readonly ErrorCode[] = [],
) {
  const { kind, one, article } = words;
  const archived = z.strictObject({ mode: z.literal("archive"), [kind.type]: unitOf(words) }).meta({
    id: `Archived${one}`,
  });
  const erased = z.strictObject({ mode: z.literal("erase"), receipt: ErasureReceipt }).meta({ id: `Erased${one}` });
  return operation({
    id: `forget${one}`,
    summary: `Forget ${article}`,
    description:
      "`archive` can be undone. `erase` removes content, revisions, index and embedding for ever and answers with a receipt; the id then answers 410 and cannot be used again. Chains of reasoning that rest on the unit are erased with it. Units that rest on it become stale; with `cascade`, those derived from it are erased, too.",
    scope: "memory:delete",
    params: UnitParams,
    body: ForgetBody,
    reply: z.discriminatedUnion("mode", [archived, erased]).meta({
      id: `Forget${one}Reply`,
      description: "The archived unit, or the receipt of the erasure",
    }),
    errors: ["conflict", "erased", "version_mismatch", ...errors],
    example: { body: { mode: "archive", reason: "no longer needed" } },
  }, (ctx, { params, body, expectedVersion }) => forget(ctx, kind, params.id, body, expectedVersion) as Promise<never>);
}

/** `restoreStrategy`; `restore` is set if the kind restores in its own way. */
export function restoring(
  words: LastingKindWords,
  restore: Restore = (...given) => restoreUnit(...given),
) {
  const { kind, one, article, restoreDescription } = words;
  return operation({
    id: `restore${one}`,
    summary: `Restore ${article}`,
    description: restoreDescription ?? "An archived unit returns to its previous state.",
    scope: "memory:write",
    params: UnitParams,
    reply: unitOf(words),
    versioned: true,
    errors: ["erased", "invalid_transition", "version_mismatch"],
  }, (ctx, { params, expectedVersion }): Reply => restore(ctx, kind, params.id, expectedVersion));
}
