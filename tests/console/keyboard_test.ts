/** The console without a mouse: each control is reached and seen, dialogs keep the focus and give it back. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { buildWorld, type World } from "../http/_world.ts";
import { CONSOLE, type Console, openConsole } from "./_console.ts";

/** What the keyboard should reach: whatever can be used and is seen. */
const REACHABLE = `[...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")]
  .filter((element) => element.tabIndex >= 0 && !element.disabled && element.checkVisibility({ checkVisibilityCSS: true }))`;

/** Names the element with the focus, and says whether a person sees that it has it. */
const FOCUSED = `(() => {
  const element = document.activeElement;
  if (element === null || element === document.body) return null;
  const { outlineStyle, outlineWidth } = getComputedStyle(element), box = element.getBoundingClientRect();
  const bar = document.querySelector("header.top")?.getBoundingClientRect().bottom ?? 0;
  const isInBar = element.closest("header.top, nav, dialog, .skip") !== null;
  return {
    mark: element.dataset.mark ?? null,
    name: element.tagName + " " + (element.getAttribute("aria-label") ?? element.textContent ?? "").trim().slice(0, 40),
    isShown: outlineStyle !== "none" && parseFloat(outlineWidth) >= 1,
    isInView: box.bottom > (isInBar ? 0 : bar) && box.top < innerHeight && box.right > 0 && box.left < innerWidth,
  };
})()`;

interface Focused {
  readonly mark: string | null;
  readonly name: string;
  readonly isShown: boolean;
  readonly isInView: boolean;
}

/** Goes through a screen by Tab alone. */
async function walk(page: Page): Promise<void> {
  const wanted = await page.evaluate<string[]>(
    `${REACHABLE}.map((element, i) => (element.dataset.mark = String(i), element.outerHTML.slice(0, 120)))`,
  );
  await page.evaluate("document.activeElement.blur(), scrollTo(0, 0)");
  const reached = new Set<string>();
  // A time has parts of its own, from the day to the button of its calendar.
  const times = await page.locator("input[type=datetime-local]").count();
  for (let i = 0; i < wanted.length + 5 + 8 * times && reached.size < wanted.length; i++) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate<Focused | null>(FOCUSED);
    if (focused === null) continue;
    assert.ok(focused.isShown, `the focus is not seen on ${focused.name}`);
    assert.ok(focused.isInView, `the focus is out of view on ${focused.name}`);
    if (focused.mark !== null) reached.add(focused.mark);
  }
  const missed = wanted.filter((_, i) => !reached.has(String(i)));
  assert.deepEqual(missed, [], "Tab does not reach them");
}

/** Opens a dialog by its button and Enter; checks that Tab stays inside, and that Escape gives the focus back. */
async function throughDialog(page: Page, name: string): Promise<void> {
  const button = page.getByRole("button", { name, exact: true }).first();
  await button.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  for (let i = 0; i < 15; i++) {
    await page.keyboard.press("Tab");
    const isOutside = await page.evaluate<boolean>(
      `document.activeElement !== document.body && document.activeElement.closest("dialog") === null`,
    );
    assert.equal(isOutside, false, `${name}: Tab leaves the dialog`);
  }
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  assert.equal(
    await button.evaluate((element) => element === element.ownerDocument.activeElement),
    true,
    `${name}: focus`,
  );
}

Deno.test({
  name: "Tab reaches every control of every screen, where it is seen",
  ...CONSOLE,
  async fn(t) {
    let world: World | undefined;
    await using opened: Console = await openConsole({
      writing: true,
      prepare: async (service) => void (world = await buildWorld(service, { mark: "harbour" })),
    });
    const { page } = opened;
    const { ids, agent } = world!;
    const paths = [
      ...[
        "/",
        "/playground",
        "/playground?q=Where is the vault harbour?",
        "/memory",
        "/review",
        "/sessions",
        "/entities",
      ],
      ...["/graph", "/timeline", "/connect", "/agents", "/recalls", "/audit", "/federation", "/webhooks", "/transfer"],
      ...[`/unit/${ids.facts}`, `/sessions/${ids.session}`, `/agents/${agent}`, `/recalls/${ids.recalls}`],
      `/webhooks/${ids.webhooks}`,
    ];
    for (const path of paths) {
      await t.step(path, async () => {
        await opened.go(path);
        await walk(page);
      });
    }
    await t.step("a narrow window", async () => {
      await page.setViewportSize({ width: 390, height: 844 });
      await opened.go("/memory");
      await page.getByRole("button", { name: "Menu" }).focus();
      await page.keyboard.press("Enter");
      await walk(page);
      await page.getByRole("link", { name: "Review", exact: true }).focus();
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Review" }).waitFor();
    });
  },
});

Deno.test({
  name: "a dialog keeps the focus, closes by Escape, and gives the focus back",
  ...CONSOLE,
  async fn(t) {
    await using opened = await openConsole({ writing: true });
    const { page, seeded } = opened;
    const dialogs = [
      [`/unit/${seeded!.currentFactId}`, "Correct…"],
      [`/unit/${seeded!.currentFactId}`, "Erase…"],
      ["/memory?tag=ops", "Archive all of these…"],
      ["/memory?tag=ops", "Correct…"],
      ["/webhooks", "Add a webhook…"],
      ["/review", "4 Merge…"],
    ] as const;
    for (const [path, name] of dialogs) {
      await t.step(`${name} of ${path.split("/")[1]}`, async () => {
        await opened.go(path);
        await throughDialog(page, name);
      });
    }
    await t.step("what is typed after the key for a merge goes into its field", async () => {
      await opened.go("/review");
      await page.keyboard.press("4");
      await page.locator("dialog textarea:focus").waitFor();
    });
    await t.step("tabs go by arrows", async () => {
      await opened.go(`/unit/${seeded!.currentFactId}`);
      await page.getByRole("tab", { name: "Sources" }).focus();
      await page.keyboard.press("ArrowRight");
      await page.getByRole("tab", { name: "History", selected: true }).waitFor();
      assert.equal(await page.evaluate("document.activeElement.textContent"), "History");
    });
  },
});
