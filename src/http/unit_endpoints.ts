/** The five operations that every kind of knowledge unit has, as endpoints. Routes say what is the kind's own. */
import type { z } from "@hono/zod-openapi";
import type { ErrorCode } from "../errors.ts";
import { type AnyKind, archiveUnit, createUnit, getUnit, listUnits, updateUnit } from "../domain/knowledge.ts";
import { GetUnitQuery, UnitParams } from "../schema/unit.ts";
import { endpoint } from "./endpoint.ts";

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
  readonly createExample: object;
  readonly updateExample: object;
}

/** A face of units that are not revised. */
export type KeptFace = Omit<UnitFace, "updateBody" | "updateExample">;

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
