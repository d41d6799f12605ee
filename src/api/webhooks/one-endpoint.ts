import type { AccountReader } from "../../store/conditions.ts";
import { type Endpoint, readEndpoint } from "../../store/notify/endpoints.ts";
import { problem } from "../problem.ts";

export async function oneEndpoint(reader: AccountReader, id: string): Promise<Endpoint> {
  const found = /^wh_([0-9A-Za-z]{12})$/.exec(id);
  const held = found ? await readEndpoint(reader, found[1] ?? "") : null;
  if (held === null) throw problem("not_found", "There is no such webhook that you may see.");
  return held;
}
