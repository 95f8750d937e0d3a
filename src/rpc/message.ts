/**
 * Converts between messages and the JSON that HTTP has for the same content.
 *
 * The same rules apply to a request in both encodings: no unknown field, no NUL, no lone surrogate, at most 64 levels.
 */
import {
  type DescMessage,
  fromBinary,
  fromJson,
  isMessage,
  type JsonValue,
  type MessageShape,
  toJson,
} from "@bufbuild/protobuf";
import { isFieldError } from "@bufbuild/protobuf/reflect";
import { type FieldError, ServiceError } from "../errors.ts";
import { invalidInput } from "../schema/field_errors.ts";
import { parseJson, parseJsonText } from "../schema/json_text.ts";
import { refuseTooManyValues } from "./count_values.ts";

/** A JSON value is up to three messages deep in Protobuf; the limits of JSON are checked on its JSON form. */
const RECURSION_MAX = 200;

export const JSON_OPTIONS = { alwaysEmitImplicit: true, ignoreUnknownFields: false, recursionLimit: RECURSION_MAX };
export const BINARY_OPTIONS = { recursionLimit: RECURSION_MAX };

/**
 * Refuses bytes that are not a message of this type.
 * @throws ServiceError `invalid_request`, `validation_failed`
 */
export function checkMessage(desc: DescMessage, bytes: Uint8Array, isJson: boolean): void {
  if (isJson) {
    const value = parseJson(bytes) as JsonValue;
    readJson(desc, value);
    return;
  }
  refuseTooManyValues(desc, bytes, RECURSION_MAX);
  let message: MessageShape<DescMessage>;
  try {
    message = fromBinary(desc, bytes, BINARY_OPTIONS);
  } catch (cause) {
    throw new ServiceError("invalid_request", "Cannot read the message: it is not the Protobuf of this type", {
      cause,
    });
  }
  refuseUnknown(message, []);
  parseJsonText(JSON.stringify(toPlain(desc, message)));
}

/** A request in the form of HTTP, in which unset fields are absent. */
export function toPlain<D extends DescMessage>(desc: D, message: MessageShape<D>): Record<string, unknown> {
  try {
    return toJson(desc, message) as Record<string, unknown>;
  } catch (cause) {
    throw new ServiceError("invalid_request", "Cannot read the message: a value has no JSON form", { cause });
  }
}

/** A reply from the form of HTTP. A member without a field is a fault of the definition and is not ignored. */
export function toMessage<D extends DescMessage>(desc: D, text: string): MessageShape<D> {
  return fromJson(desc, JSON.parse(text), JSON_OPTIONS);
}

/** The JSON form of a reply in a JSON message: fields of implicit presence and lists are always present. */
export function toSent<D extends DescMessage>(desc: D, reply: object): Record<string, unknown> {
  return toJson(desc, toMessage(desc, JSON.stringify(reply)), JSON_OPTIONS) as Record<string, unknown>;
}

function readJson(desc: DescMessage, value: JsonValue): void {
  try {
    fromJson(desc, value, JSON_OPTIONS);
  } catch (error) {
    throw invalidInput(describe(error));
  }
}

const UNKNOWN_KEY = /: key "((?:[^"\\]|\\.)*)" is unknown$/;

function describe(error: unknown): FieldError {
  const { message, cause } = error as Error;
  const key = UNKNOWN_KEY.exec(message)?.[1];
  if (key !== undefined) return { path: key.slice(0, 200), message: "unknown field" };
  // The library's own message quotes the value.
  if (!isFieldError(cause)) return { path: "", message: "is not the JSON of this message" };
  const field = cause.field();
  return { path: field.kind === "field" ? field.jsonName : field.name, message: "has a value of another type" };
}

function refuseUnknown(value: unknown, path: readonly string[]): void {
  if (Array.isArray(value)) return value.forEach((item, i) => refuseUnknown(item, [...path, String(i)]));
  if (!isMessage(value)) return;
  const [unknown] = value.$unknown ?? [];
  if (unknown !== undefined) {
    throw invalidInput({ path: [...path, String(unknown.no)].join("."), message: "unknown field" });
  }
  for (const [name, member] of Object.entries(value)) {
    if (typeof member === "object" && member !== null) refuseUnknown(member, [...path, name]);
  }
}
