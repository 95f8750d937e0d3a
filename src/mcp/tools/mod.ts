/** The tools by path. */
import type { Tool } from "../tool.ts";
import { correct } from "./correct.ts";
import { decide, outcome } from "./decide.ts";
import { feedback } from "./feedback.ts";
import { forget } from "./forget.ts";
import { read } from "./read.ts";
import { reason, recordReasoningTool } from "./reason.ts";
import { recall } from "./recall.ts";
import { record } from "./record.ts";
import { remember } from "./remember.ts";
import { task, tasks } from "./tasks.ts";
import { explain, timeline } from "./timeline.ts";

/** The tools at `/mcp`, in this order: few, because each costs a model context and accuracy. */
export const TOOLS: readonly Tool[] = [recall, read, remember, correct, forget, record, feedback];
/** The tools at `/mcp/all`. */
export const ALL_TOOLS: readonly Tool[] = [
  ...TOOLS,
  timeline,
  explain,
  decide,
  tasks,
  task,
  reason,
  recordReasoningTool,
  outcome,
];
