// deno-lint-ignore-file
import { validateProposals } from "../../src/language/proposals.ts";
const t = (content: string, statement: string, quote = content) =>
  console.log(
    validateProposals([
      { messageId: "m", role: "user", name: "Caroline", content, occurredAt: "2023-05-08T13:50:00Z" } as any,
    ], [{ messageId: "m", quote, statement, confidence: .9 }]),
  );
t("You are good at chess.", "Caroline is good at chess");
t("I've moved to  Oslo with 2 cats. My fav is green!", "Caroline moved to Oslo by 8 May 2023", "moved to  Oslo");
