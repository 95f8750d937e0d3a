/** The operations that every kind of knowledge unit has, as endpoints. Routes say what is the kind's own. */
import { z } from "@hono/zod-openapi";
import type { ErrorCode } from "../errors.ts";
import {
  type AnyKind,
  archiveUnit,
  createUnit,
  createUnits,
  forgetUnit,
  getUnit,
  listUnitRevisions,
  listUnits,
  restoreUnit,
  updateUnit,
} from "../domain/unit/mod.ts";
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
import { BATCH_BYTES_MAX, endpoint } from "./endpoint.ts";

export interface UnitFace {
  readonly kind: AnyKind;
  /** Below `/v1`. */
  readonly path: `/${string}`;
  /** As operation ids have them: `Strategy`, `Strategies`; with `V2` at the end where there is a second face. */
  readonly one: string;
  readonly many: string;
  /** In sentences: `a strategy`, `strategies`. */
  readonly article: string;
  readonly plural: string;
  readonly unit: z.ZodObject;
  readonly page: z.ZodObject;
  readonly createBody: z.ZodType;
  readonly updateBody: z.ZodType;
  readonly listQuery: z.ZodObject;
  readonly createDescription?: string;
  readonly updateDescription?: string;
  readonly restoreDescription?: string;
  readonly createExample: object;
  readonly updateExample: object;
}

/** A face of units that are not revised. */
export type KeptFace = Omit<UnitFace, "updateBody" | "updateExample">;
/** What the ends of a unit need of its face. */
export type LastingFace = Pick<KeptFace, "kind" | "path" | "one" | "article" | "unit" | "restoreDescription"> & {
  /** What its versions have; the unit itself unless it shows what is not its own. */
  readonly unitThen?: z.ZodObject;
};
type Forget = (...given: Parameters<typeof forgetUnit>) => Promise<object>;
type Restore = (...given: Parameters<typeof restoreUnit>) => Promise<Record<string, unknown>>;

const ERASED: readonly ErrorCode[] = ["erased"];
type Reply = Promise<Record<string, unknown>>;

/** `POST path` */
export function createEndpoint(face: KeptFace) {
  return endpoint({
    method: "post",
    path: face.path,
    operationId: `create${face.one}`,
    summary: `Create ${face.article}`,
    ...(face.createDescription !== undefined && { description: face.createDescription }),
    scope: "memory:write",
    body: face.createBody,
    status: 201,
    response: face.unit,
    versioned: true,
    example: { body: face.createExample },
  }, (ctx, { body }): Reply => createUnit(ctx, face.kind, body as never));
}

/** `GET path` */
export function listEndpoint(face: KeptFace) {
  return endpoint({
    method: "get",
    path: face.path,
    operationId: `list${face.many}`,
    summary: `List ${face.plural}`,
    scope: "memory:read",
    query: face.listQuery,
    response: face.page,
  }, (ctx, { query }): Reply => listUnits(ctx, face.kind, query as never) as unknown as Reply);
}

/** `GET path/{id}` */
export function getEndpoint(face: KeptFace) {
  return endpoint({
    method: "get",
    path: `${face.path}/{id}`,
    operationId: `get${face.one}`,
    summary: `Read ${face.article}`,
    description: "In any state, or as it was known at a time.",
    scope: "memory:read",
    params: UnitParams,
    query: GetUnitQuery,
    response: face.unit,
    versioned: true,
    errors: ERASED,
  }, (ctx, { params, query }): Reply => getUnit(ctx, face.kind, params.id, query));
}

/** `PATCH path/{id}` */
export function updateEndpoint(face: UnitFace) {
  return endpoint({
    method: "patch",
    path: `${face.path}/{id}`,
    operationId: `update${face.one}`,
    summary: `Revise ${face.article}`,
    description: ["Each change makes a revision; a patch that changes nothing makes none.", face.updateDescription]
      .filter(Boolean).join(" "),
    scope: "memory:write",
    params: UnitParams,
    body: face.updateBody,
    response: face.unit,
    versioned: true,
    errors: ["erased", "invalid_transition", "conflict"],
    example: { body: face.updateExample },
  }, (ctx, { params, body, ifMatch }): Reply => updateUnit(ctx, face.kind, params.id, body as never, ifMatch));
}

/** `DELETE path/{id}` */
export function archiveEndpoint(face: KeptFace) {
  return endpoint({
    method: "delete",
    path: `${face.path}/{id}`,
    operationId: `archive${face.one}`,
    summary: `Archive ${face.article}`,
    description: "It leaves recall and lists, and can be restored. An archived one is answered as it is.",
    scope: "memory:delete",
    params: UnitParams,
    response: face.unit,
    versioned: true,
    errors: ERASED,
  }, (ctx, { params, ifMatch }): Reply => archiveUnit(ctx, face.kind, params.id, ifMatch));
}

/** The face's names without the mark of its second face; schemas have one name for both. */
function nameOf({ one }: Pick<KeptFace, "one">): string {
  return one.replace(/V2$/, "");
}

