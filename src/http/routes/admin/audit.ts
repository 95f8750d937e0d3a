/** `/v1/admin/audit` */
import * as audit from "../../../operations/audit.ts";
import { route } from "../../route.ts";

export { GROUP } from "../audit.ts";

export const listAdminAudit = route("get", "/admin/audit", audit.listAdminAudit);
export const verifyAdminAudit = route("get", "/admin/audit/verify", audit.verifyAdminAudit);
