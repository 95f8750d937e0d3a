/** Makes the outbound client that the configuration describes. */
import type { Config } from "../config.ts";
import { ServiceError } from "../errors.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { Outbound } from "./client.ts";
import type { NameServer } from "./lookup.ts";
import type { TlsFiles } from "./socket.ts";

/**
 * Reads the certificates and makes the outbound client.
 * @throws ServiceError `validation_failed` that names the variable whose file cannot be read or holds no certificate
 */
export async function createOutbound(
  config: Config,
  { clock: now, nameServer, metrics }: {
    readonly clock: () => Date;
    readonly nameServer: NameServer | undefined;
    readonly metrics: Metrics;
  },
): Promise<Outbound> {
  const { ports, allowed } = config.outbound;
  const tls = await readTlsFiles(config);
  const onResult = (use: string, result: string) => metrics.countOutboundRequest(use, result);
  try {
    return new Outbound({ ports, allowed, tls, now, onResult, nameServer });
  } catch (cause) {
    const files = "SVC_FEDERATION_CA_FILE, or SVC_FEDERATION_CLIENT_CERT_FILE and its key";
    throw new ServiceError("validation_failed", `Cannot use the certificates of ${files}`, { cause });
  }
}

async function readTlsFiles({ outbound }: Config): Promise<TlsFiles> {
  const read = async (name: string, path: string | undefined) => {
    try {
      return path === undefined ? undefined : await Deno.readTextFile(path);
    } catch (cause) {
      throw new ServiceError("validation_failed", `Cannot read the file of ${name}`, { cause });
    }
  };
  const authorities = await read("SVC_FEDERATION_CA_FILE", outbound.authoritiesFile);
  const certificate = await read("SVC_FEDERATION_CLIENT_CERT_FILE", outbound.clientCertificateFile);
  const key = await read("SVC_FEDERATION_CLIENT_KEY_FILE", outbound.clientKeyFile);
  return { authorities, client: certificate === undefined || key === undefined ? undefined : { certificate, key } };
}
