/** JSON Schemas from callers: distinguished from other JSON before they are stored. */
import Ajv from "ajv";
import Ajv2020 from "ajv/dist/2020.js";
import { z } from "zod";
import { JsonValue } from "./common.ts";

const DRAFT_07 = /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/;
const DRAFT_2020_12 = /^https:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/;
const BYTES_MAX = 65_536;

type Validator = { validateSchema(schema: object): unknown; errorsText(): string };
const validators = new Map<string, Validator>();

/** Made on first use: they compile the meta-schemas. A caller's own schema is never compiled, so nothing of it runs. */
function validatorOf(dialect: "draft-07" | "2020-12"): Validator {
  const known = validators.get(dialect);
  if (known !== undefined) return known;
  const options = { strict: false, validateFormats: false, logger: false } as const;
  const made = dialect === "draft-07" ? new Ajv.default(options) : new Ajv2020.default(options);
  validators.set(dialect, made);
  return made;
}

/** Why a value is not a JSON Schema of a dialect that is known here; undefined when it is one. */
export function findSchemaFault(schema: Readonly<Record<string, unknown>>): string | undefined {
  const { $schema, ...rest } = schema;
  const isDraft07 = typeof $schema === "string" && DRAFT_07.test($schema);
  if ($schema !== undefined && !isDraft07 && !(typeof $schema === "string" && DRAFT_2020_12.test($schema))) {
    return "must be of JSON Schema draft 2020-12 or draft-07";
  }
  const validator = validatorOf(isDraft07 ? "draft-07" : "2020-12");
  return validator.validateSchema(rest) === true ? undefined : `must be a JSON Schema: ${validator.errorsText()}`;
}

/** The JSON Schema of a call's arguments, kept as it was given. */
export const JsonSchema = z.record(z.string().min(1).max(200), JsonValue).superRefine((schema, refinement) => {
  const text = JSON.stringify(schema);
  const fault = new TextEncoder().encode(text).byteLength > BYTES_MAX
    ? `must be at most ${BYTES_MAX} bytes as JSON`
    : findSchemaFault(schema);
  if (fault !== undefined) refinement.addIssue({ code: "custom", message: fault.slice(0, 500) });
}).meta({ id: "JsonSchema", description: "A JSON Schema, draft 2020-12 unless `$schema` names draft-07" });
