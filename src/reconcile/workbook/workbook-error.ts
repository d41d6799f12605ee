/** Why a workbook is not read: what is wrong with it, and what to do. */
export class WorkbookError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "WorkbookError";
  }
}
