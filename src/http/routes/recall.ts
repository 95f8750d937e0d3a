/** `/v1/recall` */
import * as recall from "../../operations/recall.ts";
import { alias } from "../route.ts";

export { GROUP } from "./memory/recall.ts";

export const recallV2 = alias("post", "/recall", recall.recall);
