import { alertKinds, isAlertKind } from "../core/alert-kinds.ts";

interface AlertToTell {
  id: number;
  kind: string;
  title: string;
  path: string;
}

/** One mail for all of them, grouped by what they are about, each with a link. */
export function alertMail(
  alerts: readonly AlertToTell[],
  { pageUrl, heading }: { pageUrl: string; heading: string },
): { subject: string; text: string } {
  const kinds = [...new Set(alerts.map(({ kind }) => kind))];
  const groups = kinds.map((kind) => {
    const lines = alerts
      .filter((alert) => alert.kind === kind)
      .map(({ title, path }) => `  ${title}\n  ${pageUrl}${path}`);
    return `${isAlertKind(kind) ? alertKinds[kind].title : kind}\n\n${lines.join("\n\n")}`;
  });
  const [first] = alerts;
  const subject =
    alerts.length === 1 && first !== undefined
      ? `tieout: ${first.title}`
      : `tieout: ${heading}, ${alerts.length}`;
  const foot = `All alerts and their rules: ${pageUrl}/settings/alerts`;
  const body = alerts.length === 0 ? "Nothing is wrong at the moment." : groups.join("\n\n");
  // A title holds names that people have chosen; a line break in one would begin another header.
  return { subject: subject.replaceAll(/[\r\n]+/g, " "), text: `${body}\n\n${foot}\n` };
}

/** Whether a minute of the day lies in the quiet hours, which may go over midnight. */
export function isQuiet(
  minute: number,
  { quietFrom, quietTo }: { quietFrom: number | null; quietTo: number | null },
): boolean {
  if (quietFrom === null || quietTo === null) return false;
  return quietFrom <= quietTo
    ? minute >= quietFrom && minute < quietTo
    : minute >= quietFrom || minute < quietTo;
}
