/** A workspace as one looks after some weeks: facts old and new, contradictions, conversations, and hostile texts. */
import type { TestService } from "../_service.ts";

/** What a text may try in a page that shows it. */
export const HOSTILE = [
  `<script>document.title = "taken"</script>`,
  `<img src=x onerror="document.title = 'taken'">`,
  `\u202Etxet siht sesrever redirevo na\u202C and goes on`,
  `javascript:document.title='taken'`,
  `{{constructor.constructor("document.title='taken'")()}}`,
  `</bdi></main><style>body { display: none }</style>`,
  "long ".repeat(800),
  "x".repeat(3_000),
];

export interface Seeded {
  /** The fact that no longer holds, and the one that took its place. */
  readonly outdatedFactId: string;
  readonly currentFactId: string;
  readonly sessionId: string;
  readonly hostileFactIds: readonly string[];
}

const day = (n: number) => new Date(Date.UTC(2026, 9, n, 10)).toISOString();

/** Fills the workspace of a service. */
export async function seed(service: TestService): Promise<Seeded> {
  const post = async (path: string, body: unknown) => {
    const reply = await service.post(path, body);
    if (reply.status >= 300) throw new Error(`${path}: ${JSON.stringify(reply.body)}`);
    return reply.body;
  };
  const fact = (statement: string, more: object = {}): Promise<{ id: string }> =>
    post("/v1/memory/facts", { statement, ...more });
  const of = (subject: string, predicate: string, object: string) => ({ subject, predicate, object });
  const outdated = await fact("Backups are kept for thirty days.", {
    ...of("backups", "retention", "thirty days"),
    validFrom: day(1),
    tags: ["ops"],
  });
  const current = await fact("Backups are kept for ninety days since the audit.", {
    ...of("backups", "retention", "ninety days"),
    validFrom: day(20),
    tags: ["ops", "audit"],
  });
  for (const [statement, tag] of TEXTS) await fact(statement, { tags: [tag] });
  // An agent concludes something else than a person said, so a person has to decide.
  const located = (place: string) => ({ ...of("staging database", "location", place), exclusive: true });
  await fact("The staging database runs in Frankfurt.", { ...located("Frankfurt"), attribution: "user_stated" });
  await fact("The staging database runs in Dublin.", { ...located("Dublin"), attribution: "agent_inferred" });
  const hostile = [];
  for (const text of HOSTILE) hostile.push((await fact(text, { tags: ["hostile"] })).id);
  const session = await post("/v1/session", { externalId: "standup", title: "Monday stand-up" });
  await post(`/v1/session/${session.id}/turns`, {
    turns: TURNS.map(([name, content], i) => ({
      ...{ messageId: `m${i}`, role: name === "assistant" ? "assistant" : "user", name, content },
      occurredAt: new Date(Date.UTC(2026, 9, 21, 9, i)).toISOString(),
    })),
  });
  return {
    outdatedFactId: outdated.id,
    currentFactId: current.id,
    sessionId: session.id,
    hostileFactIds: hostile,
  };
}

const TEXTS = [
  ["Caroline adopted a dog called Pixel last Friday.", "people"],
  ["Deployments happen on Tuesdays after the stand-up.", "ops"],
  ["The billing service is owned by the payments team.", "teams"],
  ["Amir prefers short answers without small talk.", "people"],
  ["The API key of the sandbox rotates every month.", "ops"],
  ["Nadia moved from Lisbon to Porto in September.", "people"],
] as const;

const TURNS = [
  ["Nadia", "The restore test failed because the backup was older than thirty days."],
  ["Amir", "We keep backups for ninety days now. The audit asked for it."],
  ["assistant", "I will remember that backups are kept for ninety days."],
  ["Nadia", "And the staging database moves to Dublin next week."],
] as const;
