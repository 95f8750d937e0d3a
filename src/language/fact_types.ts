/** What sort of statement a fact is. */
export const FACT_TYPES = ["fact", "preference", "observation", "instruction"] as const;
export type FactType = (typeof FACT_TYPES)[number];
