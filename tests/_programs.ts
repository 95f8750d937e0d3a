/** Programs that some tests need; undefined if not installed: then the runner reports it, and `.ci/run` fails. */
function find(...names: readonly string[]): string | undefined {
  for (const folder of ["/usr/bin", "/usr/sbin", "/usr/local/bin"]) {
    for (const name of names) {
      try {
        if (Deno.statSync(`${folder}/${name}`).isFile) return `${folder}/${name}`;
      } catch {
        // Not here.
      }
    }
  }
  return undefined;
}

export const CHROMIUM = find("chromium", "chromium-browser", "google-chrome");
export const FAKETIME = find("faketime");
export const HAPROXY = find("haproxy");
export const NODE = Deno.env.get("SVC_TEST_NODE") ?? find("node");
export const NPM = Deno.env.get("SVC_TEST_NPM") ?? find("npm");
export const PGBOUNCER = Deno.env.get("SVC_TEST_PGBOUNCER") ?? find("pgbouncer");
export const PROMTOOL = find("promtool");
export const REDIS_SERVER = find("redis-server");
