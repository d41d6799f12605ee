import { Chip } from "./show.tsx";

export function PayoutChip({ status }: { status: string }) {
  const tone = status === "tied" ? "good" : status === "undeclared" ? "calm" : "bad";
  return <Chip tone={tone}>{status.replaceAll("_", " ")}</Chip>;
}
