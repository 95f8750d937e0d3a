/**
 * What people say to an agent, and the tool that the agent should choose. Only a model can show whether it chooses so, and
 * none runs here. The table is for somebody who changes the description of a tool: read it with the new description, and
 * check for each row that it still leads to this tool.
 */
export interface Utterance {
  /** What a person says, or the situation of an agent. */
  readonly says: string;
  /** The expected tool; if the seven tools do not include it, it is one at `/mcp/all`. */
  readonly tool: string;
  /** The words in the tool's description that decide it; no other tool has them. */
  readonly because: string;
}

const BEFORE_ANSWERING = "before you answer anything that may depend on earlier conversations";
const DURABLE = "Store one durable statement";
const WRONG = "Change or take back a fact that is stored and wrong or no longer true";
const IN_ORDER = "List what happened in order of time";

export const UTTERANCES: readonly Utterance[] = [
  { says: "What do you know about me?", tool: "recall", because: "Without `query` it answers a briefing" },
  { says: "(A session begins.)", tool: "recall", because: "for the start of a session" },
  { says: "Where did we move the backup?", tool: "recall", because: BEFORE_ANSWERING },
  { says: "Book a table where Ada likes to eat.", tool: "recall", because: "people, preferences, decisions or dates" },
  {
    says: "Which database did we settle on?",
    tool: "recall",
    because: "Search what was said, stored and decided before",
  },
  { says: "As I told you last week, use the other account.", tool: "recall", because: BEFORE_ANSWERING },
  { says: "Is it you or me who is allergic to nuts?", tool: "recall", because: "say so, do not guess" },
  { says: "Where do you have that from?", tool: "read", because: "where it comes from" },
  { says: "Is that still true?", tool: "read", because: "whether it still holds" },
  { says: "Who changed this, and when?", tool: "read", because: "history of changes" },
  { says: "Show me all of that entry.", tool: "read", because: "Read units whole by id" },
  {
    says: "Remember that I take my coffee black.",
    tool: "remember",
    because: "preference, instruction or observation",
  },
  { says: "My daughter's name is Ida.", tool: "remember", because: DURABLE },
  { says: "From now on answer in German.", tool: "remember", because: "worth knowing in later sessions" },
  { says: "The staging host is pegasus.example.", tool: "remember", because: DURABLE },
  { says: "For next time: the tests need Redis.", tool: "remember", because: "worth knowing in later sessions" },
  { says: "No, I moved to Berlin; you have Paris.", tool: "correct", because: WRONG },
  { says: "That was never so, strike it.", tool: "correct", because: WRONG },
  { says: "The contract ended in May.", tool: "correct", because: WRONG },
  { says: "Undo what you noted about Ben; you misread it.", tool: "correct", because: "every edit can be reverted" },
  { says: "Forget my old address.", tool: "forget", because: "Only when the user asks for it" },
  { says: "Stop bringing up my divorce.", tool: "forget", because: "so that it is no longer recalled" },
  { says: "Delete everything about my health for good.", tool: "forget", because: "deleted for ever" },
  { says: "Keep a record of this conversation.", tool: "record", because: "Store turns of this conversation" },
  { says: "Save what we just said, exactly as we said it.", tool: "record", because: "word for word" },
  { says: "(A meeting's transcript is pasted to be kept.)", tool: "record", because: "word for word" },
  { says: "That note was just what I needed.", tool: "feedback", because: "which recalled units helped" },
  { says: "What you found there led us astray.", tool: "feedback", because: "which misled" },
  { says: "What happened on Monday?", tool: "timeline", because: "what a day held" },
  { says: "Which came first, the audit or the move?", tool: "timeline", because: IN_ORDER },
  { says: "When did we first speak of Hetzner?", tool: "timeline", because: "first and last" },
  { says: "Why did you think of that?", tool: "explain", because: "why each result is there" },
  { says: "Why did you not find my note on Redis?", tool: "explain", because: "why these units are not" },
  { says: "Then it is settled: we take Postgres.", tool: "decide", because: "Store what was decided and why" },
  {
    says: "We change our mind: SQLite, not Postgres.",
    tool: "decide",
    because: "takes the place of an earlier decision",
  },
  { says: "What is there to do?", tool: "tasks", because: "see what is open before you begin or plan" },
  {
    says: "Somebody should compare the quotes tomorrow.",
    tool: "task",
    because: "Create a task for later or for others",
  },
  { says: "I take the migration.", tool: "task", because: "claim one before you work on it" },
  { says: "Let the research agent do that.", tool: "task", because: "delegate it to another agent" },
  { says: "(A long derivation is about to begin.)", tool: "reason", because: "before you work it out" },
  {
    says: "(The derivation is done and was right.)",
    tool: "record_reasoning",
    because: "Store how a goal was reached",
  },
  {
    says: "(A stored skill was followed, and failed.)",
    tool: "outcome",
    because: "success or failure of a stored skill",
  },
];
