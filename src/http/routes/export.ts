/** `/v1/export` */
import * as transfer from "../../operations/transfer.ts";
import { download } from "../download.ts";
import { type Group } from "../route.ts";

export const GROUP: Group = { name: "export", description: "Export (v2): the workspace as JSONL" };

export const exportWorkspace = download("get", "/export", transfer.exportWorkspace, { deprecated: true });
