import type { Handler } from "./handler.ts";

/** Holds the alert rules against what is true now, and sends what has to be sent. A lost one is made up for by the next. */
export const alerts: Handler<"alerts"> = (deps) => deps.runAlerts();
