/** Light or dark, as the system says or as the person chose. */
import { signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";
const NAME = "svc-console-theme";

export const theme = signal<Theme>(readTheme());

function readTheme(): Theme {
  const kept = localStorage.getItem(NAME);
  return kept === "light" || kept === "dark" ? kept : "system";
}

/** Shows the page in the present theme. */
export function applyTheme(): void {
  if (theme.value === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme.value;
}

export function setTheme(to: Theme): void {
  theme.value = to;
  if (to === "system") localStorage.removeItem(NAME);
  else localStorage.setItem(NAME, to);
  applyTheme();
}
