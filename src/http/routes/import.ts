/** `/v1/import` */
import * as transfer from "../../operations/transfer.ts";
import { alias, type Group } from "../route.ts";

export const GROUP: Group = { name: "import", description: "Import (v2): an export, or memories of other services" };

export const importWorkspace = alias("post", "/import", transfer.importMemory, "importWorkspace");
