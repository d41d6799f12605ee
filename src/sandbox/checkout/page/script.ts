/**
 * The pages work without these; with them they count down, notice a change without being loaded again, and tell the
 * window that embedded or opened them. Which origin that is, only the client knows.
 */
export const checkoutJs = `const page = document.getElementById("checkout").dataset;
const receiver = window.opener ?? (window.parent === window ? null : window.parent);
if (page.message) receiver?.postMessage(JSON.parse(page.message), "*");

// Never a reload: it could send a form again.
const leave = () => location.replace(page.home);
addEventListener("pageshow", ({ persisted }) => persisted && leave());

for (const clock of document.querySelectorAll("[data-seconds]")) {
  const endsAt = performance.now() + Number(clock.dataset.seconds) * 1000;
  const show = () => {
    const left = Math.max(0, Math.ceil((endsAt - performance.now()) / 1000));
    clock.textContent = Math.floor(left / 60) + ":" + String(left % 60).padStart(2, "0");
    setTimeout(left === 0 ? leave : show, 250);
  };
  show();
}

const look = async () => {
  const answer = await fetch(page.home + "/state").catch(() => null);
  const state = answer?.ok ? await answer.json().catch(() => null) : null;
  if (state && (state.step !== page.place || state.status !== page.status)) return leave();
  const detail = document.querySelector("[data-detail]");
  if (state && detail && detail.textContent !== state.detail) detail.textContent = state.detail;
  setTimeout(look, 500);
};
if (page.waits) setTimeout(look, 500);
`;

/** The last page of an iframe or redirect step: the message is the next step. */
export const stepMessageJs = `const { message } = document.getElementById("step-message").dataset;
const receiver = window.opener ?? (window.parent === window ? null : window.parent);
receiver?.postMessage(JSON.parse(message), "*");
`;
