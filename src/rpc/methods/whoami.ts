/** Whoami. */
import { SvcService } from "../../gen/svc/v1/svc_pb.ts";
import * as access from "../../operations/whoami.ts";
import { unary } from "../unary.ts";

export const whoami = unary(SvcService.method.whoami, access.whoami);
