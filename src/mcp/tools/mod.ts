/** The tools by path. */
import type { Tool } from "../tool.ts";
import { recall } from "./recall.ts";
import { remember } from "./remember.ts";

/** What every client sees at `/mcp`, in this order. */
export const TOOLS: readonly Tool[] = [recall, remember];
/** What clients see at `/mcp/all`. */
export const ALL_TOOLS: readonly Tool[] = [...TOOLS];