/** A schema of a kind, made once for all faces of it: a name in the document stands for one schema. */
const made = new Map<string, z.ZodObject>();
function once<S extends z.ZodObject>(name: string, make: () => S): S {
  const known = made.get(name) as S | undefined;
  if (known !== undefined) return known;
  const schema = make().meta({ id: name }) as S;
  made.set(name, schema);
  return schema;
}

/** `POST path/batch` */
export function createManyEndpoint(face: KeptFace) {
  const { type } = face.kind;
  const many = face.many.replace(/V2$/, "");
  const result = once(`${nameOf(face)}BatchResult`, () =>
    z.strictObject({
      index: z.int().min(0).meta({ description: "Place in the request" }),
      status: z.int().meta({ description: "201 created, otherwise the refusal's status" }),
      [type]: face.unit.optional(),
      error: ItemError.optional(),
    }));
  const reply = once(
    `${nameOf(face)}BatchReply`,
    () => z.strictObject({ created: z.int().min(0), refused: z.int().min(0), results: z.array(result) }),
  );
  const key = face.path.split("/").at(-1)!;
  const body = once(
    `Create${nameOf(face)}BatchBody`,
    () => z.strictObject({ [key]: z.array(face.createBody).min(1).max(UNIT_BATCH_MAX) }),
  );
  return endpoint({
    method: "post",
    path: `${face.path}/batch`,
    operationId: `create${many}`,
    summary: `Create up to ${UNIT_BATCH_MAX} ${face.plural}`,
    description: "In one transaction and in order. Each has a result of its own; one that is refused, such as for an " +
      "unknown source, is left out and the others are stored. A body that is not valid is refused as a whole, with " +
      "the path of each fault.",
    scope: "memory:write",
    body,
    bodyBytesMax: BATCH_BYTES_MAX,
    response: reply,
    example: { body: { [key]: [face.createExample] } },
  }, async (ctx, { body }) => {
    const items = await createUnits<object, object, never>(ctx, face.kind, body[key] as never[]);
    const results = items.map((item, index) =>
      ("unit" in item ? { index, status: item.status, [type]: item.unit } : { index, ...item }) as never
    );
    const created = items.filter((item) => "unit" in item).length;
    return { created, refused: items.length - created, results };
  });
}

/** `GET path/{id}/revisions` */
export function revisionsEndpoint(face: LastingFace) {
  const name = nameOf(face);
  const revision = once(
    `${name}Revision`,
    () => z.strictObject({ ...revisionShape, [face.kind.type]: face.unitThen ?? face.unit }),
  );
  return endpoint({
    method: "get",
    path: `${face.path}/{id}/revisions`,
    operationId: `list${face.one}Revisions`,
    summary: `List the versions of ${face.article}`,
    scope: "memory:read",
    params: UnitParams,
    query: ListQuery,
    response: once(`${name}RevisionPage`, () => pageOf(revision)),
    errors: ERASED,
  }, (ctx, { params, query }) => listUnitRevisions(ctx, face.kind, params.id, query) as Promise<never>);
}

/** `POST path/{id}/forget`; `forget` where the kind has a way of its own. */
export function forgetEndpoint(
  face: LastingFace,
  forget: Forget = (...given) => forgetUnit(...given),
  errors: readonly ErrorCode[] = [],
) {
  const { type } = face.kind;
  const archived = once(
    `Archived${nameOf(face)}`,
    () => z.strictObject({ mode: z.literal("archive"), [type]: face.unit }),
  );
  const erased = once(
    `Erased${nameOf(face)}`,
    () => z.strictObject({ mode: z.literal("erase"), receipt: ErasureReceipt }),
  );
  return endpoint({
    method: "post",
    path: `${face.path}/{id}/forget`,
    operationId: `forget${face.one}`,
    summary: `Forget ${face.article}`,
    description: "`archive` can be restored. `erase` removes content, revisions, index and embedding for ever and " +
      "answers with a receipt; the id is 410 from then on and cannot come back. Chains of reasoning that rest on " +
      "it are erased with it; units that do become stale, or with `cascade` are erased, too.",
    scope: "memory:delete",
    params: UnitParams,
    body: ForgetBody,
    response: z.discriminatedUnion("mode", [archived, erased]),
    errors: ["conflict", "erased", "version_mismatch", ...errors],
    example: { body: { mode: "archive", reason: "no longer needed" } },
  }, (ctx, { params, body, ifMatch }) => forget(ctx, face.kind, params.id, body, ifMatch) as Promise<never>);
}

/** `POST path/{id}/restore`; `restore` where the kind has a way of its own. */
export function restoreEndpoint(face: LastingFace, restore: Restore = (...given) => restoreUnit(...given)) {
  return endpoint({
    method: "post",
    path: `${face.path}/{id}/restore`,
    operationId: `restore${face.one}`,
    summary: `Restore ${face.article}`,
    description: face.restoreDescription ?? "An archived one returns to the state that it had before.",
    scope: "memory:write",
    params: UnitParams,
    response: face.unit,
    versioned: true,
    errors: ["erased", "invalid_transition", "version_mismatch"],
  }, (ctx, { params, ifMatch }): Reply => restore(ctx, face.kind, params.id, ifMatch));
}
