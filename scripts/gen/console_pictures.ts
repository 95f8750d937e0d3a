/**
 * Takes the pictures of the console that the README shows: `deno run -A scripts/gen/console_pictures.ts`. Look at them
 * before you commit them.
 */
import { openConsole } from "../../tests/console/_console.ts";
import { seed } from "../../tests/console/_seed.ts";
import type { TestService } from "../../tests/_service.ts";

const OUT = new URL("../../docs/pictures/", import.meta.url).pathname;

/** A fact with its source, and the one that took its place; returns the id of the first. */
async function tellOfPhone(service: TestService): Promise<string> {
  const session = await service.post("/v1/session", { title: "Hand-over in September" });
  const said = (messageId: string, name: string, content: string, occurredAt: string) => ({
    ...{ messageId, role: "user", name, content, occurredAt },
  });
  await service.post(`/v1/session/${session.body.id}/turns`, {
    turns: [
      said("h1", "Nadia", "Who takes the phone when I am away?", "2026-09-01T07:58:00Z"),
      said("h2", "Marek", "I have the on-call phone now, until the end of October.", "2026-09-01T08:00:00Z"),
    ],
  });
  const of = (object: string) => ({
    ...{ subject: "on-call phone", predicate: "keeper", object, exclusive: true },
    ...{ attribution: "user_stated", tags: ["ops"] },
  });
  const citations = [{ messageId: "h2", sessionId: session.body.id, quote: "I have the on-call phone now" }];
  const old = await service.post("/v1/memory/facts", {
    ...{ statement: "Marek keeps the on-call phone.", validFrom: "2026-09-01T08:00:00Z", citations },
    ...of("Marek"),
  });
  const validFrom = "2026-11-02T08:00:00Z";
  await service.post("/v1/memory/facts", {
    ...{ statement: "Nadia keeps the on-call phone again.", validFrom },
    ...of("Nadia"),
  });
  return old.body.id;
}

let id = "";
const opened = await openConsole({
  async prepare(service) {
    await seed(service);
    id = await tellOfPhone(service);
  },
});
const { page } = opened;
await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
await opened.go(`/playground?q=${encodeURIComponent("How long are backups kept?")}&asOf=2026-10-05T12:00:00Z`);
await page.getByRole("article").first().waitFor();
await page.screenshot({ path: `${OUT}playground.png` });
await opened.go(`/unit/${id}`);
await page.locator(".actor").filter({ hasText: "test" }).waitFor();
await page.screenshot({ path: `${OUT}unit.png` });
await opened.context.browser()!.close();
// The embedded service needs no orderly end.
Deno.exit(0);
