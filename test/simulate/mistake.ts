import type { Database } from "../../src/store/database.ts";
import type { RecordOnePage } from "../../src/store/transactions/page-recorder.ts";
import type { SyncAccount, SyncSettings } from "../../src/sync/deps.ts";

/** Something that reading depends on, replaced by something that is nearly right. */
export interface Mistake {
  readonly database?: (database: Database) => Database;
  readonly recordPage?: (record: RecordOnePage, database: Database) => RecordOnePage;
  readonly upstream?: (upstream: SyncAccount["upstream"]) => SyncAccount["upstream"];
  readonly settings?: Partial<SyncSettings>;
}
