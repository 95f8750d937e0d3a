/** The workspaces of the served region, read once for all loops. */
import type { Deps } from "../context.ts";
import { listWorkspaces } from "../domain/access/admin/workspaces.ts";
import { perService } from "../domain/common/per_service.ts";

/** How long all loops share one list, in milliseconds. It is the shortest rest of any loop. */
const KEPT_MS = 500;

class ServedWorkspaces {
  readonly #deps: Deps;
  #kept: { readonly ids: Promise<readonly string[]>; readonly at: number } | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * Their ids. A failed read is not cached.
   * @param anew whether to read them in any case
   */
  async list({ anew = false } = {}): Promise<readonly string[]> {
    const now = performance.now();
    if (anew || this.#kept === undefined || now - this.#kept.at >= KEPT_MS) this.#kept = { ids: this.#read(), at: now };
    const kept = this.#kept;
    try {
      return await kept.ids;
    } catch (error) {
      if (this.#kept === kept) this.#kept = undefined;
      throw error;
    }
  }

  async #read(): Promise<readonly string[]> {
    const { region: served } = this.#deps.config;
    const rows = await listWorkspaces(this.#deps, { partial: true });
    return rows.flatMap(({ workspaceId, region }) => served === undefined || region === served ? [workspaceId] : []);
  }
}

export const servedWorkspacesOf = perService((deps) => new ServedWorkspaces(deps));
