/**
 * Reads the arguments of a tool call. Models send a scalar for a list, texts for numbers, and null or an empty text for
 * omitted members; the meaning is clear, so it is accepted. Everything else is checked against the schema.
 */
import { z } from "zod";
import { ServiceError } from "../errors.ts";
import { checkInput, invalidInput } from "../schema/field_errors.ts";
import { parseJsonText } from "../schema/json_text.ts";

/** @throws ServiceError `validation_failed` */
export function readArguments<S extends z.ZodObject>(schema: S, given: unknown): z.output<S> {
  const { data, faults } = checkInput(schema, relax(schema, given ?? {}));
  if (faults) throw invalidInput(faults);
  return data;
}

function relax(schema: z.ZodType, value: unknown): unknown {
  if (schema instanceof z.ZodOptional) return relax(schema.unwrap() as z.ZodType, value);
  if (schema instanceof z.ZodArray) return relaxList(schema.element as z.ZodType, value);
  if (schema instanceof z.ZodNumber) return isNumeral(value) ? Number(value) : value;
  if (schema instanceof z.ZodBoolean) return value === "true" ? true : value === "false" ? false : value;
  if (schema instanceof z.ZodObject) return relaxMembers(schema, value);
  return value;
}

function isNumeral(value: unknown): value is string {
  return typeof value === "string" && /^-?\d{1,15}(\.\d{1,15})?$/.test(value);
}

function relaxList(element: z.ZodType, value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => item !== "").map((item) => relax(element, item));
  const list = typeof value === "string" && value.startsWith("[") ? parseList(value) : undefined;
  return list === undefined ? [relax(element, value)] : list.map((item) => relax(element, item));
}

/**
 * Parses a text that begins with `[` as a JSON list. Undefined if it is not one: then it is an ordinary text.
 * @throws ServiceError as for the JSON of a request
 */
function parseList(text: string): unknown[] | undefined {
  try {
    const list = parseJsonText(text);
    return Array.isArray(list) ? list : undefined;
  } catch (error) {
    if (error instanceof ServiceError && error.cause instanceof SyntaxError) return undefined;
    throw error;
  }
}

function relaxMembers(schema: z.ZodObject, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      const own = Object.hasOwn(schema.shape, name) ? schema.shape[name] as z.ZodType : undefined;
      if (member === null || member === "" && own instanceof z.ZodOptional) return [];
      return [[name, own === undefined ? member : relax(own, member)]];
    }),
  );
}
