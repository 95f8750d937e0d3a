/** Reads from the OpenAPI document what the clients need to know of each operation, whatever their language. */
import type { Route } from "../../clients/typescript/route.ts";
import { optionOf } from "../../clients/typescript/request.ts";
import { isObject, listMembers, type Schema } from "./_openapi_types.ts";

export interface Document {
  readonly info: { readonly version: string };
  readonly servers?: readonly { readonly url: string }[];
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** A member of an operation's argument, outside a body whose members are the argument's own. */
export interface InputMember {
  readonly name: string;
  readonly required: boolean;
  readonly schema: Schema;
  /** A flag is a boolean, which travels as text; a file is a text or bytes. */
  readonly form?: "flag" | "file";
}

/** An operation as the clients have it. */
export interface SdkOperation {
  readonly id: string;
  readonly doc: string;
  /** The members of the path and the query, then the body if it is one member: `body` or `file`. */
  readonly members: readonly InputMember[];
  /** The body whose members are members of the argument. */
  readonly flat?: Schema;
  /** The closed objects that a flat body may be. */
  readonly alternatives: readonly Schema[];
  /** The schemas of the replies if they are JSON. */
  readonly replies: readonly Schema[];
  /** What a reply holds, by the document. */
  readonly replyDoc: string;
  /** The options by which the headers are given that the operation takes. */
  readonly headers: readonly string[];
  readonly route: Route;
}

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly schema: Schema;
  readonly description?: string;
}

interface Content {
  readonly schema: Schema;
}

interface Described {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly servers?: readonly { readonly url: string }[];
  readonly parameters?: readonly unknown[];
  readonly requestBody?: unknown;
  readonly responses: Readonly<Record<string, unknown>>;
}

interface Body {
  readonly content: Readonly<Record<string, Content>>;
}

const METHODS = ["get", "put", "post", "delete", "patch"];
/** Members of the client that are no operations. */
const RESERVED = ["all", "watch", "session", "then"];
/** Options of every call. */
const OPTIONS = ["signal", "timeoutMs", "retries"];
const JSON_TYPE = "application/json";

/**
 * Lists the operations in the order of the document. Older paths of an operation and WebSockets are left out.
 * @throws Error when members of an operation's path, query and body have one name, or it cannot be called for another
 * reason
 */
export function readOperations(document: Document): SdkOperation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    METHODS.flatMap((method) => {
      const operation = methods[method] as Described | undefined;
      if (operation === undefined || operation.deprecated || /V2$/.test(operation.operationId)) return [];
      if (!Object.keys(operation.responses).some((status) => status.startsWith("2"))) return [];
      return readOperation(document, path, method, operation);
    })
  );
}

function readOperation(document: Document, path: string, method: string, operation: Described): SdkOperation {
  const { operationId: id, responses } = operation;
  const parameters = (operation.parameters ?? []).map((one) => deref<Parameter>(document, one));
  const body = operation.requestBody === undefined ? undefined : deref<Body>(document, operation.requestBody);
  const taken = readBody(document, body);
  const named = parameters.filter(({ in: place }) => place !== "header");
  const names = [...named.map(({ name }) => name), ...taken.names];
  const [twin] = names.filter((name, i) => names.indexOf(name) !== i);
  if (twin !== undefined) throw new Error(`Cannot give ${id} one flat argument: it has two members ${twin}`);
  const headers = parameters.filter(({ in: place }) => place === "header").map(({ name }) => name.toLowerCase());
  const clash = RESERVED.includes(id) ? id : headers.map(optionOf).find((name) => OPTIONS.includes(name));
  if (clash !== undefined) throw new Error(`Cannot call ${id}: the client has another ${clash}`);
  const reply = readReply(document, responses);
  const query = named.filter(({ in: place }) => place === "query").map(({ name }) => name);
  return {
    id,
    doc: [operation.summary, operation.description].filter(Boolean).join("\n\n"),
    members: [...named.map(toMember), ...taken.members],
    ...(taken.flat !== undefined && { flat: taken.flat }),
    alternatives: taken.alternatives,
    replies: reply.schemas,
    replyDoc: reply.doc,
    headers: headers.map(optionOf),
    route: {
      method: method.toUpperCase(),
      path: prefixOf(document, operation) + path,
      ...(taken.kind !== undefined && { body: taken.kind }),
      ...(taken.kind !== undefined && query.length > 0 && { query }),
      ...(headers.length > 0 && { headers }),
      ...(reply.kind !== undefined && { reply: reply.kind }),
      ...(reply.isPage && query.includes("cursor") && { pages: true as const }),
    },
  };
}

