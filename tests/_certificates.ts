/** Certificates for the TLS servers of tests, made by openssl in a folder that is deleted with them. */
import { ok } from "node:assert/strict";
import { certificatePin } from "../src/crypto/certificate_pin.ts";

/** Certificate and key in PEM, and where they are. */
export interface Identity {
  readonly cert: string;
  readonly key: string;
  readonly pin: string;
  readonly files: { readonly cert: string; readonly key: string };
}

export interface IdentityOptions {
  /** The names and addresses of the certificate, as openssl writes them: `DNS:peer.test,IP:127.0.0.1`. */
  readonly names: string;
  /** Whether it is signed by itself and not by the authority. Default false. */
  readonly isSelfSigned?: boolean;
}

export interface CertificateMaker extends AsyncDisposable {
  /** The authority's certificate in PEM. */
  readonly authority: string;
  readonly authorityFile: string;
  make(options: IdentityOptions): Promise<Identity>;
}

export async function createCertificateMaker(): Promise<CertificateMaker> {
  const folder = await Deno.makeTempDir({ prefix: "svc-certificates-" });
  let serial = 0;
  const make = async (extensions: readonly string[], more: readonly string[]): Promise<Identity> => {
    const name = `${folder}/${++serial}`;
    const files = { cert: `${name}.pem`, key: `${name}.key` };
    const { success, stderr } = await new Deno.Command("openssl", {
      args: [
        ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
        ...["-subj", `/CN=${serial}.test`, "-out", files.cert, "-keyout", files.key],
        ...extensions.flatMap((extension) => ["-addext", extension]),
        ...more,
      ],
      stdin: "null",
    }).output();
    ok(success, new TextDecoder().decode(stderr));
    const cert = await Deno.readTextFile(files.cert);
    return { cert, key: await Deno.readTextFile(files.key), pin: certificatePin(cert)!, files };
  };
  const authority = await make([], ["-days", "8"]);
  return {
    authority: authority.cert,
    authorityFile: authority.files.cert,
    make: ({ names, isSelfSigned = false }) =>
      make([`subjectAltName=${names}`, "basicConstraints=critical,CA:false"], [
        ...["-days", "8"],
        ...(isSelfSigned ? [] : ["-CA", authority.files.cert, "-CAkey", authority.files.key]),
      ]),
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}
