/** The generated part of the Python client, as text. */
import { listMembers, type Schema } from "./_openapi_types.ts";
import { dropTwins, joinUnion, printDoc, PythonTypes, toLiteral, toSnake } from "./_python_types.ts";
import { deref, type Document, type InputMember, type SdkOperation } from "./_sdk_operations.ts";

/** Returns the schemas as models. */
export function printModels(document: Document): string {
  const code = document.components.schemas["Problem"]?.properties?.["code"];
  if (code?.enum === undefined) throw new Error("Cannot find the error codes: Problem has no member code");
  return `"""What the service takes and answers."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field

from .._model import OPEN, Model

ErrorCode: TypeAlias = Literal[
${code.enum.map((one) => `    ${toLiteral(one)},\n`).join("")}]
"""Why the service refused a call; it is stable."""


${new PythonTypes(document).printAll()}`.replace(/\n+$/, "\n");
}

/** Returns what a call needs to know of each operation when it runs. */
export function printRoutes({ info }: Document, operations: readonly SdkOperation[]): string {
  const rows = operations.map(({ id, route: { method, path, body, query = [], headers = [] } }) => {
    const lists = [query, headers].map((names) =>
      `(${names.map((name) => `${toLiteral(name)}, `).join("").trimEnd()})`
    );
    return `    "${id}": Route("${method}", "${path}", ${toLiteral(body ?? null)}, ${lists.join(", ")}),\n`;
  });
  return `"""How each operation is asked for."""

from __future__ import annotations

from .._request import Route

VERSION = ${toLiteral(info.version)}
"""The version of the service that this client was made for."""

ROUTES: dict[str, Route] = {
${rows.join("")}}
`;
}

/** Returns a method for each operation, and one for each list in pages. */
export function printMethods(document: Document, operations: readonly SdkOperation[]): string {
  return new Methods(document, operations, SYNC).print();
}

/** The same for asyncio. */
export function printAsyncMethods(document: Document, operations: readonly SdkOperation[]): string {
  return new Methods(document, operations, ASYNC).print();
}

interface Colour {
  readonly doc: string;
  readonly def: string;
  readonly wait: string;
  readonly iterator: string;
  readonly stream: string;
  readonly prefix: string;
}

const SYNC: Colour = {
  ...{ doc: "A method for each operation.", def: "def", wait: "", iterator: "Iterator", stream: "ByteStream" },
  prefix: "",
};
const ASYNC: Colour = {
  ...{ doc: "A method for each operation, for asyncio.", def: "async def", wait: "await ", iterator: "AsyncIterator" },
  ...{ stream: "AsyncByteStream", prefix: "Async" },
};

/** A keyword argument. */
interface Argument {
  readonly name: string;
  readonly wire: string;
  readonly type: string;
  readonly required: boolean;
  /** Null says something of its own, so that leaving it out needs another value. */
  readonly nullable: boolean;
  readonly doc: string;
}

const HEADER_DOCS: Readonly<Record<string, string>> = {
  "if-match": "The version that the resource must still have; otherwise the call fails with \`version_mismatch\`.",
  "idempotency-key": "A name for the change; the same call with the same name happens once. Default: a random one.",
  "x-svc-federation-token": "The proof of a peer.",
};

class Methods {
  readonly #types: PythonTypes;
  readonly #document: Document;
  readonly #operations: readonly SdkOperation[];
  readonly #colour: Colour;

