/** The formats of other services, by name. */
import type { ImportFormat } from "../../../schema/transfer.ts";
import { fromChatGpt } from "./chatgpt.ts";
import { fromClaude, listProjects } from "./claude.ts";
import { ClaudeCodeReader } from "./claude_code.ts";
import type { FileShape, ForeignFile, ForeignRecord } from "./document.ts";
import { GRAPHITI_LISTS, GraphitiReader } from "./graphiti.ts";
import { HINDSIGHT_LISTS, HindsightReader } from "./hindsight.ts";
import { fromLetta } from "./letta.ts";
import { type MadeLine, type Maker, Repeats } from "./lines.ts";
import { fromMarkdown, MARKDOWN_LISTS } from "./markdown.ts";
import { fromMcp, MCP_LISTS } from "./mcp.ts";
import { fromMem0, MEM0_LISTS } from "./mem0.ts";
import { OPENMEMORY_LISTS, OpenMemoryReader } from "./openmemory.ts";
import { fromZep, ZEP_LISTS } from "./zep.ts";

export type ForeignFormat = Exclude<ImportFormat, "svc">;

export interface Format {
  readonly shape: FileShape;
  /** Whether its records need each other, so that a file cannot be split. */
  readonly isWhole?: boolean;
  /**
   * Returns a function that turns records into lines, one after another.
   * @param records all of them, for what one says of another
   */
  readonly open: (
    maker: Maker,
    about: ForeignFile["about"],
    records?: readonly ForeignRecord[],
  ) => (record: ForeignRecord) => MadeLine[];
}

export const FORMATS: Readonly<Record<ForeignFormat, Format>> = {
  mem0: { shape: { lists: MEM0_LISTS }, open: (maker) => (one) => fromMem0(maker, one) },
  graphiti: {
    shape: { lists: GRAPHITI_LISTS },
    isWhole: true,
    open: (maker) => {
      const reader = new GraphitiReader(maker);
      return (one) => reader.read(one);
    },
  },
  mcp: { shape: { lists: MCP_LISTS }, isWhole: true, open: (maker) => (one) => fromMcp(maker, one) },
  openmemory: {
    shape: { lists: OPENMEMORY_LISTS },
    isWhole: true,
    open: (maker) => {
      const reader = new OpenMemoryReader(maker);
      return (one) => reader.read(one);
    },
  },
  letta: { shape: { lists: [] }, isWhole: true, open: (maker) => (one) => fromLetta(maker, one) },
  zep: {
    shape: { lists: ZEP_LISTS },
    open: (maker) => {
      const repeats = new Repeats();
      return (one) => fromZep(maker, one, repeats);
    },
  },
  chatgpt: { shape: { lists: [] }, open: (maker) => (one) => fromChatGpt(maker, one) },
  claude: {
    shape: { lists: [] },
    open: (maker, _, records = []) => {
      const names = listProjects(records.map(({ value }) => value));
      return (one) => fromClaude(maker, one, names);
    },
  },
  "claude-code": {
    shape: { lists: [], isLines: true },
    open: (maker) => {
      const reader = new ClaudeCodeReader(maker);
      return (one) => reader.read(one);
    },
  },
  markdown: { shape: { lists: MARKDOWN_LISTS }, open: (maker) => (one) => fromMarkdown(maker, one) },
  hindsight: {
    shape: { lists: HINDSIGHT_LISTS },
    isWhole: true,
    open: (maker, about) => {
      const reader = new HindsightReader(maker, about);
      return (one) => reader.read(one);
    },
  },
};
