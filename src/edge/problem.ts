/** A refusal as a flat problem document, for the faces that send JSON. RFC 9457. */
import { ERROR_CODES, type ErrorCode, type FieldError, type ServiceError } from "../errors.ts";

export type ProblemBody = Record<string, unknown> & {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: ErrorCode;
  readonly message: string;
  readonly requestId: string;
  readonly retryable: boolean;
  readonly help: string;
  readonly errors?: FieldError[];
};

/** The document for a refusal. Anything that is not a `ServiceError` has become `internal` before it gets here. */
export function problemOf(error: ServiceError, requestId: string): ProblemBody {
  const { title, status } = ERROR_CODES[error.code];
  return {
    ...error.extra,
    type: `urn:svc:error:${error.code}`,
    title,
    status,
    code: error.code,
    message: error.message,
    requestId,
    retryable: error.retryable,
    help: `/v1/errors/${error.code}`,
    ...(error.errors && { errors: [...error.errors] }),
  };
}
