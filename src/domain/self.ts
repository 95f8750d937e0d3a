/** What an agent does to its own memory. The rules are in `self/`. Interface §4.8. */
export { editSelf } from "./self/edit.ts";
export { getSelfEdit, listSelfEdits } from "./self/edits.ts";
export { revertSelfEdit } from "./self/revert.ts";
export { getSelfProfile } from "./self/profile.ts";
export { reflectSelf } from "./self/reflect.ts";
