/** The console: pages in which a person sees what the memory knows. See `routes.tsx` for how to add a screen. */
import { render } from "preact";
import { App } from "./layout.tsx";
import { begin, followLogins } from "./session.ts";
import { applyTheme } from "./theme.ts";

applyTheme();
followLogins();
render(<App />, document.getElementById("app")!);
await begin();
