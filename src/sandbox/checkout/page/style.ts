/**
 * Colours and corners are variables: a checkout's theme sets them. What must stay readable on any of them (mistakes, the
 * sandbox's own boxes) brings a background of its own.
 */
export const pageCss = `:root {
  color-scheme: light dark;
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  --primary: light-dark(#1d4ed8, #60a5fa);
  --on-primary: light-dark(#ffffff, #0b1220);
  --primary-text: light-dark(#111827, #f9fafb);
  --secondary: light-dark(#eef1f6, #1f2937);
  --on-secondary: light-dark(#111827, #f9fafb);
  --secondary-text: light-dark(#4b5563, #d1d5db);
  --card: light-dark(#ffffff, #111827);
  --radius: 0.6rem;
  --line: color-mix(in srgb, var(--primary-text) 22%, transparent);
}
*, ::before, ::after { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; background: color-mix(in srgb, var(--card) 94%, var(--primary-text)); color: var(--primary-text); }
.note { margin: 0; padding: 0.35rem 1rem; text-align: center; font-size: 0.8rem; background: #3b2f0b; color: #fde68a; }
main { display: grid; gap: 1rem; max-width: 30rem; margin: 0 auto; padding: 1rem; }
.card, .summary { background: var(--card); border: 1px solid var(--line); border-radius: calc(var(--radius) * 1.5); padding: 1.25rem; min-width: 0; }
.card > :last-child, .summary > :last-child { margin-bottom: 0; }
.side { display: grid; gap: 1rem; align-content: start; min-width: 0; }
h1 { font-size: 1.35rem; line-height: 1.25; margin: 0 0 0.75rem; overflow-wrap: anywhere; }
p { margin: 0 0 0.75rem; overflow-wrap: anywhere; }
a { color: inherit; }
code { font-family: ui-monospace, SFMono-Regular, Menlo, monospace; font-size: 0.92em; }
:focus-visible { outline: 3px solid var(--primary); outline-offset: 2px; }
.visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

.stages { display: flex; gap: 0.4rem; list-style: none; margin: 0 0 1.1rem; padding: 0; font-size: 0.75rem; color: var(--secondary-text); }
.stages li { flex: 1; border-top: 4px solid var(--line); padding-top: 0.3rem; min-width: 0; }
.stages .done, .stages [aria-current="step"] { border-color: var(--primary); }
.stages [aria-current="step"] { color: var(--primary-text); font-weight: 600; }
.clocks { display: flex; flex-wrap: wrap; gap: 0.2rem 1.2rem; font-size: 0.85rem; color: var(--secondary-text); }
.clock { font-variant-numeric: tabular-nums; font-weight: 600; color: var(--primary-text); }

form { margin: 0; }
.field { display: grid; gap: 0.25rem; margin: 0 0 0.9rem; align-content: start; }
.field label { font-weight: 600; font-size: 0.9rem; }
.field label::first-letter { text-transform: uppercase; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 0 0.8rem; }
input, select, button { font: inherit; min-height: 2.75rem; border-radius: var(--radius); min-width: 0; }
input, select { width: 100%; padding: 0 0.75rem; border: 1px solid color-mix(in srgb, var(--primary-text) 55%, transparent); background: var(--secondary); color: var(--on-secondary); }
[aria-invalid="true"] { border: 2px solid #d92d20; }
button { padding: 0.4rem 1rem; cursor: pointer; border: 1px solid var(--line); background: var(--secondary); color: var(--on-secondary); }
button.main { width: 100%; border-color: transparent; background: var(--primary); color: var(--on-primary); font-weight: 600; }
button.plain { border: 0; padding: 0 0.25rem; background: none; color: inherit; text-decoration: underline; }
button:hover { filter: brightness(0.95); }
.stack { display: grid; gap: 0.6rem; margin-bottom: 0.75rem; }
.hint { font-size: 0.8rem; color: var(--secondary-text); }
.wrong, .refused { border-radius: calc(var(--radius) / 2); padding: 0.35rem 0.6rem; background: #b42318; color: #ffffff; font-size: 0.9rem; }
.way-out { display: flex; justify-content: space-between; align-items: center; margin-top: 0.75rem; flex-direction: row-reverse; }
.way-out a { display: inline-flex; align-items: center; min-height: 2.75rem; padding: 0 0.25rem; order: 1; }

dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.3rem 1rem; margin: 0 0 0.75rem; }
dt { color: var(--secondary-text); }
dd { margin: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
.summary { font-size: 0.9rem; }
.summary dl { margin: 0; }
.trade { display: flex; flex-wrap: wrap; gap: 0.2rem 0.5rem; padding-bottom: 0.75rem; border-bottom: 1px solid var(--line); font-variant-numeric: tabular-nums; }
.details { border: 1px solid var(--line); border-radius: var(--radius); padding: 0.8rem; }
.compare dd { font-size: 1.1rem; }
.deposit { display: grid; justify-items: center; gap: 0.5rem; margin-bottom: 0.5rem; }
.qr { width: 12rem; height: 12rem; border-radius: var(--radius); }
.address { text-align: center; margin: 0; }
.hash { overflow-wrap: anywhere; }

.sandbox { margin-top: 1rem; border: 1px dashed #b58105; border-radius: var(--radius); padding: 0.75rem; background: light-dark(#fff8e1, #2a2410); color: light-dark(#3b2f0b, #fbe9b0); font-size: 0.85rem; }
.side .sandbox { margin-top: 0; }
.sandbox .tag { font-weight: 700; text-transform: uppercase; letter-spacing: 0.04em; font-size: 0.7rem; margin: 0 0 0.35rem; }
.sandbox dt { color: inherit; }
.sandbox dl { margin: 0; gap: 0.2rem 0.8rem; }
.sandbox form { display: flex; flex-wrap: wrap; gap: 0.5rem; margin-top: 0.5rem; }
.sandbox button { background: light-dark(#ffffff, #3d3417); color: inherit; border-color: #b58105; min-height: 2.4rem; }
.sandbox summary { cursor: pointer; min-height: 1.75rem; }
.sandbox :last-child { margin-bottom: 0; }

.waiting { display: flex; gap: 0.6rem; align-items: center; }
.waiting::before { content: ""; flex: none; width: 1.1rem; height: 1.1rem; border: 3px solid var(--line); border-top-color: var(--primary); border-radius: 50%; animation: turn 1s linear infinite; }
@keyframes turn { to { transform: rotate(1turn); } }
@media (prefers-reduced-motion: reduce) { .waiting::before { animation: none; } }
.history { list-style: none; margin: 0 0 1rem; padding: 0; border-left: 3px solid var(--line); }
.history li { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem; padding: 0.15rem 0 0.15rem 0.8rem; }
.history time { font-size: 0.8rem; color: var(--secondary-text); font-variant-numeric: tabular-nums; }

@media (max-width: 24rem) { .pair { grid-template-columns: 1fr; } .card, .summary { padding: 1rem; } main { padding: 0.6rem; } }
@media (min-width: 52rem) {
  main { grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); max-width: 56rem; padding: 2rem 1rem; gap: 1.25rem; align-items: start; }
  .card { padding: 1.75rem; }
}
`;
