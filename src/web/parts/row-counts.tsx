import { ListTable } from "./list-table.tsx";
import { Count } from "./show.tsx";

interface Counted {
  rowsOfFile: number;
  rowsRead: number;
  rowsAccepted: number;
  rowsRestated: number;
  rowsDuplicate: number;
  rowsRejected: number;
}

/** What became of the rows of an imported file. */
export function RowCounts({ of }: { of: Counted }) {
  const rows = [
    ["Lines of the file", of.rowsOfFile],
    ["Rows of data", of.rowsRead],
    ["Accepted", of.rowsAccepted],
    ["of which restate a known line", of.rowsRestated],
    ["Known already", of.rowsDuplicate],
    ["Rejected", of.rowsRejected],
  ] as const;
  return (
    <ListTable
      label="Rows of the file"
      caption="What happened to the rows: accepted, known before and rejected add up to the rows of data"
      headUnseen
      rows={rows}
      columns={[
        { title: "Rows", rowName: ([name]) => name },
        { title: "How many", cellClass: "figures", show: ([, count]) => <Count of={count} /> },
      ]}
    />
  );
}
