import type { OpenAPIHono } from "@hono/zod-openapi";
import { checkoutJs, stepMessageJs } from "./checkout/page/script.ts";
import { pageCss } from "./checkout/page/style.ts";
import type { SandboxDeps, SandboxEnv } from "./context.ts";
import { drawPng, drawSvg } from "./draw-icon.ts";

import { RefusedError } from "./refusal.ts";

/** Pictures, style and script: everything a page of the sandbox, or one built against it, loads from here. */
export function addStaticFiles(app: OpenAPIHono<SandboxEnv>, deps: SandboxDeps): void {
  app.get("/sandbox/assets/page.css", (c) => c.body(pageCss, 200, { ...kept, "content-type": "text/css" }));
  for (const [name, script] of [
    ["checkout.js", checkoutJs],
    ["step-message.js", stepMessageJs],
  ] as const) {
    app.get(`/sandbox/assets/${name}`, (c) =>
      c.body(script, 200, { ...kept, "content-type": "text/javascript" }),
    );
  }
  app.get("/sandbox/icons/:file", (c) => {
    const [, name = "", size, format] = iconForm.exec(c.req.param("file")) ?? [];
    const label = labelOf(deps, name);
    if (label === undefined || (format === "png") !== (size !== undefined)) {
      throw new RefusedError("NOT_FOUND", "There is no such icon.");
    }
    return size === undefined
      ? c.body(drawSvg(name, label), 200, { ...kept, "content-type": "image/svg+xml" })
      : c.body(new Uint8Array(drawPng(name, Number(size))), 200, { ...kept, "content-type": "image/png" });
  });
}

const kept = { "cache-control": "public, max-age=86400", "x-content-type-options": "nosniff" };
const iconForm = /^((?:asset|fiat|payment|provider)-[a-z0-9_-]+?)(?:-(32|160)x\2)?\.(svg|png)$/;

/** What is written on the icon; only things of this world have one. */
function labelOf({ world }: SandboxDeps, name: string): string | undefined {
  const dash = name.indexOf("-");
  const [kind, id] = [name.slice(0, dash), name.slice(dash + 1)];
  if (kind === "asset") return world.assetById.get(id)?.code;
  if (kind === "fiat") return world.fiatById.get(id)?.code;
  if (kind === "payment") return world.paymentTypeById.get(id)?.name;
  return world.providerById.get(id)?.displayName;
}
