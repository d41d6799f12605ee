import { Given } from "./show.tsx";

export function linePath(statementId: number | string, lineNo: number): string {
  return `/statements/${statementId}/lines/${lineNo}`;
}

interface LinePlaceProps {
  statementId: number | string;
  lineNo: number;
  fileName: string;
}

/** A line by its file and number, and the way to it. */
export function LinePlace({ statementId, lineNo, fileName }: LinePlaceProps) {
  return (
    <a href={linePath(statementId, lineNo)}>
      <Given text={fileName} /> line {lineNo}
    </a>
  );
}
