/** `/v1/export` */
import * as transfer from "../../operations/transfer.ts";
import { download } from "../download.ts";

export { GROUP } from "./memory/admin.ts";

export const exportWorkspace = download("get", "/export", transfer.exportWorkspace, { deprecated: true });
