/** The generated part of the TypeScript client, as text. */
import { declareType, type Member, printMembers, printType } from "./_openapi_types.ts";
import type { Document, InputMember, SdkOperation } from "./_sdk_operations.ts";

const FILE_TYPE = "string | Uint8Array<ArrayBuffer> | Blob";

/** Returns the schemas, and what each operation takes and answers. */
export function printTypes(document: Document, operations: readonly SdkOperation[]): string {
  const schemas = Object.entries(document.components.schemas).map(([name, schema]) => declareType(name, schema));
  const members = operations.map((operation) => ({
    name: operation.id,
    required: true,
    schema: { description: operation.doc },
    type: printMembers([
      { name: "input", required: true, schema: {}, type: printInput(operation) },
      { name: "output", required: true, schema: {}, type: printOutput(operation) },
      {
        name: "headers",
        required: true,
        schema: {},
        type: operation.headers.map((one) => `"${one}"`).join(" | ") || "never",
      },
    ], "  "),
  }));
  const code = document.components.schemas["Problem"]?.properties?.["code"];
  if (code === undefined) throw new Error("Cannot find the error codes: Problem has no member code");
  const codes = "ErrorCode" in document.components.schemas ? "" : `export type ErrorCode = ${printType(code)};\n\n`;
  const operationsDoc = "/** What each operation takes and answers, and the headers that it takes as options. */\n";
  return `${schemas.join("\n")}\n${codes}${operationsDoc}export interface Operations ${printMembers(members)}\n`;
}

/** Returns what a call needs to know of each operation when it runs. */
export function printTable({ info }: Document, operations: readonly SdkOperation[]): string {
  const rows = operations.map(({ id, route }) => `  ${id}: ${JSON.stringify(route)},\n`);
  return [
    `import type { Route } from "../route.ts";\nimport type { Operations } from "./types.ts";\n`,
    `/** The version of the service that this client was made for. */\n` +
    `export const VERSION = ${JSON.stringify(info.version)};\n`,
    `/** How each operation is asked for. */\n` +
    `export const ROUTES: Readonly<Record<keyof Operations, Route>> = {\n${rows.join("")}};\n`,
  ].join("\n");
}

/** The type of the one argument. */
function printInput({ members, flat }: SdkOperation): string {
  const whole = flat === undefined ? [] : [printType(flat, "    ")];
  const own = members.length === 0 && whole.length > 0 ? [] : [printMembers(members.map(toMember), "    ")];
  return [...own, ...whole.map((type) => type.includes(" | ") ? `(${type})` : type)].join(" & ");
}

function toMember({ name, required, schema, form }: InputMember): Member {
  const type = form === "flag" ? "boolean" : form === "file" ? FILE_TYPE : printType(schema, "    ");
  return { name, required, schema, type };
}

function printOutput({ replies, route }: SdkOperation): string {
  if (route.reply === "text") return "string";
  if (route.reply === "stream") return "ReadableStream<Uint8Array<ArrayBuffer>>";
  return [...new Set(replies.map((schema) => printType(schema, "    ")))].join(" | ");
}
