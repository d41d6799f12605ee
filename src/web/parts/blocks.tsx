/** What screens are put together from. */
import type { Child, PropsWithChildren } from "hono/jsx";

/** What the screen is; beside it, where else to look. */
export function TitleRow({ title, children }: PropsWithChildren<{ title: string }>) {
  return (
    <div class="title-row">
      <h1>{title}</h1>
      {children !== undefined && <p class="summary">{children}</p>}
    </div>
  );
}

/** A row of `<dl class="facts">`. */
export function Fact({ name, value }: { name: string; value: Child }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}

interface PanelProps {
  title: string;
  id: string;
  aside?: Child;
}

/** A part of a screen under its own heading. */
export function Panel({ title, id, aside, children }: PropsWithChildren<PanelProps>) {
  return (
    <section class="panel" aria-labelledby={id}>
      <header class="panel-head">
        <h2 id={id}>{title}</h2>
        {aside !== undefined && <div class="panel-aside">{aside}</div>}
      </header>
      {children}
    </section>
  );
}

/** A wide table scrolls by itself, with the keyboard as well, and the page does not. A group: landmarks are for whole parts. */
export function TableFrame({ label, children }: PropsWithChildren<{ label: string }>) {
  return (
    <div class="table-frame" role="group" aria-label={label} tabindex={0}>
      {children}
    </div>
  );
}

/** Nothing to show: why, and what to do next. */
export function Empty({ title, children }: PropsWithChildren<{ title: string }>) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      <p>{children}</p>
    </div>
  );
}

/** No discrepancy, because there is nothing that could disagree. */
export function NothingCompared() {
  return (
    <Empty title="Nothing has been compared yet">
      Import a provider's statement on <a href="/statements">Statements</a>: its lines are compared with the
      transactions.
    </Empty>
  );
}

interface CardProps {
  title: string;
  href: string;
  tone?: "plain" | "warn" | "good" | "bad";
  note?: Child;
}

/** One figure that is looked at first, and the way to what is behind it. */
export function Card({ title, href, tone = "plain", note, children }: PropsWithChildren<CardProps>) {
  return (
    <a class={`card card-${tone}`} href={href}>
      <span class="card-title">{title}</span>
      <span class="card-figure">{children}</span>
      {note !== undefined && <span class="card-note">{note}</span>}
    </a>
  );
}

interface PagerProps {
  path: string;
  query: URLSearchParams;
  nextCursor: string | null;
  shown: string;
}

/** Back to the first page, on to the next: a keyset has no page numbers. */
export function Pager({ path, query, nextCursor, shown }: PagerProps) {
  const first = new URLSearchParams(query);
  first.delete("cursor");
  const next = new URLSearchParams(query);
  if (nextCursor !== null) next.set("cursor", nextCursor);
  return (
    <nav class="pager" aria-label="Pages">
      <span>{shown}</span>
      {query.has("cursor") && <a href={`${path}?${first.toString()}`}>First page</a>}
      {nextCursor !== null && (
        <a rel="next" href={`${path}?${next.toString()}`}>
          Next page
        </a>
      )}
    </nav>
  );
}

/** The hidden fields of every form that changes something. */
export function FormToken({ csrf }: { csrf: string }) {
  return <input type="hidden" name="csrf" value={csrf} />;
}

interface ChoiceProps {
  name: string;
  label: string;
  any?: string;
  options: readonly string[];
  chosen: string;
  /** How a value reads; the value itself where left out. */
  words?: (value: string) => string;
}

/** A list to choose one from, or any. A value that is not among them, such as a comma list in a link, stays chosen. */
export function Choice({ name, label, any = "Any", options, chosen, words = (value) => value }: ChoiceProps) {
  const all = chosen === "" || options.includes(chosen) ? options : [chosen, ...options];
  return (
    <label>
      <span>{label}</span>
      <select name={name}>
        <option value="">{any}</option>
        {all.map((value) => (
          <option value={value} selected={value === chosen}>
            {words(value)}
          </option>
        ))}
      </select>
    </label>
  );
}
