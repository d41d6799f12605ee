import { chooseAccount } from "../../../api/choose-account.ts";
import { type Onboarding, readOnboarding } from "../../../store/accounts/onboarding.ts";
import { addAction, addPage } from "../../add-page.tsx";
import { type ConnectionResult, may, type Visitor, type Web, type WebContext } from "../../deps.ts";
import { textOf } from "../../form-text.ts";
import { show } from "../../layout.tsx";
import { FormToken, Panel } from "../../parts/blocks.tsx";
import { Button } from "../../parts/button.tsx";
import { ListTable } from "../../parts/list-table.tsx";
import { Chip, Given } from "../../parts/show.tsx";
import { SettingsHead } from "../tabs.tsx";
import { stepsOf } from "./steps.ts";

interface Tested {
  account: string;
  result: ConnectionResult;
}

/** From an empty service to the first closed month: every step says by itself how far it is. */
export function addStart(web: Web): void {
  addPage(web, "/settings/start", ["transactions:read"], (c, visitor) => showStart(web, c, visitor, null));

  const { testConnection } = web.deps;
  if (testConnection === undefined) return;
  addAction(web, "/settings/start/test", ["sync:write", "transactions:read"], async (c, visitor, form) => {
    const account = await chooseAccount(visitor.reader.database, visitor.caller, textOf(form, "account"));
    const result = await testConnection(account.name);
    return showStart(web, c, visitor, { account: account.name, result });
  });
}

async function showStart(web: Web, c: WebContext, visitor: Visitor, tested: Tested | null) {
  const found = await readOnboarding(visitor.reader, web.api.deps.now());
  const steps = stepsOf(found);
  const done = steps.filter(({ isDone }) => isDone).length;
  return show(web, c, visitor, {
    title: "Getting started",
    under: "/settings",
    children: (
      <>
        <SettingsHead visitor={visitor} at="/settings/start" />
        <Panel title="Getting started" id="steps" aside={`${done} of ${steps.length} done`}>
          <ListTable
            label="Steps"
            rows={steps}
            columns={[
              { title: "Step", rowName: ({ name }) => name },
              {
                title: "State",
                show: ({ isDone }) => (
                  <Chip tone={isDone ? "good" : "calm"}>{isDone ? "done" : "to do"}</Chip>
                ),
              },
              { title: "Now", show: ({ says }) => <bdi>{says}</bdi> },
              {
                title: "Next",
                show: ({ href, link, isDone }) => !isDone && <a href={href}>{link}</a>,
              },
            ]}
          />
        </Panel>
        <Connection web={web} visitor={visitor} found={found} tested={tested} />
      </>
    ),
  });
}

interface ConnectionProps {
  web: Web;
  visitor: Visitor;
  found: Onboarding;
  tested: Tested | null;
}

function Connection({ web, visitor, found, tested }: ConnectionProps) {
  const mayTest = web.deps.testConnection !== undefined && may(visitor, "sync:write");
  return (
    <Panel title="Connection" id="connection">
      <p>Requests one record from the aggregator with the configured key and secret. Neither is shown.</p>
      <div id="tested" role="status">
        {tested !== null && <TestedLine of={tested} />}
      </div>
      {mayTest ? (
        found.accounts.map(({ name }) => (
          <form method="post" action="/settings/start/test" class="row-form">
            <FormToken csrf={visitor.csrf} />
            <input type="hidden" name="account" value={name} />
            <Button
              kind="secondary"
              hx-post="/settings/start/test"
              hx-target="#tested"
              hx-select="#tested"
              hx-select-oob="#notice"
              hx-swap="outerHTML"
            >
              Test {name}
            </Button>
          </form>
        ))
      ) : (
        <p class="muted">Those who may manage the reading of accounts can test it here.</p>
      )}
    </Panel>
  );
}

function TestedLine({ of: { account, result } }: { of: Tested }) {
  return (
    <p>
      <Chip tone={result.answered ? "good" : "bad"}>{result.answered ? "works" : "does not work"}</Chip>{" "}
      <Given text={account} />: <bdi>{result.says}</bdi>
    </p>
  );
}
