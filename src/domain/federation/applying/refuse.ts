import { ServiceError } from "../../../errors.ts";

/** Makes the error for a choice that cannot be carried out. */
export function refuse(why: string): ServiceError {
  return new ServiceError("conflict", `Cannot settle the conflict: ${why}`);
}
