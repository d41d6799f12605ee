import { KeptField, type KeptForm } from "./kept-fields.tsx";

/** From which day a match or a decision counts in the books: the API refuses days of closed months, and days ahead. */
export function BookedAtField(of: KeptForm & { begin?: string }) {
  return <KeptField {...of} name="booked_at" label="Counts from (today if empty)" type="date" />;
}
