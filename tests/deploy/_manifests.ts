/** The manifests in `deploy/kubernetes`: reading them, and holding them against the schemas of the Kubernetes API. */
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { LOCKED } from "../../scripts/locked.ts";

export const ROOT = join(import.meta.dirname!, "../..");
export const FOLDER = join(ROOT, "deploy/kubernetes");

export interface Manifest {
  /** Where it stands, below `deploy/kubernetes`. */
  readonly file: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Record<string, string> };
  // What stands in it depends on its kind; the schemas check it.
  // deno-lint-ignore no-explicit-any
  readonly [member: string]: any;
}

/** All documents of a YAML file; refuses what YAML itself finds wrong, such as a key that stands twice. */
export async function readDocuments(file: string): Promise<Manifest[]> {
  const documents = parseAllDocuments(await Deno.readTextFile(join(FOLDER, file)), { strict: true, uniqueKeys: true });
  return [...documents].map((document) => {
    const [problem] = [...document.errors, ...document.warnings];
    if (problem !== undefined) throw new Error(`${file}: ${problem.message}`);
    return Object.defineProperty(document.toJS(), "file", { value: file, enumerable: false });
  });
}

/** Paths of all YAML files below `deploy/kubernetes`. */
export async function listFiles(folder = ""): Promise<string[]> {
  const files: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(join(FOLDER, folder))) {
    const path = folder === "" ? name : `${folder}/${name}`;
    if (isDirectory) files.push(...await listFiles(path));
    else files.push(path);
  }
  return files.toSorted();
}

/** The manifests that go to a cluster, those with secrets apart. */
export async function readManifests(): Promise<Manifest[]> {
  const files = (await listFiles()).filter((file) => !file.endsWith("kustomization.yaml"));
  return (await Promise.all(files.map(readDocuments))).flat();
}

/** The module that has the type and the checks of a kind. */
function moduleOf({ apiVersion, kind }: Manifest): string {
  const [name] = apiVersion.split("/");
  const isOperator = name === "monitoring.coreos.com";
  return `${isOperator ? "@kubernetes-models/prometheus-operator" : "kubernetes-models"}/${apiVersion}/${kind}`;
}

/** What the schema of its kind finds wrong with a manifest: missing members, wrong types, values that are none. */
export async function findFaults(manifest: Manifest): Promise<string[]> {
  const Kind = (await import(moduleOf(manifest)))[manifest.kind] as new (data: unknown) => { validate(): void };
  try {
    new Kind({ ...manifest }).validate();
    return [];
  } catch (error) {
    return [`${manifest.file}: ${(error as Error).message}`];
  }
}

/**
 * What the types of their kinds find wrong with manifests, unknown members above all, which the schemas let pass. The
 * compiler is asked: it refuses a literal with a member that its type does not have.
 */
export async function findUnknownMembers(manifests: readonly Manifest[]): Promise<string> {
  const lines = manifests.map((manifest, at) =>
    `import type { I${manifest.kind} as Kind${at} } from ${JSON.stringify(moduleOf(manifest))};\n` +
    `export const manifest${at}: Kind${at} = ${JSON.stringify(manifest)};\n`
  );
  const folder = await Deno.makeTempDir({ prefix: "svc-manifests-" });
  try {
    const file = join(folder, "manifests.ts");
    await Deno.writeTextFile(file, lines.join(""));
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["check", ...LOCKED, "--quiet", "--cached-only", "--config", join(ROOT, "deno.json"), file],
      env: { NO_COLOR: "1" },
      stdin: "null",
    }).output();
    return success ? "" : new TextDecoder().decode(stderr);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
