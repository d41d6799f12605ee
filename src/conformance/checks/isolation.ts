import { list } from "../catalogue.ts";
import { differ, group, notApplicable, row } from "../check.ts";
import { someIds } from "../history.ts";
import { isObject, isSuccess, lower, refuses, show } from "../rules.ts";
import type { Target } from "../target.ts";
import { buyQuotes } from "../trade.ts";
import { type Walk, walk } from "../walk.ts";

const path = "/transactions";
const few = { rowsMax: 200, pagesMax: 40 };
const idsMax = 20;

/** Two accounts of one server: neither sees anything of the other. */
export const isolation = group({ name: "isolation", endpoint: "Two accounts", twoAccounts: true }, [
  row("list-is-ones-own", [8], both, ({ mine, theirs }) => {
    const shared = idsOf(theirs).find((id) => idsOf(mine).includes(id));
    if (shared !== undefined) differ(theirs.last, "no transaction that the first account has", shared);
  }),
  row("ids-are-ones-own", [8], both, async ({ mine }, target) => {
    const asked = { transactionIds: idsOf(mine).slice(0, idsMax).join(",") };
    const found = await walk(target, asked, few, true);
    if (found.records.length > 0)
      differ(found.last, "none of the first account's transactions", `${found.records.length} records`);
  }),
  row(
    "single-is-ones-own",
    [8],
    (target) => someIds(target, 51),
    async ([id = ""], target) => {
      const answer = await target.ask({ path: `${path}/${encodeURIComponent(id)}`, asOther: true });
      if (isSuccess(answer) && isObject(answer.json) && "transactionId" in answer.json)
        differ(answer, "no record of the first account's transaction", "a record");
    },
  ),
  row("cursor-is-ones-own", [8], both, async ({ mine }, target) => {
    const first = await target.ask({ path, query: { limit: "1" } });
    const cursor = isObject(first.json) ? first.json["cursor"] : null;
    if (typeof cursor !== "string" || cursor === "") notApplicable("the first account has one page only");
    const answer = await target.ask({ path, query: { limit: "1", cursor }, asOther: true, fresh: true });
    const found =
      isObject(answer.json) && Array.isArray(answer.json["transactions"]) ? answer.json["transactions"] : [];
    const shared = found
      .filter(isObject)
      .find((record) => idsOf(mine).includes(String(record["transactionId"])));
    if (shared !== undefined) differ(answer, "no record of the first account", show(shared["transactionId"]));
  }),
  row("secret-belongs-to-its-key", [8, 243], both, async (_, target) => {
    const { other } = target;
    await refuses(
      target,
      { path, secret: other?.apiSecret ?? "" },
      "a refusal of the other account's secret",
    );
  }),
  row("api-key-names-the-owner", [111, 244], both, ({ mine, theirs }) => {
    const [first, second] = [mine.records[0]?.["apiKey"], theirs.records[0]?.["apiKey"]];
    if (first === second)
      differ(theirs.last, "another `apiKey` than in the first account's records", "the same");
  }),
  row("providers-are-the-keys-own", [191], buyQuotes, async ({ request }, target) => {
    const all = await list({ path: "/supported/onramps/all", asOther: true }, "message")(target);
    const known = new Set(all.items.map(({ id }) => lower(id)));
    const { answer, items } = await list({ ...request, asOther: true })(target);
    const other = items.find(({ ramp }) => !known.has(lower(ramp)));
    if (other !== undefined)
      differ(answer, "quotes of providers enabled for the second key", show(other["ramp"]));
  }),
]);

async function both(target: Target): Promise<{ mine: Walk; theirs: Walk }> {
  return target.once("two accounts", async () => {
    const [mine, theirs] = [await walk(target, {}, few), await walk(target, {}, few, true)];
    if (mine.records.length === 0 || theirs.records.length === 0)
      notApplicable("one of the accounts is empty");
    return { mine, theirs };
  });
}

function idsOf({ records }: Walk): string[] {
  return records.map((record) => String(record["transactionId"]));
}
