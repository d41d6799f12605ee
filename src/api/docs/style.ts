/** The style of the reference pages: no script, no foreign host, light and dark by the reader's preference. */
export const docsStyle = `:root { color-scheme: light dark; --line: color-mix(in srgb, currentcolor 18%, transparent); }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 64rem; padding: 1.5rem; font: 1rem/1.55 system-ui, sans-serif; background: Canvas; color: CanvasText; overflow-wrap: anywhere; }
a { color: LinkText; }
h1 { margin-top: 0; }
h2 { margin-top: 3rem; border-bottom: 1px solid var(--line); padding-bottom: .25rem; }
article { margin: 2rem 0; }
article h3 { margin-bottom: .25rem; }
code, pre { font: .875rem/1.5 ui-monospace, monospace; }
pre { overflow-x: auto; padding: .75rem; border: 1px solid var(--line); border-radius: .25rem; }
.method { display: inline-block; min-width: 4rem; font-weight: 700; text-transform: uppercase; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: .35rem .5rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
nav ul { columns: 18rem; padding-left: 1rem; }
summary { cursor: pointer; padding: .25rem 0; }
@media print { details { display: block; } nav { display: none; } }
`;
