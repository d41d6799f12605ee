import { maskWallet } from "../../api/present.ts";
import { may, type Visitor } from "../deps.ts";
import { Fact, Panel } from "../parts/blocks.tsx";
import { Button } from "../parts/button.tsx";
import { codeWords, DiscrepancyLine } from "../parts/discrepancy.tsx";
import { PostForm } from "../parts/post-form.tsx";
import { ReasonField } from "../parts/reason-field.tsx";
import { Given, Money, Nothing, Time } from "../parts/show.tsx";
import type { LineAtWork } from "./line-at-work.ts";
import { ClassChip } from "./lines.tsx";
import { classWords } from "./line-query.ts";
import { swapWorkspace } from "./work-list.tsx";

/** What the line says, what is open about it, and the way to set it aside. */
export function LineFacts({ work, visitor }: { work: LineAtWork; visitor: Visitor }) {
  const { line, detail, discrepancies } = work;
  const { zone } = visitor.preferences;
  const wallet = may(visitor, "wallets:read") ? detail.walletAddress : maskWallet(detail.walletAddress);
  const crypto =
    detail.asset === null
      ? null
      : detail.network === null
        ? detail.asset
        : `${detail.asset}_${detail.network}`;
  return (
    <Panel title={`Line ${line.line_no}`} id="line" aside={<ClassChip line={line} />}>
      <p class="muted">
        {classWords[line.class].title}: {classWords[line.class].means}.
      </p>
      <dl class="facts">
        <dt>Type</dt>
        <dd>
          {codeWords(detail.lineType)}
          {detail.side !== null && `, ${detail.side}`}
        </dd>
        <dt>Status</dt>
        <dd>
          {codeWords(detail.status)} <small>{detail.providerStatus}</small>
        </dd>
        <Fact name="Time" value={<Time at={detail.effectiveAt} zone={zone} />} />
        <Fact name="Gross" value={<Money amount={detail.fiatGross} currency={detail.fiatCurrency} full />} />
        <Fact name="Net" value={<Money amount={detail.fiatNet} currency={detail.fiatCurrency} full />} />
        <Fact name="Crypto" value={<Money amount={detail.cryptoAmount} currency={crypto} full />} />
        <dt>Fees</dt>
        <dd>
          <Money amount={detail.feeTotal} currency={detail.feeCurrency ?? detail.fiatCurrency} full />
        </dd>
        <dt>Owed to us</dt>
        <dd>
          <strong>
            <Money amount={detail.netAmount} currency={detail.netCurrency} full />
          </strong>
        </dd>
        <Fact name="Provider’s id" value={<Given text={detail.providerTransactionId} mono />} />
        <Fact name="Our reference" value={<Given text={detail.ourReference} mono />} />
        <Fact name="Chain hash" value={<Given text={detail.transactionHash} mono />} />
        <Fact name="Wallet" value={<Given text={wallet} mono />} />
        <dt>Payout</dt>
        <dd>{detail.payoutRef === null ? <Nothing /> : <Given text={detail.payoutRef} mono />}</dd>
      </dl>
      {discrepancies.length > 0 && (
        <>
          <h3>Discrepancies</h3>
          <ul class="plain-list">
            {discrepancies.map((found) => (
              <li>
                <DiscrepancyLine found={found} visitor={visitor} />
              </li>
            ))}
          </ul>
        </>
      )}
      {may(visitor, "reconcile:write") && <ExcludeForm work={work} visitor={visitor} />}
    </Panel>
  );
}

/** A line without a transaction is set aside by closing what is open about it; then it counts as excluded. */
function ExcludeForm({ work, visitor }: { work: LineAtWork; visitor: Visitor }) {
  const { line, here, next } = work;
  const open = work.discrepancies.filter(({ state }) => state === "open" || state === "investigating");
  if (line.match_id !== null || open.length === 0) return null;
  return (
    <PostForm
      visitor={visitor}
      action="/statements/lines/exclude"
      id="exclude"
      back={here}
      hx-post="/statements/lines/exclude"
      {...swapWorkspace}
    >
      {open.map(({ id, version }) => (
        <input type="hidden" name="seen" value={`${id}:${version}`} />
      ))}
      <input type="hidden" name="next" value={next} />
      <ReasonField visitor={visitor} form="exclude" label="Reason for excluding it" hotkey="x" />
      <Button kind="secondary">Exclude</Button>
    </PostForm>
  );
}
