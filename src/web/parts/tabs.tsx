import { formatCount } from "../format.ts";

export interface Tab {
  title: string;
  href: string;
  /** `null`: not known yet. */
  count?: number | string | null;
  isCurrent: boolean;
}

/** Views of one thing, each with an address of its own. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  return (
    <nav aria-label={label}>
      <ul class="tabs">
        {tabs.map(({ title, href, count, isCurrent }) => (
          <li>
            <a href={href} aria-current={isCurrent ? "page" : undefined}>
              {title}
              {count !== undefined && count !== null && <span class="tab-count">{formatCount(count)}</span>}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
