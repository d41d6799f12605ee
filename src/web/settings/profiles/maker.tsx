import type { Visitor, Web, WebContext } from "../../deps.ts";
import { show } from "../../layout.tsx";
import { FormToken, Panel, TableFrame } from "../../parts/blocks.tsx";
import { Button } from "../../parts/button.tsx";
import { type CheckedForm, ErrorSummary, SelectField } from "../../parts/checked-field.tsx";
import { FileInput } from "../../parts/file-input.tsx";
import { ListTable } from "../../parts/list-table.tsx";
import { Chip, Given, Money, Time } from "../../parts/show.tsx";
import { SettingsHead } from "../tabs.tsx";
import { fieldWords } from "./field-words.ts";
import { ProfileFields } from "./profile-fields.tsx";
import type { Sample } from "./make-profile.ts";

/** A row of the sample as the API would read it. */
export interface TriedRow {
  line: Record<string, string | null> | null;
  rejection: { field: string | null; reason: string } | null;
}

interface Maker {
  sample: Sample;
  form: CheckedForm;
  accounts: readonly string[];
  tried: readonly TriedRow[];
}

export function showSampleUpload(web: Web, c: WebContext, visitor: Visitor): Promise<Response> {
  return show(web, c, visitor, {
    title: "New profile",
    under: "/settings",
    children: (
      <>
        <SettingsHead visitor={visitor} at="/settings/profiles" />
        <Panel title="New profile from a sample" id="sample">
          <form method="post" action="/settings/profile-maker/sample" enctype="multipart/form-data">
            <FormToken csrf={visitor.csrf} />
            <FileInput
              label="A statement from the provider, unchanged: drop it here, or choose it"
              hint="CSV, XLSX or JSON. Its first rows are shown; nothing is stored."
              accept=".csv,.txt,.tsv,.xlsx,.json,.jsonl,.ndjson,text/csv,text/plain,application/json"
            />
            <div class="filter-row">
              <label>
                <span>Encoding</span>
                <select name="encoding">
                  {["utf-8", "windows-1252", "iso-8859-2", "shift_jis"].map((encoding) => (
                    <option>{encoding}</option>
                  ))}
                </select>
              </label>
              <Button>Show its columns</Button>
            </div>
          </form>
        </Panel>
      </>
    ),
  });
}

/** The sample with a choice above each column, and below it the result of the choices. */
export function showMaker(web: Web, c: WebContext, visitor: Visitor, maker: Maker): Promise<Response> {
  const { sample, form, tried } = maker;
  return show(web, c, visitor, {
    title: "New profile",
    under: "/settings",
    children: (
      <>
        <SettingsHead visitor={visitor} at="/settings/profiles" />
        <div id="maker">
          <Panel
            title={`Columns of ${sample.fileName}`}
            id="columns"
            aside={<a href="/settings/profile-maker">Choose another file</a>}
          >
            <ErrorSummary of={form} title="The profile was not saved. Please correct:" />
            <form method="post" action="/settings/profile-maker/check" id="profile-form" class="sections">
              <FormToken csrf={visitor.csrf} />
              <input type="hidden" name="sample" value={JSON.stringify(sample)} />
              <SampleTable sample={sample} form={form} />
              <ProfileFields form={form} accounts={maker.accounts} />
              <div class="filter-row">
                <Button
                  kind="secondary"
                  hx-post="/settings/profile-maker/check"
                  hx-target="#maker"
                  hx-select="#maker"
                  hx-select-oob="#notice"
                  hx-swap="outerHTML"
                >
                  Read the sample
                </Button>
                <Button formaction="/settings/profile-maker/save">Save profile</Button>
              </div>
            </form>
          </Panel>
          {tried.length > 0 && (
            <Panel title="The sample, as read" id="read">
              <Tried rows={tried} visitor={visitor} />
            </Panel>
          )}
        </div>
      </>
    ),
  });
}

function SampleTable({ sample, form }: { sample: Sample; form: CheckedForm }) {
  const options = [["", "not used"], ...Object.entries(fieldWords)] as const;
  return (
    <TableFrame label="Sample">
      <table class="list keep sample">
        <caption>What each column is, with the first rows of the file below.</caption>
        <thead>
          <tr>
            {sample.header.map((header, at) => (
              <th scope="col">
                <SelectField
                  of={form}
                  name={`column.${at}`}
                  label={header || `column ${at + 1}`}
                  options={options as readonly (readonly [string, string])[]}
                />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sample.rows.map((row) => (
            <tr>
              {sample.header.map((_, at) => (
                <td>
                  <Given text={row[at] ?? ""} mono />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

function Tried({ rows, visitor }: { rows: readonly TriedRow[]; visitor: Visitor }) {
  const { zone } = visitor.preferences;
  const of = ({ line }: TriedRow, name: string) => line?.[name] ?? null;
  return (
    <ListTable
      label="Rows of the sample as they are read"
      caption={`Read as an import would read them. Times in ${zone}.`}
      rows={rows.map((row, at) => ({ ...row, at }))}
      columns={[
        { title: "Row", rowName: ({ at }) => String(at + 1) },
        {
          title: "Outcome",
          show: ({ rejection }) =>
            rejection === null ? (
              <Chip tone="good">read</Chip>
            ) : (
              <>
                <Chip tone="bad">rejected</Chip> {fieldWords[rejection.field ?? ""] ?? rejection.field}:{" "}
                <bdi>{rejection.reason}</bdi>
              </>
            ),
        },
        { title: "Type", show: (row) => <Given text={of(row, "line_type")} /> },
        { title: "Status", show: (row) => <Given text={of(row, "status")} /> },
        { title: "Order", show: (row) => <Given text={of(row, "provider_transaction_id")} mono /> },
        { title: "Settled at", show: (row) => <Time at={of(row, "effective_at")} zone={zone} /> },
        {
          title: "Fiat, with fees",
          show: (row) => <Money amount={of(row, "fiat_gross")} currency={of(row, "fiat_currency")} />,
        },
        {
          title: "without",
          show: (row) => <Money amount={of(row, "fiat_net")} currency={of(row, "fiat_currency")} />,
        },
        {
          title: "Coin",
          show: (row) => <Money amount={of(row, "crypto_amount")} currency={of(row, "asset")} />,
        },
        {
          title: "Owed",
          show: (row) => <Money amount={of(row, "net_amount")} currency={of(row, "net_currency")} />,
        },
      ]}
    />
  );
}
