import { html } from "hono/html";
import type { Html } from "./html.ts";

/** The whole page: server-rendered, no script unless one is named, nothing from another host. */
export function page(title: string, content: Html, head: Html = html``): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · sandbox</title>
        <link rel="stylesheet" href="/sandbox/assets/page.css" />
        ${head}
      </head>
      <body>
        <header class="note">This is a sandbox. No money moves.</header>
        ${content}
      </body>
    </html>`;
}

export function problemPage(title: string, message: string): Html {
  return page(
    title,
    html`<main>
      <section class="card">
        <h1>${title}</h1>
        <p>${message}</p>
      </section>
    </main>`,
  );
}
