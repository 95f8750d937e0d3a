/** `/v1/recall` */
import * as recall from "../../operations/recall.ts";
import { alias, type Group } from "../route.ts";

export const GROUP: Group = { name: "recall", description: "Hybrid retrieval (v2)" };

export const recallV2 = alias("post", "/recall", recall.recall);
