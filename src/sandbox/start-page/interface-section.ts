import { html } from "hono/html";
import { z } from "zod";

/** The parts of the document that the page shows. */
const documentSchema = z.object({
  tags: z.array(z.object({ name: z.string(), description: z.string() })),
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        operationId: z.string(),
        summary: z.string(),
        tags: z.array(z.string()),
        security: z.array(z.record(z.string(), z.unknown())).optional(),
        parameters: z
          .array(
            z.object({
              name: z.string(),
              in: z.string(),
              required: z.boolean().optional(),
              schema: z.looseObject({
                default: z.union([z.string(), z.number(), z.boolean()]).optional(),
                example: z.union([z.string(), z.number(), z.boolean()]).optional(),
                description: z.string().optional(),
              }),
            }),
          )
          .optional(),
      }),
    ),
  ),
});

type Operation = z.output<typeof documentSchema>["paths"][string][string];
type Entry = { readonly method: string; readonly path: string; readonly operation: Operation };

/** The interface as people read it, made from the document that checks requests. */
export function interfaceSection(document: unknown) {
  const { tags, paths } = documentSchema.parse(document);
  const entries = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Entry => ({ method, path, operation })),
  );
  return html`${tags.map(({ name, description }) => {
    const own = entries.filter(({ operation }) => operation.tags.includes(name));
    return own.length === 0
      ? ""
      : html`<h3>${description}</h3>
          ${own.map(describeEntry)}`;
  })}`;
}

function describeEntry({ method, path, operation }: Entry) {
  const { summary, parameters = [], security = [] } = operation;
  return html`<details>
    <summary><code>${method.toUpperCase()} ${path}</code> ${summary}</summary>
    <p>${needs(security)}</p>
    ${
      parameters.length === 0
        ? ""
        : html`<table>
            <thead>
              <tr>
                <th>Parameter</th>
                <th>In</th>
                <th>Default</th>
                <th>Is</th>
              </tr>
            </thead>
            <tbody>
              ${parameters.map(describeParameter)}
            </tbody>
          </table>`
    }
  </details>`;
}

function describeParameter({
  name,
  in: place,
  required,
  schema,
}: NonNullable<Operation["parameters"]>[number]) {
  const example = schema.example === undefined ? "" : `such as ${shown(schema.example)}`;
  return html`<tr>
    <td><code>${name}</code></td>
    <td>${place}</td>
    <td>${required === true ? "required" : schema.default === undefined ? "" : shown(schema.default)}</td>
    <td>${[schema.description, example].filter(Boolean).join("; ")}</td>
  </tr>`;
}

function needs(security: NonNullable<Operation["security"]>): string {
  const names = security.flatMap((each) => Object.keys(each));
  if (names.includes("secret")) return "Needs the key and the secret.";
  if (names.length === 0) return "Needs no key.";
  return security.some((each) => Object.keys(each).length === 0)
    ? "Needs no key; with one, only its providers are asked."
    : "Needs the key.";
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
