/** Other names of `tx.ts`, until the last file that uses them has changed. */
export type { Tx } from "./tx.ts";
