/** A tool as clients are told about it: JSON Schemas that every client reads. */
import { z } from "zod";
import type { Tool } from "./tool.ts";

/** One entry of `tools/list`. */
export interface DescribedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  readonly annotations: Tool["annotations"];
}

interface ObjectSchema {
  readonly type: "object";
  readonly [member: string]: unknown;
}

const described = new WeakMap<Tool, DescribedTool>();

/** Made once for each tool: schemas do not change. */
export function describeTool(tool: Tool): DescribedTool {
  const known = described.get(tool);
  if (known !== undefined) return known;
  const { name, title, description, input, output, annotations } = tool;
  const made = {
    name,
    title,
    description,
    inputSchema: schemaOf(input, "input"),
    outputSchema: schemaOf(output, "output"),
    annotations: { ...annotations },
  };
  described.set(tool, made);
  return made;
}

/** Without what models pay for and do not need: the dialect, and the bounds of a double. */
function schemaOf(schema: z.ZodObject, io: "input" | "output"): ObjectSchema {
  const { $schema: _, ...made } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return made as ObjectSchema;
}
