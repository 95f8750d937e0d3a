/** Python types of the JSON Schemas that occur in the OpenAPI document, as text: models of pydantic. */
import { isObject, listMembers, type Member, type Schema } from "./_openapi_types.ts";
import { deref, type Document } from "./_sdk_operations.ts";

/** A schema with what only Python's types need of it. */
type Formed = Schema & { readonly format?: string };

/** Names that a member cannot have in Python: keywords, members of every model, and names that annotations use. */
const TAKEN = new Set(
  ("False None True and as assert async await break class continue def del elif else except finally for from global " +
    "if import in is lambda nonlocal not or pass raise return try while with yield self " +
    "copy dict json schema validate construct list str int float bool datetime").split(" "),
);

/** `externalId` → `external_id`; `from` → `from_`. */
export function toSnake(name: string): string {
  const words = name.replaceAll(/\W/g, "_");
  const snake = /[a-z]/.test(words) ? words.replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase() : words;
  if (!/^[A-Za-z]\w*$/.test(snake)) throw new Error(`Cannot name a member ${name} in Python`);
  return TAKEN.has(snake) ? `${snake}_` : snake;
}

/** What a model makes of the name of a member by itself. */
const toWire = (name: string) =>
  name.replace(/_$/, "").replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

const toPascal = (name: string) => name[0]!.toUpperCase() + name.slice(1);

/** Prints types and collects the models that they need. */
export class PythonTypes {
  readonly #document: Document;
  readonly #classes: string[] = [];
  readonly #aliases = new Map<string, { readonly text: string; readonly needs: ReadonlySet<string> }>();
  /** The members by which unions are told apart: their values stay closed. */
  readonly #deciding = new Map<string, Set<string>>();

  constructor(document: Document) {
    this.#document = document;
    for (const schema of Object.values(document.components.schemas)) this.#findDeciding(schema);
  }

