/** The regions that a workspace may be pinned to. */
export const REGIONS = ["us-east-1", "eu-west-1", "ap-southeast-1"] as const;
export type Region = (typeof REGIONS)[number];
