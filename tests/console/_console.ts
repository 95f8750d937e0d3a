/**
 * The console in a real browser, on a seeded workspace: `await using opened = await openConsole({ path: "/playground" })`.
 */
import assert from "node:assert/strict";
import axe from "axe-core";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import type { Scope } from "../../src/schema/scopes.ts";
import type { Sensitivity } from "../../src/schema/common.ts";
import { CHROMIUM } from "../_programs.ts";
import { startService, type TestService } from "../_service.ts";
import { seed, type Seeded } from "./_seed.ts";

/** Whether the tests of this folder can run here. */
export const CONSOLE = { ignore: CHROMIUM === undefined };

export interface ConsoleOptions {
  /** The screen, such as `/playground`; default: the first one. */
  readonly path?: string;
  /** The scopes of the key that logs in; default: all. */
  readonly scopes?: readonly Scope[];
  readonly maxSensitivity?: Sensitivity;
  /** Whether the session may change something; default: it only reads. */
  readonly writing?: boolean;
  /** Whether somebody logs in; default: true. */
  readonly isLoggedIn?: boolean;
  /** An own workspace instead of the seeded one: gets the service before the page opens. */
  readonly prepare?: (service: TestService) => Promise<unknown>;
  readonly clock?: () => Date;
  /** Further environment variables of the service, and the port on which it listens; default: any. */
  readonly env?: Readonly<Record<string, string>>;
  readonly port?: number;
  readonly rateLimit?: { readonly perMinute: number; readonly burst: number };
}

const ARGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"];
/**
 * The browser of all tests of a process that the runner started: each opens a context of its own, which shares nothing with
 * the others. It starts before the first test, so that it is no test's resource, and ends with the process.
 */
const shared = CHROMIUM !== undefined && Deno.env.has("SVC_TEST_RUN") ? await launch() : undefined;

function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM!, headless: true, args: ARGS });
}

const WIDTHS = { wide: { width: 1280, height: 900 }, narrow: { width: 390, height: 844 } } as const;

export class Console implements AsyncDisposable {
  /** What the policy of the page refused, and faults that the page did not handle. */
  readonly faults: string[] = [];

  constructor(
    readonly service: TestService,
    readonly url: string,
    /** The key that logs in. */
    readonly key: string,
    readonly seeded: Seeded | undefined,
    readonly context: BrowserContext,
    readonly page: Page,
    readonly stack: AsyncDisposableStack,
  ) {}

  /** Goes to a screen and waits until it has loaded what it shows. */
  async go(path: string): Promise<void> {
    await this.page.goto(`${this.url}/console/#${path}`);
    await this.settled();
  }

  /**
   * Resolves when nothing on the page is loading. What begins to load because of what was loaded, or after a new address,
   * shows it only in the frame that follows, so that one calm frame says nothing.
   */
  async settled(): Promise<void> {
    await this.page.waitForFunction(() => {
      // deno-lint-ignore no-explicit-any
      const page = globalThis as any, { document } = page;
      const isCalm = document.querySelector("h1") !== null &&
        document.querySelector(".loading, [aria-busy=true]") === null;
      page.calmFrames = isCalm ? (page.calmFrames ?? 0) + 1 : 0;
      if (page.calmFrames < 4) return false;
      page.calmFrames = 0;
      return true;
    });
  }

  /** Types the key into the login and sends it. */
  async logIn(key = this.key): Promise<void> {
    await this.page.getByLabel("Key").fill(key);
    await this.page.getByRole("button", { name: "Log in" }).click();
  }

  /** Turns the switch that allows changes. */
  async allowChanges(): Promise<void> {
    await this.page.getByRole("switch", { name: "Read only" }).click();
    await this.page.getByRole("switch", { name: /Changes allowed/ }).waitFor();
  }

  /** Checks that the screen breaks no rule of accessibility and nothing of the page's policy, in both themes and widths. */
  async check(name: string): Promise<void> {
    for (const scheme of ["light", "dark"] as const) {
      for (const [width, size] of Object.entries(WIDTHS)) {
        await this.page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
        await this.page.setViewportSize(size);
        await this.settled();
        await this.shoot(`${name}-${scheme}-${width}`);
        const where = `${name}, ${scheme}, ${width}`;
        assert.deepEqual(await this.#violations(), [], `accessibility of ${where}`);
        assert.equal(await this.#overflow(), 0, `${where}: the page is wider than the window`);
      }
    }
    await this.page.setViewportSize(WIDTHS.wide);
    assert.deepEqual(this.faults, [], `faults of ${name}`);
  }

  /** Keeps a picture in the folder that SVC_TEST_CONSOLE_SHOTS names, if it does. */
  async shoot(name: string): Promise<void> {
    const folder = Deno.env.get("SVC_TEST_CONSOLE_SHOTS");
    if (folder === undefined) return;
    await Deno.mkdir(folder, { recursive: true });
    await this.page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
  }

  async #violations(): Promise<string[]> {
    const found = await this.page.evaluate(`${axe.source}; axe.run(document, { resultTypes: ["violations"] })`);
    const { violations } = found as { violations: { id: string; help: string; nodes: { html: string }[] }[] };
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 200)}`)
    );
  }

  /** By how many pixels the page is wider than the window. */
  async #overflow(): Promise<number> {
    return await this.page.evaluate<number>(
      "Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)",
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stack.disposeAsync();
  }
}

/** Serves a seeded workspace, and opens the console in a browser of its own. */
export async function openConsole(options: ConsoleOptions = {}): Promise<Console> {
  await using stack = new AsyncDisposableStack();
  const service = stack.use(
    await startService({ ...(options.clock && { clock: options.clock }), ...(options.env && { env: options.env }) }),
  );
  const seeded = options.prepare === undefined ? await seed(service) : undefined;
  await options.prepare?.(service);
  const { scopes, maxSensitivity, rateLimit } = options;
  const key = await service.createKey({
    ...(scopes && { scopes }),
    ...(maxSensitivity && { maxSensitivity }),
    ...(rateLimit && { rateLimit }),
  });
  const { url } = service.listen(options.port);
  const browser = shared ?? await launch();
  if (browser !== shared) stack.defer(() => browser.close());
  const context = await browser.newContext({ viewport: WIDTHS.wide, locale: "en-GB", timezoneId: "UTC" });
  stack.defer(() => context.close());
  await context.addInitScript(`addEventListener("securitypolicyviolation", (event) =>
    console.error("policy: " + event.violatedDirective + " " + event.blockedURI + " " + event.sample))`);
  const page = await context.newPage();
  const opened = new Console(service, url, key, seeded, context, page, stack.move());
  page.on("pageerror", (error) => opened.faults.push(String(error)));
  page.on("console", (message) => {
    if (/^policy:|Content Security Policy/.test(message.text())) opened.faults.push(message.text());
  });
  await page.goto(`${url}/console/`);
  if (options.isLoggedIn === false) return opened;
  await opened.logIn();
  await page.getByRole("navigation", { name: "Screens" }).waitFor({ state: "attached" });
  if (options.writing) await opened.allowChanges();
  await opened.go(options.path ?? "/");
  return opened;
}
