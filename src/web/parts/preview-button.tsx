import { Button } from "./button.tsx";

/** Sends the form with its file, and puts what an import would do below it: so the file stays chosen for the import. */
export function PreviewButton({ action }: { action: string }) {
  return (
    <>
      <Button
        hx-post={action}
        hx-encoding="multipart/form-data"
        hx-validate="true"
        hx-target="#preview"
        hx-select="#preview"
        hx-select-oob="#notice"
        hx-swap="outerHTML"
        hx-indicator="#reading"
      >
        Preview
      </Button>
      <span id="reading" class="htmx-indicator" role="status">
        Reading …
      </span>
    </>
  );
}