function prefixOf({ servers }: Document, operation: Described): string {
  const [server] = operation.servers ?? servers ?? [];
  return server?.url.replace(/\/$/, "") ?? "";
}

function toMember({ name, required, schema, description }: Parameter): InputMember {
  const isFlag = schema.enum !== undefined && schema.enum.map(String).sort().join() === "false,true";
  return {
    name,
    required: required === true,
    schema: { ...schema, description: description ?? schema.description ?? "" },
    ...(isFlag && { form: "flag" as const }),
  };
}

interface Taken {
  readonly kind?: Route["body"];
  /** The names of all members, of all alternatives. */
  readonly names: readonly string[];
  readonly members: readonly InputMember[];
  readonly flat?: Schema;
  readonly alternatives: readonly Schema[];
}

/**
 * The members of a closed object, or of alternatives that are such, are members of the argument. Any other body is one
 * member: a file, free members, or a message, whose type is a member of it.
 */
function readBody(document: Document, body: Body | undefined): Taken {
  if (body === undefined) return { names: [], members: [], alternatives: [] };
  const json = body.content[JSON_TYPE];
  if (json === undefined || Object.keys(body.content)[0] !== JSON_TYPE) {
    const [schema] = Object.values(body.content).map(({ schema }) => schema);
    const file = { name: "file", required: true, schema: schema!, form: "file" as const };
    return { kind: Object.keys(body.content)[0]!, names: ["file"], members: [file], alternatives: [] };
  }
  const objects = alternativesOf(document, json.schema);
  const isMessage = deref<Schema>(document, json.schema).discriminator !== undefined;
  if (isMessage || objects.some((one) => !isObject(one) || (one.additionalProperties ?? false) !== false)) {
    const whole = { name: "body", required: true, schema: json.schema };
    return { kind: "json", names: ["body"], members: [whole], alternatives: [] };
  }
  const names = [...new Set(objects.flatMap((one) => listMembers(one).map(({ name }) => name)))];
  return { kind: "flat", names, members: [], flat: json.schema, alternatives: objects };
}

function alternativesOf(document: Document, schema: Schema): Schema[] {
  const whole = deref<Schema>(document, schema);
  const union = whole.anyOf ?? whole.oneOf;
  return union === undefined ? [whole] : union.flatMap((one) => alternativesOf(document, one));
}

interface ReplyShape {
  readonly schemas: readonly Schema[];
  readonly doc: string;
  readonly kind?: Route["reply"];
  readonly isPage: boolean;
}

function readReply(document: Document, responses: Described["responses"]): ReplyShape {
  const replies = Object.entries(responses).filter(([status]) => status.startsWith("2")).map(([, response]) =>
    deref<Partial<Body> & { readonly description?: string }>(document, response)
  );
  const contents = replies.map(({ content = {} }) => content);
  const schemas = contents.flatMap((content) => content[JSON_TYPE]?.schema ?? []);
  const doc = replies.map(({ description }) => description).find((one) => one !== undefined) ?? "";
  if (schemas.length === contents.length) {
    const members = schemas.map((schema) => deref<Schema>(document, schema).properties ?? {});
    const isPage = members.every((one) => one["data"] !== undefined && one["nextCursor"] !== undefined);
    return { schemas, doc, isPage };
  }
  const isText = contents.every((content) => Object.keys(content).every((type) => type.startsWith("text/")));
  return { schemas: [], doc, kind: isText ? "text" : "stream", isPage: false };
}

/** Follows a reference into any part of the document. */
export function deref<T>(document: Document, value: unknown): T {
  const { $ref } = value as { readonly $ref?: string };
  if ($ref === undefined) return value as T;
  if (!$ref.startsWith("#/")) throw new Error(`Cannot follow ${$ref}: it leads out of the document`);
  const keys = $ref.slice(2).split("/").map((key) =>
    decodeURIComponent(key).replaceAll("~1", "/").replaceAll("~0", "~")
  );
  const found = keys.reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document);
  if (found === undefined) throw new Error(`Cannot follow ${$ref}: the document has nothing there`);
  return deref(document, found);
}