  /** Returns all named schemas: models, then aliases, each after those that it needs. */
  printAll(): string {
    for (const [name, schema] of Object.entries(this.#document.components.schemas)) this.#declare(name, schema);
    const ordered: string[] = [];
    const visit = (name: string, above: readonly string[]): void => {
      const alias = this.#aliases.get(name);
      if (alias === undefined || ordered.includes(alias.text)) return;
      if (above.includes(name)) throw new Error(`Cannot write the alias ${name}: it holds itself`);
      for (const one of alias.needs) visit(one, [...above, name]);
      ordered.push(alias.text);
    };
    for (const name of this.#aliases.keys()) visit(name, []);
    return [...this.#classes, ...ordered].join("\n\n");
  }

  /** Whether a value may be null, wherever that is said. */
  isNullable(schema: Schema): boolean {
    const whole = deref<Schema>(this.#document, schema);
    const union = whole.anyOf ?? whole.oneOf ?? [];
    const isFree = !["type", "enum", "const", "anyOf", "oneOf", "format"].some((word) => word in whole);
    return isFree || [whole.type ?? []].flat().includes("null") || whole.enum?.includes(null) === true ||
      union.some((one) => this.isNullable(one));
  }

  /** Whether a value can be, or hold, what a model describes. */
  #holdsModel(schema: Schema | boolean): boolean {
    if (typeof schema === "boolean") return false;
    const whole = deref<Schema>(this.#document, schema);
    return isModel(whole) || (whole.anyOf ?? whole.oneOf ?? []).some((one) => this.#holdsModel(one)) ||
      (whole.items !== undefined && this.#holdsModel(whole.items));
  }

  /** The type of what a caller gives: where a model is asked for, a dict with the names of the API will do. */
  printInput(schema: Schema): string {
    const whole = deref<Schema>(this.#document, schema);
    const nullable = this.isNullable(schema) ? ["None"] : [];
    const union = whole.anyOf ?? whole.oneOf;
    if (whole.enum === undefined && union !== undefined && whole.type === undefined) {
      return joinUnion([...union.map((one) => this.printInput(one)), ...nullable]);
    }
    if ([whole.type ?? []].flat().includes("array") && typeof whole.items === "object") {
      return joinUnion([`Sequence[${this.printInput(whole.items)}]`, ...nullable]);
    }
    if (schema.$ref === undefined && schema.enum !== undefined) return literal(schema.enum);
    if (!isObject(whole)) return this.print(schema, "", "models.");
    if (!isModel(whole)) return joinUnion(["Mapping[str, Any]", ...nullable]);
    const own = schema.$ref === undefined ? [] : [`models.${nameOf(schema.$ref)}`];
    return joinUnion([...own, "Mapping[str, Any]", ...nullable]);
  }

  /** The type of what the service answers, or of a member of a model. `place` names models without a name. */
  print(schema: Schema | boolean, place: string, prefix = ""): string {
    if (typeof schema === "boolean") return "Any";
    if (schema.$ref !== undefined) return prefix + nameOf(schema.$ref);
    if (schema.const !== undefined) return literal([schema.const]);
    if (schema.enum !== undefined) return this.#printEnum(schema.enum, place);
    const { format, type } = schema as Formed;
    const formats = ((schema.anyOf ?? []) as Formed[]).flatMap((one) => one.format ?? []);
    const union = schema.anyOf ?? schema.oneOf;
    if (union !== undefined && formats.length === 0) {
      const text = joinUnion(union.map((one, i) => this.print(one, `${place}${i + 1}`, prefix)));
      const { propertyName } = (schema.discriminator ?? {}) as { readonly propertyName?: string };
      return propertyName === undefined ? text : `Annotated[${text}, Field(discriminator="${toSnake(propertyName)}")]`;
    }
    const types = [type ?? (isObject(schema) ? "object" : [])].flat();
    if (types.length === 0) return "Any";
    const isTime = format === "date-time" || formats.length > 0;
    return joinUnion(types.flatMap((one) => {
      if (one === "string" && isTime) return formats.length > 0 ? ["datetime", "str"] : ["datetime"];
      return this.#printPlain(one, schema, place, prefix);
    }));
  }

  #printPlain(type: string, schema: Schema, place: string, prefix: string): string {
    const plain = { string: "str", integer: "int", number: "float", boolean: "bool", null: "None" }[type];
    if (plain !== undefined) return plain;
    if (type === "array") {
      if (schema.prefixItems !== undefined) {
        return `tuple[${schema.prefixItems.map((one, i) => this.print(one, `${place}${i + 1}`, prefix)).join(", ")}]`;
      }
      return `list[${this.print(schema.items ?? true, `${place}Item`, prefix)}]`;
    }
    if (type !== "object") throw new Error(`Cannot write a type for ${JSON.stringify(schema)}: ${type} is unknown`);
    if (!isModel(schema)) return `dict[str, ${this.print(freeOf(schema), `${place}Value`, prefix)}]`;
    this.#declareModel(place, schema);
    return place;
  }

  /** A value that a later service has is no fault; a value that decides between models is. */
  #printEnum(values: readonly unknown[], place: string): string {
    const isOpen = !this.#isDeciding(place) && values.some((value) => typeof value === "string");
    return isOpen ? `Annotated[${literal(values)}, OPEN]` : literal(values);
  }

  #isDeciding(place: string): boolean {
    const [model, member] = place.split(".");
    return this.#deciding.get(model!)?.has(member ?? "") === true;
  }

  #findDeciding(schema: Schema): void {
    const { propertyName } = (schema.discriminator ?? {}) as { readonly propertyName?: string };
    for (const { $ref } of propertyName === undefined ? [] : schema.oneOf ?? schema.anyOf ?? []) {
      if ($ref === undefined) throw new Error(`Cannot tell a union apart by ${propertyName}: a part has no name`);
      const model = nameOf($ref);
      this.#deciding.set(model, (this.#deciding.get(model) ?? new Set()).add(propertyName!));
    }
  }

  #declare(name: string, schema: Schema): void {
    if (isModel(schema)) return this.#declareModel(name, schema);
    const type = this.print(schema, name);
    const needs = new Set([...type.matchAll(/\b[A-Z]\w*/g)].map(([word]) => word));
    const doc = schema.description === undefined ? "" : `${printDoc([schema.description], "")}\n`;
    this.#aliases.set(name, { text: `${name}: TypeAlias = ${type}\n${doc}`, needs });
  }

  #declareModel(name: string, schema: Schema): void {
    const lines = dropTwins(listMembers(schema)).map((member) => this.#printField(name, member));
    if (schema.description !== undefined) lines.unshift(printDoc([schema.description], "    ") + "\n");
    const free = freeOf(schema);
    const rest = typeof free === "boolean" || Object.keys(free).length === 0
      ? undefined
      : this.print(free, `${name}Value`);
    if (rest !== undefined) {
      lines.push(
        `    __pydantic_extra__: dict[str, ${rest}] = Field(init=False)  # pyright: ignore[reportIncompatibleVariableOverride]\n`,
      );
    }
    const text = `class ${name}(Model):\n${lines.join("\n") || "    pass\n"}`;
    if (this.#classes.some((one) => one.startsWith(`class ${name}(`))) {
      throw new Error(`Cannot write the model ${name}: another has its name`);
    }
    this.#classes.push(text);
  }

  #printField(model: string, { name, schema, required }: Member): string {
    const python = toSnake(name);
    const decides = this.#isDeciding(`${model}.${name}`);
    const type = this.print(schema, decides ? `${model}.${name}` : `${model}${toPascal(name)}`);
    const alias = toWire(python) === name ? [] : [`validation_alias="${name}"`, `serialization_alias="${name}"`];
    const { default: value } = schema;
    let absent: string[] = [];
    if (!required) {
      if (value === undefined || value === null) absent = ["default=None"];
      else if (Array.isArray(value)) absent = ["default_factory=list"];
      else if (typeof value === "object") absent = ["default_factory=dict"];
      else absent = [`default=${toLiteral(value)}`];
    }
    const settings = [...absent, ...alias];
    const whole = absent[0] === "default=None" && !this.isNullable(schema) ? `${type} | None` : type;
    const simple = settings.length === 1 ? /^default=(.*)$/.exec(settings[0]!)?.[1] : undefined;
    const given = settings.length === 0
      ? ""
      : simple !== undefined
      ? ` = ${simple}`
      : ` = Field(${settings.join(", ")})`;
    const { description = "" } = { ...deref<Schema>(this.#document, schema), ...schema };
    return `    ${python}: ${whole}${given}\n${description === "" ? "" : printDoc([description], "    ") + "\n"}`;
  }
}

/** Leaves out another spelling of a name that Python has already. */
export function dropTwins<T extends { readonly name: string }>(members: readonly T[]): T[] {
  const names = members.map(({ name }) => toSnake(name));
  return members.filter((_, i) => names.indexOf(names[i]!) === i);
}

/** Whether a schema is an object with members of its own, so that a model stands for it. */
function isModel(schema: Schema): boolean {
  return isObject(schema) && schema.properties !== undefined;
}

/** The schema of members without a name. */
function freeOf({ additionalProperties: free, properties }: Schema): Schema | boolean {
  if (free === undefined) return properties === undefined ? true : false;
  return free;
}

function literal(values: readonly unknown[]): string {
  return `Literal[${values.map(toLiteral).join(", ")}]`;
}

export function toLiteral(value: unknown): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  return JSON.stringify(value);
}

export function joinUnion(types: readonly string[]): string {
  const all = [...new Set(types.flatMap(splitUnion))];
  if (all.includes("Any")) return "Any";
  // Python reads None best at the end.
  return [...all.filter((one) => one !== "None"), ...all.filter((one) => one === "None")].join(" | ");
}

/** A bar within brackets belongs to a part of the type. */
function splitUnion(type: string): string[] {
  let depth = 0;
  const bars = [...type].map((letter) => {
    depth += Number(letter === "[") - Number(letter === "]");
    return depth === 0 && letter === "|" ? "\n" : letter;
  });
  return bars.join("").split("\n").map((part) => part.trim());
}

/** Returns a docstring of these paragraphs. */
export function printDoc(paragraphs: readonly string[], indent: string): string {
  const text = paragraphs.filter((one) => one !== "").join("\n\n").replaceAll("\\", "\\\\").replaceAll('"""', "'''");
  const lines = text.split("\n").map((line) => `${indent}${line}`.trimEnd());
  const end = lines.length > 1 ? `\n${indent}` : lines[0]!.endsWith('"') ? " " : "";
  return `${indent}"""${lines.join("\n").trimStart()}${end}"""`;
}

function nameOf(ref: string): string {
  return ref.split("/").at(-1)!;
}
