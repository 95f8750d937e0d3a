/** Refusals in the form of Connect: its own code, and the service's code in the details. */
import { Code, ConnectError } from "@connectrpc/connect";
import { errorToJson } from "@connectrpc/connect/protocol-connect";
import type { JsonObject } from "@bufbuild/protobuf";
import { type ConnectCodeName, ERROR_CODES, ServiceError } from "../errors.ts";
import { ErrorDetailSchema } from "../gen/svc/v1/svc_pb.ts";

const CODES: Readonly<Record<ConnectCodeName, Code>> = {
  invalid_argument: Code.InvalidArgument,
  unauthenticated: Code.Unauthenticated,
  permission_denied: Code.PermissionDenied,
  failed_precondition: Code.FailedPrecondition,
  not_found: Code.NotFound,
  unimplemented: Code.Unimplemented,
  already_exists: Code.AlreadyExists,
  aborted: Code.Aborted,
  resource_exhausted: Code.ResourceExhausted,
  internal: Code.Internal,
  unavailable: Code.Unavailable,
  deadline_exceeded: Code.DeadlineExceeded,
};

/** A request that breaks the protocol of RPC: `invalid_request`, under the Connect code that the protocol has for it. */
export class ProtocolError extends ServiceError {
  constructor(readonly connectCode: ConnectCodeName, message: string) {
    super("invalid_request", message);
  }
}

/** The refusal on the wire. Anything that is not a `ServiceError` has become `internal` before it gets here. */
export function toConnectError(error: ServiceError, requestId: string): ConnectError {
  const { code, message, headers, retryable, errors = [] } = error;
  const { homeRegion, ...extra } = error.extra;
  const value = {
    code,
    requestId,
    retryable,
    errors: errors.map(({ path, message }) => ({ path, message })),
    ...(typeof homeRegion === "string" && { homeRegion }),
    ...(Object.keys(extra).length > 0 && { extra: JSON.parse(JSON.stringify(extra)) as JsonObject }),
  };
  const connectCode = error instanceof ProtocolError ? error.connectCode : ERROR_CODES[code].connect;
  return new ConnectError(message, CODES[connectCode], headers, [{ desc: ErrorDetailSchema, value }]);
}

/** The reply for a request that is refused before its protocol is known: 400, which all protocols understand. */
export function toErrorResponse(error: ConnectError): Response {
  return Response.json(errorToJson(error, undefined), { status: 400 });
}
