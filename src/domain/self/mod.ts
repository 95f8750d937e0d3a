/** What an agent does to its own memory. The rules are in `self/`. */
export { editSelf } from "./edit.ts";
export { getSelfEdit, listSelfEdits } from "./read.ts";
export { revertSelfEdit } from "./revert.ts";
export { getSelfProfile } from "./profile.ts";
export { reflectSelf } from "./reflect.ts";
