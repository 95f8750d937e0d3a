/** `/v1/actors` */
import * as actors from "../../operations/actors.ts";
import { route } from "../route.ts";

export { GROUP } from "./audit.ts";

export const listActors = route("get", "/actors", actors.listActors);
