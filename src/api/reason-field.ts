import { z } from "@hono/zod-openapi";

/** Why somebody did it: kept for good, beside what was done. */
export const reasonField = z
  .string()
  .trim()
  .min(1)
  .max(1_000)
  .regex(/^[^\0]*$/, "holds a NUL character")
  .openapi({ example: "confirmed by mail of 12 November" });
