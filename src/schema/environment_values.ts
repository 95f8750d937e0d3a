/** The forms that variables of the environment have: how each is checked and read. */
import { z } from "zod";

/** A whole number. */
export const int = (fallback: number, min: number, max: number) =>
  z.coerce.number().int().min(min).max(max).default(fallback);
/** How to connect to Postgres. */
export const postgresUrl = z.string().regex(/^postgres(ql)?:\/\//, "must be a postgres:// URL");
/** The address of a service. */
export const httpUrl = z.url({ protocol: /^https?$/ });
/** The address under which clients reach the service, without a slash at its end. */
export const publicUrl = z.string().max(500).transform((text) => text.replace(/\/$/, "")).refine(
  (text) => /^https?:/.test(text) && URL.parse(text)?.href.replace(/\/$/, "") === text && !/[?#@]/.test(text),
  "must be an http or https URL in its standard form, without credentials, query and fragment",
);
/** A secret of the operator. It must not begin like a key: the service decides by the prefix of a token how to check it. */
export const adminSecret = z.string().regex(
  /^(?!svc_live_|mk_admin_|mk_broker_)[!-~]{32,200}$/,
  "must be 32 to 200 visible characters",
);
/** A switch. */
export const onOff = (fallback: "on" | "off") => z.enum(["on", "off"]).default(fallback);
/** `a,b`: what is between the commas, without spaces around it. */
export const textList = z.string().transform((text) =>
  text.split(",").map((part) => part.trim()).filter((part) => part !== "")
);
const words = z.string().transform((text) => text.split(/[\s,]+/).filter((word) => word !== ""));
/** `a.example b.example`: names of hosts without ports, apart by spaces or commas. */
export const hostList = words.pipe(
  z.array(
    z.string().regex(/^[a-z0-9]([a-z0-9._-]{0,251}[a-z0-9])?$/i, "must be names of hosts, without ports")
      .transform((name) => name.toLowerCase()),
  ).max(100),
);
/** `https://a.example http://localhost:5173`: origins as browsers send them. */
export const originList = words.pipe(
  z.array(
    z.string().refine(
      (text) => /^https?:[^*]+$/.test(text) && URL.parse(text)?.origin === text,
      "must be origins such as https://app.example, without a path; * stands for none",
    ),
  ).max(100),
);
/** `name=value,name=value`, values percent-encoded, as OpenTelemetry writes headers. */
export const headerList = z.string().refine(
  (text) => readHeaderList(text) !== undefined,
  "must be name=value,name=value",
)
  .transform((text) => readHeaderList(text)!);

/** `b=postgres://… c=postgres://…`: further clusters by their names, between spaces or line breaks. */
export const clusterList = z.string().transform((text) =>
  text.split(/\s+/).filter((part) => part !== "").map((part) => {
    const [, name = "", url = ""] = /^([^=]*)=(.*)$/.exec(part) ?? [];
    return { name, url };
  })
).pipe(
  z.array(z.strictObject({
    name: z.string().regex(/^[a-z][a-z0-9-]{0,29}$/, "a name has up to 30 of a-z, 0-9 and -, the first a letter")
      .refine(
        (name) => name !== "home",
        "home is DATABASE_URL",
      ),
    url: postgresUrl,
  })).max(100).refine(
    (list) => new Set(list.map(({ name }) => name)).size === list.length,
    "two have the same name",
  ),
);

function readHeaderList(text: string): Record<string, string> | undefined {
  const headers: Record<string, string> = {};
  for (const pair of text.split(",")) {
    const [, name, value] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*([!-~ ]*?)\s*$/.exec(pair) ?? [];
    if (name === undefined || value === undefined) return undefined;
    try {
      headers[name.toLowerCase()] = decodeURIComponent(value);
    } catch {
      return undefined;
    }
  }
  return headers;
}
