import { html } from "hono/html";
import type { Child } from "hono/jsx";
import type { OpenApiDocument } from "../openapi.ts";
import { problemCodes } from "../problem-codes.ts";

/** The parts of an operation that the page shows; the document has more. */
interface Operation {
  operationId?: string;
  summary?: string;
  description?: string;
  tags?: string[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema?: unknown }> };
  responses: Record<string, { description: string; content?: Record<string, { example?: unknown }> }>;
}

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: {
    type?: string;
    enum?: string[];
    default?: string | number | boolean;
    description?: string;
    example?: unknown;
  };
}

interface Entry {
  method: string;
  path: string;
  operation: Operation;
}

export type Page = ReturnType<typeof html>;

export function referencePage(document: OpenApiDocument): Page {
  const entries = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Operation>).map(([method, operation]) => ({
      method,
      path,
      operation,
    })),
  );
  const described = document.tags ?? [];
  const named = new Set(entries.flatMap(({ operation }) => operation.tags ?? []));
  const others = [...named].filter((name) => !described.some((tag) => tag.name === name));
  const tags = [
    ...described.filter(({ name }) => named.has(name)),
    ...others.map((name) => ({ name, description: "" })),
  ];
  const of = (tag: string) => entries.filter(({ operation }) => operation.tags?.includes(tag));
  return page(
    "tieout: API reference",
    <>
      <h1>API reference</h1>
      <p>{document.info.description}</p>
      <p>
        Send an API key as <code>Authorization: Bearer tieout_…</code>, or as the user name of Basic with an
        empty password. The machine-readable form is <a href="/openapi.json">openapi.json</a>; all error codes
        are on <a href="/docs/errors">a page of their own</a>.
      </p>
      <nav aria-label="Operations">
        <ul>
          {entries.map(({ operation }) => (
            <li>
              <a href={`#${operation.operationId}`}>{operation.operationId}</a>
            </li>
          ))}
        </ul>
      </nav>
      {tags.map(({ name, description }) => (
        <section>
          <h2>{name}</h2>
          <p>{description}</p>
          {of(name).map(describe)}
        </section>
      ))}
    </>,
  );
}

export function errorsPage(): Page {
  return page(
    "tieout: error codes",
    <>
      <h1>Error codes</h1>
      <p>
        Every error is a problem document (RFC 9457). Decide by <code>code</code>: it is stable, the words are
        not. <a href="/docs">Back to the interface.</a>
      </p>
      <table>
        <caption>All codes</caption>
        <thead>
          <tr>
            <th scope="col">Code</th>
            <th scope="col">Status</th>
            <th scope="col">Meaning</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(problemCodes).map(([code, { status, title, meaning }]) => (
            <tr id={code}>
              <th scope="row">
                <code>{code}</code>
              </th>
              <td>{status}</td>
              <td>
                {title}. {spell(meaning)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>,
  );
}

function describe({ method, path, operation }: Entry) {
  const [status, answer] = Object.entries(operation.responses).find(([code]) => code.startsWith("2")) ?? [];
  const problems = Object.entries(operation.responses).filter(([code]) => !code.startsWith("2"));
  const [content] = Object.values(answer?.content ?? {});
  return (
    <article id={operation.operationId}>
      <h3>{operation.summary}</h3>
      <p>
        <code>
          <span class="method">{method}</span> {path}
        </code>
      </p>
      <p>{spell(operation.description ?? "")}</p>
      {operation.parameters && operation.parameters.length > 0 ? parameterTable(operation.parameters) : null}
      {operation.requestBody ? (
        <details>
          <summary>Body</summary>
          <pre>{JSON.stringify(Object.values(operation.requestBody.content)[0]?.schema, null, 2)}</pre>
        </details>
      ) : null}
      <details>
        <summary>
          {status}: {answer?.description}
        </summary>
        <pre>
          {typeof content?.example === "string" ? content.example : JSON.stringify(content?.example, null, 2)}
        </pre>
      </details>
      <details>
        <summary>Errors</summary>
        <ul>
          {problems.map(([code, { description }]) => (
            <li>
              {code}: {spell(description)}
            </li>
          ))}
        </ul>
      </details>
    </article>
  );
}

function parameterTable(parameters: readonly Parameter[]) {
  return (
    <details>
      <summary>{parameters.length} parameters</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">In</th>
            <th scope="col">Meaning</th>
          </tr>
        </thead>
        <tbody>
          {parameters.map(({ name, in: place, description, schema }) => (
            <tr>
              <th scope="row">
                <code>{name}</code>
              </th>
              <td>{place}</td>
              <td>
                {spell(description ?? schema?.description ?? "")}
                {schema?.enum ? ` One of ${schema.enum.join(", ")}.` : ""}
                {schema?.default === undefined ? "" : ` Default ${String(schema.default)}.`}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

/** What stands between backticks is code. */
function spell(text: string) {
  return <>{text.split("`").map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part))}</>;
}

function page(title: string, body: Child): Page {
  const content = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{title}</title>
        <link rel="stylesheet" href="/docs/style.css" />
      </head>
      <body>
        <main>{body}</main>
      </body>
    </html>
  );
  return html`<!doctype html>${content}`;
}
