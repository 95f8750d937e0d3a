/** The description of a tool for clients, with JSON Schemas that every client can read. */
import { z } from "zod";

/** What clients may tell their users about a tool. */
export interface Annotations {
  readonly readOnlyHint: boolean;
  readonly openWorldHint: false;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
}

/** The words and schemas by which a model chooses and calls a tool. */
export interface ToolWords {
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  /** The part of `input` that models are shown; left out: all of it. */
  readonly shown?: z.ZodObject;
  readonly output: z.ZodObject;
  readonly annotations: Annotations;
}

/** One entry of `tools/list`. */
export interface DescribedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  readonly annotations: Annotations;
}

interface ObjectSchema {
  readonly type: "object";
  readonly [member: string]: unknown;
}

export function describeTool(name: string, words: ToolWords): DescribedTool {
  const { title, description, input, shown = input, output, annotations } = words;
  return {
    name,
    title,
    description,
    inputSchema: schemaOf(shown, "input"),
    outputSchema: schemaOf(output, "output"),
    annotations: { ...annotations },
  };
}

/** Removes parts of a schema that models pay for and do not need: the dialect, and the bounds of a double. */
function schemaOf(schema: z.ZodObject, io: "input" | "output"): ObjectSchema {
  const { $schema: _, ...made } = z.toJSONSchema(schema, {
    io,
    override({ jsonSchema }) {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return made as ObjectSchema;
}
