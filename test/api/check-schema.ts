/** As much of JSON Schema as our own document uses; a keyword that is not known here is a failure, not a pass. */
export interface JsonSchema {
  [keyword: string]: unknown;
  type?: string | string[];
  $ref?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema;
  enum?: unknown[];
  const?: unknown;
  anyOf?: JsonSchema[];
  allOf?: JsonSchema[];
  pattern?: string;
}

const silent = [
  "description",
  "example",
  "format",
  "default",
  "minimum",
  "maximum",
  "minItems",
  "maxItems",
  "minLength",
  "maxLength",
];
const known = new Set([
  "type",
  "$ref",
  "properties",
  "required",
  "additionalProperties",
  "items",
  "enum",
  "const",
  "anyOf",
  "allOf",
  "pattern",
  "propertyNames",
  ...silent,
]);

/** What does not fit, each with its path; nothing when all does. */
export function checkSchema(
  components: Record<string, JsonSchema>,
  schema: JsonSchema,
  value: unknown,
  path = "$",
): string[] {
  const strange = Object.keys(schema).filter((keyword) => !known.has(keyword));
  if (strange.length > 0) return [`${path}: the schema says ${strange.join(", ")}`];
  const within = (inner: JsonSchema, part: unknown, at = path) => checkSchema(components, inner, part, at);
  const found: string[] = [];
  if (schema.$ref !== undefined) {
    const target = components[schema.$ref.replace("#/components/schemas/", "")];
    return target === undefined ? [`${path}: no ${schema.$ref}`] : within(target, value);
  }
  if (schema.anyOf && !schema.anyOf.some((one) => within(one, value).length === 0))
    found.push(`${path}: fits none of anyOf`);
  for (const one of schema.allOf ?? []) found.push(...within(one, value));
  if (schema.type !== undefined && ![schema.type].flat().some((type) => isOf(type, value))) {
    return [`${path}: is ${JSON.stringify(value)}, not ${String(schema.type)}`];
  }
  if (schema.enum && !schema.enum.includes(value))
    found.push(`${path}: ${JSON.stringify(value)} is not in enum`);
  if ("const" in schema && schema.const !== value)
    found.push(`${path}: is not ${JSON.stringify(schema.const)}`);
  if (schema.pattern !== undefined && typeof value === "string" && !new RegExp(schema.pattern).test(value)) {
    found.push(`${path}: ${value} does not match`);
  }
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      found.push(...within(schema.items ?? {}, item, `${path}[${index}]`));
  } else if (typeof value === "object" && value !== null) {
    found.push(...checkObject(components, schema, value as Record<string, unknown>, path));
  }
  return found;
}

function checkObject(
  components: Record<string, JsonSchema>,
  schema: JsonSchema,
  value: Record<string, unknown>,
  path: string,
): string[] {
  const { properties = {}, required = [], additionalProperties = true } = schema;
  const found = required
    .filter((name) => value[name] === undefined)
    .map((name) => `${path}.${name}: missing`);
  for (const [name, part] of Object.entries(value)) {
    const own = properties[name];
    if (own) found.push(...checkSchema(components, own, part, `${path}.${name}`));
    else if (additionalProperties === false) found.push(`${path}.${name}: not in the schema`);
    else if (typeof additionalProperties === "object")
      found.push(...checkSchema(components, additionalProperties, part, `${path}.${name}`));
  }
  return found;
}

function isOf(type: string, value: unknown): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "integer") return Number.isInteger(value);
  if (type === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  return typeof value === type;
}