  constructor(document: Document, operations: readonly SdkOperation[], colour: Colour) {
    this.#types = new PythonTypes(document);
    [this.#document, this.#operations, this.#colour] = [document, operations, colour];
  }

  print(): string {
    const { doc, iterator, stream, prefix } = this.#colour;
    const lists = this.#operations.filter(({ route }) => route.pages);
    return `"""${doc}"""

from __future__ import annotations

from collections.abc import ${[iterator, "Mapping", "Sequence"].sort().join(", ")}
from typing import Any, Literal

from .._base import ${prefix}Caller
from .._request import UNSET, File, Unset, nullable
from .._streams import ${stream}
from . import models


class ${prefix}Methods(${prefix}Caller):
    """All operations."""

${this.#operations.map((one) => this.#printMethod(one)).join("\n")}

class ${prefix}Lists:
    """Each list, page by page: it yields the items of all pages, and asks for a page when the one before is used up."""

    def __init__(self, caller: ${prefix}Caller) -> None:
        self._caller = caller

${lists.map((one) => this.#printList(one)).join("\n")}`;
  }

  #printMethod(operation: SdkOperation): string {
    const { id, replies, replyDoc, route } = operation;
    const { def, wait, stream } = this.#colour;
    const output = route.reply === "text" ? "str" : route.reply === "stream" ? stream : this.#typeOf(replies);
    const call = route.reply === "stream" ? "_stream" : "_call";
    const args = [`"${id}"`, ...this.#printValues(operation), ...(call === "_call" ? [output] : [])];
    return [
      this.#printHead(def, operation, output, replyDoc),
      `        return ${wait}self.${call}(${args.join(", ")})\n`,
    ].join("");
  }

  #printList(operation: SdkOperation): string {
    const page = deref<Schema>(this.#document, operation.replies[0]);
    const { items } = page.properties!["data"]!;
    const item = this.#types.print(items ?? true, "", "models.");
    const args = [`"${operation.id}"`, ...this.#printValues(operation), this.#typeOf(operation.replies)];
    return [
      this.#printHead("def", operation, `${this.#colour.iterator}[${item}]`, "The items of all pages, in order."),
      `        return self._caller._pages(${args.join(", ")})\n`,
    ].join("");
  }

  #printHead(def: string, operation: SdkOperation, output: string, replyDoc: string): string {
    const { id, doc } = operation;
    const members = this.#listArguments(operation);
    const all = [...members, ...this.#listHeaders(operation)];
    const parameters = all.map(({ name, type, required, nullable }) => {
      if (required) return `        ${name}: ${type},\n`;
      return nullable
        ? `        ${name}: ${joinUnion([type, "Unset"])} = UNSET,\n`
        : `        ${name}: ${type} | None = None,\n`;
    });
    const signature = all.length === 0 ? "self" : `\n        self,\n        *,\n${parameters.join("")}    `;
    const lines = all.map(({ name, doc }) => doc === "" ? "" : `    ${name}: ${doc.replaceAll("\n", "\n        ")}`);
    const sections = [
      doc,
      lines.every((line) => line === "") ? "" : `Args:\n${lines.filter((line) => line !== "").join("\n")}`,
      replyDoc === "" ? "" : `Returns:\n    ${replyDoc.replaceAll("\n", "\n    ")}`,
      "Raises:\n    SvcError: The service refuses, or cannot be reached.",
    ];
    return `    ${def} ${toSnake(id)}(${signature}) -> ${output}:\n${printDoc(sections, "        ")}\n`;
  }

  #printValues(operation: SdkOperation): string[] {
    const members = this.#listArguments(operation).map(({ wire, name, nullable }) =>
      `"${wire}": ${nullable ? `nullable(${name})` : name}`
    );
    const headers = this.#listHeaders(operation).map(({ wire, name }) => `"${wire}": ${name}`);
    return [members, headers].map((entries) => `{${entries.join(", ")}}`);
  }

  /** A member of one of several bodies may be left out, unless all of them need it. */
  #listArguments({ members, alternatives }: SdkOperation): Argument[] {
    const bodies = alternatives.map((schema) => listMembers(schema));
    const names = [...new Set(bodies.flatMap((body) => body.map(({ name }) => name)))];
    const own = names.map((name): InputMember => {
      const found = bodies.map((body) => body.find((member) => member.name === name));
      const schemas = found.flatMap((member) => member?.schema ?? []);
      const [first] = schemas;
      const isOne = schemas.every((schema) => JSON.stringify(schema) === JSON.stringify(first));
      const schema = isOne ? first! : { anyOf: schemas, description: first!.description ?? "" };
      return { name, required: found.every((member) => member?.required === true), schema };
    });
    const all = dropTwins([...members, ...own]).map((member) => this.#toArgument(member));
    return [...all.filter(({ required }) => required), ...all.filter(({ required }) => !required)];
  }

  #toArgument({ name, required, schema, form }: InputMember): Argument {
    const type = form === "flag" ? "bool" : form === "file" ? "File" : this.#types.printInput(schema);
    const whole = { ...deref<Schema>(this.#document, schema), ...schema };
    const ending = whole.default === undefined ? "" : `Default: ${JSON.stringify(whole.default)}.`;
    const doc = [whole.description ?? "", ending].filter((one) => one !== "").map((one) =>
      one.replace(/[^.!?]$/, "$&.")
    );
    const nullable = this.#types.isNullable(schema);
    return { name: toSnake(name), wire: name, type, required, nullable, doc: doc.join(" ") };
  }

  #listHeaders({ route: { headers = [] } }: SdkOperation): Argument[] {
    return headers.map((wire) => ({
      name: wire.replace(/^x-svc-/, "").replaceAll("-", "_"),
      ...{ wire, required: false, nullable: false, doc: HEADER_DOCS[wire] ?? "" },
      type: wire === "if-match" ? "int | str" : "str",
    }));
  }

  #typeOf(replies: readonly Schema[]): string {
    return [...new Set(replies.map((schema) => this.#types.print(schema, "", "models.")))].join(" | ");
  }
}
