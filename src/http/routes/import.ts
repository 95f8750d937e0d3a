/** `/v1/import` */
import * as transfer from "../../operations/transfer.ts";
import { alias } from "../route.ts";

export { GROUP } from "./memory/admin.ts";

export const importWorkspace = alias("post", "/import", transfer.importMemory, "importWorkspace");
