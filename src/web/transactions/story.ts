/** The API's story of a transaction, as far as the page shows it. */
export interface Story {
  missing_since: string | null;
  events: StoryEvent[];
}

export interface StoryEvent {
  kind: string;
  at: string;
  /** Whose time `at` is. */
  clock: string;
  what: string;
  status?: string;
  changes?: { field: string; before: string | null; after: string | null }[];
  source: {
    type: string;
    read_at?: string;
    record_hash?: string;
    file_name?: string;
    line_no?: number;
    discrepancy?: string;
    window?: { id: string; kind: string | null; from: string | null; to: string | null };
  };
}
