/** Counts the values in a Protobuf message before any of it is built: two bytes are enough for a message within it. */
import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { ServiceError } from "../errors.ts";
import { JSON_LIMITS } from "../schema/json_text.ts";

/** As for a JSON body: fields, and those of nested messages; each element of a list counts one. */
const VALUES_MAX = JSON_LIMITS.valuesMax;
/**
 * The number of values that a message of the service's own types counts as, because building and checking it costs
 * more.
 */
const OWN_MESSAGE_VALUES = 10;

/**
 * Refuses a message with more values than a JSON body may have. Bytes that are no message are left to the reader.
 * @param depthMax levels of messages that are counted; the reader refuses deeper ones
 * @throws ServiceError `validation_failed`
 */
export function refuseTooManyValues(desc: DescMessage, bytes: Uint8Array, depthMax: number): void {
  const reader = new BinaryReader(bytes);
  let values = 0;
  const walk = (shape: Shape, end: number, depth: number): void => {
    while (reader.pos < end) {
      const [no, type] = reader.tag();
      const within = type === WireType.LengthDelimited && depth < depthMax ? shape(no) : undefined;
      values += within?.values ?? 1;
      if (values > VALUES_MAX) throw tooMany();
      if (within === undefined) reader.skip(type, no);
      else walk(within.shape, reader.uint32() + reader.pos, depth + 1);
    }
  };
  try {
    walk(shapeOf(desc), bytes.length, 0);
  } catch (error) {
    if (error instanceof ServiceError) throw error;
  }
}

function tooMany(): ServiceError {
  const message = `has more than ${VALUES_MAX} values`;
  return new ServiceError("validation_failed", `Cannot accept the message: it ${message}`, {
    errors: [{ path: "", message }],
  });
}

/** The content of the field with a number, if it is a message; a member of a map is one, too. */
type Shape = (no: number) => Within | undefined;

interface Within {
  readonly shape: Shape;
  /** The number of values that the message itself counts as, without its contents. */
  readonly values: number;
}

const shapes = new WeakMap<DescMessage, Shape>();

function shapeOf(desc: DescMessage): Shape {
  let shape = shapes.get(desc);
  if (shape === undefined) {
    const fields = new Map(desc.fields.map((field) => [field.number, field]));
    const within = new Map<number, Within | undefined>();
    shape = (no) => {
      if (!within.has(no) && fields.has(no)) within.set(no, shapeWithin(fields.get(no)!));
      return within.get(no);
    };
    shapes.set(desc, shape);
  }
  return shape;
}

/** The value of a map's member is its field 2. */
function shapeWithin({ fieldKind, message }: DescField): Within | undefined {
  const within = message && { shape: shapeOf(message), values: isOwn(message) ? OWN_MESSAGE_VALUES : 1 };
  return fieldKind === "map" ? { shape: (no) => no === 2 ? within : undefined, values: 1 } : within;
}

function isOwn({ typeName }: DescMessage): boolean {
  return !typeName.startsWith("google.protobuf.");
}
