/** Webhooks: who is sent what, signed, in which order, and for how long. */
import type { Mutation } from "./mutation.ts";

const test = "tests/webhooks/webhooks_test.ts";

export const MUTATIONS: readonly Mutation[] = [
  {
    name: "answer to the challenge of a webhook",
    file: "src/domain/webhooks/verify.ts",
    defence: "!sent.isReplyCut && isAnswer(sent.reply, challenge);",
    instead: "!sent.isReplyCut && challenge.length > 0;",
    test,
    filter: "T70 nothing is sent",
  },
  {
    name: "consent of another URL of a webhook",
    file: "src/domain/webhooks/endpoints.ts",
    defence: "  if (isOther || row.verifiedAt === null) {",
    instead: "  if (row.verifiedAt === null) {",
    test,
    filter: "T70 nothing is sent",
  },
  {
    name: "clearance of a webhook",
    file: "src/domain/webhooks/endpoints.ts",
    defence: "  requireClearance(ctx, maxSensitivity);\n  const since",
    instead: "  const since",
    test,
    filter: "T70 an endpoint is sent",
  },
  {
    name: "tasks that a webhook's creator may not read",
    file: "src/domain/webhooks/take_up.ts",
    defence: "withoutTypes: withTasks ? [] : Object.keys(TASK_RESOURCES)",
    instead: "withoutTypes: withTasks ? [] : []",
    test,
    filter: "T70 an endpoint is sent",
  },
  {
    name: "end of a rotated secret of a webhook",
    file: "src/domain/webhooks/secrets.ts",
    defence: "expiresAt === null || new Date(expiresAt) > now",
    instead: "expiresAt === null || new Date(expiresAt) > new Date(0)",
    test,
    filter: "T70 somebody else's library",
  },
  {
    name: "order of a resource's messages",
    file: "src/db/queries/webhook_deliveries.ts",
    defence: "and b.state = 'pending' and b.seq < d.seq)",
    instead: "and b.state = 'pending' and b.seq < 0)",
    test,
    filter: "F27 events",
  },
  {
    name: "rest that a receiver asked for",
    file: "src/domain/webhooks/results.ts",
    defence: "throttledUntil: latest > now.getTime() ? new Date(latest) : null,",
    instead: "throttledUntil: null,",
    test,
    filter: "F27 an endpoint",
  },
  {
    name: "five days until a webhook is given up",
    file: "src/domain/webhooks/schedule.ts",
    defence: " && now.getTime() - failingSince.getTime() >= GIVEN_UP_AFTER_MS",
    instead: " && now >= failingSince",
    test,
    filter: "F27 an endpoint",
  },
];
