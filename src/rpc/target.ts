/** Which resource a request is about. */
import { z } from "zod";
import { Id } from "../schema/common.ts";

/** On HTTP the id stands in the path, and the version in `If-Match`. */
export const Target = z.strictObject({ id: Id, expectedVersion: z.int().min(1).optional() });
