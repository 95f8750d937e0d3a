/** The console for named admins, in a real browser. */
import { createTestAdmins, type TestAdmin } from "../_admin.ts";
import type { TestService } from "../_service.ts";
import { type Console, openConsole } from "./_console.ts";

/** A clock that stands, so that no one-time code grows old between its making and its check. */
export function standing(): () => Date {
  const now = new Date();
  return () => now;
}

/** Types an admin's key and a code into the login. */
export async function logIn({ page }: Console, { key }: TestAdmin, code: string): Promise<void> {
  await page.getByLabel("Key").fill(key);
  await page.getByLabel("One-time code").fill(code);
  await page.getByRole("button", { name: "Log in" }).click();
}

/** Opens the console and logs a new admin in. */
export async function openAsAdmin(
  { writing = false, prepare = (_: TestService): Promise<unknown> => Promise.resolve() } = {},
) {
  await using stack = new AsyncDisposableStack();
  const opened = stack.use(await openConsole({ isLoggedIn: false, prepare, clock: standing() }));
  const [admin, other] = await createTestAdmins(opened.service, 2);
  await logIn(opened, admin, admin.totp(-1));
  await opened.page.getByRole("heading", { name: "Workspaces" }).waitFor();
  if (writing) await opened.allowChanges();
  stack.move();
  return { opened, admin, other, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
}
