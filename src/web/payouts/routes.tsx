import { addPage } from "../add-page.tsx";
import type { Web } from "../deps.ts";
import { showPayouts } from "./list.tsx";
import { showPayout } from "./one.tsx";

export function addPayouts(web: Web): void {
  addPage(web, "/payouts", ["reconcile:read"], (c, visitor) => showPayouts(web, c, visitor));
  addPage(web, "/payouts/:id", ["reconcile:read"], (c, visitor) => showPayout(web, c, visitor));
}
