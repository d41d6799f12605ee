/* Comforts for who has a script: shortcuts, the local zone, menus that close. Every screen reads well without it. */

const root = document.documentElement;

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") leaveMenu();
  if (event.key === "k" && (event.ctrlKey || event.metaKey) && openPalette()) event.preventDefault();
  if (root.dataset.shortcuts === "off" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target instanceof Element && event.target.closest("input, select, textarea, dialog[open]"))
    return;
  const action = shortcuts[event.key];
  const acted = action === undefined ? useKey(event.key) : action();
  if (acted === true) event.preventDefault();
});

/** What a screen has a key for: a button is pressed, a field gets the focus. */
function useKey(key) {
  if (!/^[a-z]$/.test(key)) return false;
  const element = document.querySelector(`[data-key="${key}"]`);
  if (element === null) return false;
  if (element instanceof HTMLButtonElement) element.click();
  else focusOn(element);
  return true;
}

const shortcuts = {
  "/": () => focusOn(document.querySelector("[data-find]")),
  j: () => moveRow(1),
  k: () => moveRow(-1),
  "?": () => {
    document.getElementById("shortcuts")?.showModal();
    return true;
  },
};

function openPalette() {
  const palette = document.getElementById("palette");
  if (palette === null) return false;
  if (!palette.open) palette.showModal();
  focusOn(palette.querySelector("[data-palette]"));
  return true;
}

/** Screens by the letters of their names; what is found stands above them. */
document.addEventListener("input", (event) => {
  if (!(event.target instanceof HTMLInputElement) || event.target.dataset.palette === undefined) return;
  const typed = event.target.value.trim().toLowerCase();
  for (const item of document.querySelectorAll("[data-palette-screens] li")) {
    item.hidden = !item.textContent.toLowerCase().includes(typed);
  }
});

function focusOn(element) {
  element?.closest("details")?.setAttribute("open", "");
  element?.focus();
  return element !== null;
}

/**
 * The focus goes to the row's own link, so that Enter opens it and the screen reader says where we are. Whoever has not
 * been in the list yet begins at the item that is open, and at the first row where none is.
 */
function moveRow(step) {
  const links = [...document.querySelectorAll("[data-rows] tbody th a, [data-rows] [data-row-link]")];
  if (links.length === 0) return false;
  const row = document.activeElement?.closest("tr, li");
  const focused = links.findIndex((link) => row !== null && row?.contains(link));
  const at = focused < 0 ? links.findIndex((link) => link.dataset.current !== undefined) : focused;
  const next = links[at < 0 ? 0 : Math.min(links.length - 1, Math.max(0, at + step))];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
  return true;
}

document.addEventListener("click", (event) => {
  closeMenus(event.target);
  const opener = event.target instanceof Element ? event.target.closest("[data-opens]") : null;
  if (opener !== null) document.getElementById(opener.dataset.opens)?.showModal();
  const all = event.target instanceof Element ? event.target.closest("[data-check-all]") : null;
  if (all === null) return;
  for (const box of document.querySelectorAll(`input[name="${all.dataset.checkAll}"]`)) {
    box.checked = all.checked;
    box.dispatchEvent(new Event("change", { bubbles: true }));
  }
});

/** How many are ticked is said where they are acted on. */
document.addEventListener("change", (event) => {
  if (!(event.target instanceof HTMLInputElement) || event.target.type !== "checkbox") return;
  for (const place of document.querySelectorAll("[data-ticked]")) {
    const ticked = document.querySelectorAll(`input[name="${place.dataset.ticked}"]:checked`).length;
    place.textContent = ticked === 0 ? "" : `${ticked} chosen`;
  }
});

/** The list stays while the detail beside it is replaced, so the mark moves here. */
document.addEventListener("htmx:afterRequest", (event) => {
  // After a failure the previous detail is still shown, and a decision would be about that one.
  if (!event.detail.successful) return;
  const item = event.target instanceof Element ? event.target.closest(".queue-item") : null;
  if (item === null || item.getAttribute("hx-target") !== "#detail") return;
  for (const open of document.querySelectorAll(".queue-open")) {
    open.classList.remove("queue-open");
    for (const link of open.querySelectorAll("[aria-current]")) {
      link.removeAttribute("aria-current");
      delete link.dataset.current;
    }
  }
  item.setAttribute("aria-current", "true");
  item.dataset.current = "true";
  item.closest("li")?.classList.add("queue-open");
  // Where the detail stands below the list, a person who chose an item wants to see it.
  if (matchMedia("(max-width: 60rem)").matches) {
    document.getElementById("detail")?.scrollIntoView({ block: "start" });
  }
});

/** A part could not be fetched, so nothing may go on saying that it is loading. */
function stopWaiting({ target }) {
  const part = target instanceof Element ? target.closest(".follows") : null;
  part?.removeAttribute("aria-busy");
  for (const announced of part?.querySelectorAll("[data-until-fetched]") ?? []) announced.remove();
}

/** The notice says why. */
document.addEventListener("htmx:responseError", stopWaiting);

/** Nothing answered: the service is restarting, or the network is down. A click must not seem to do nothing. */
document.addEventListener("htmx:sendError", (event) => {
  stopWaiting(event);
  const failure = document.createElement("section");
  failure.id = "unanswered";
  failure.className = "failure";
  const [title, advice] = [document.createElement("h1"), document.createElement("p")];
  title.textContent = "No answer";
  advice.textContent =
    "tieout did not answer. Check the connection, and try again. If you sent something, reload the page to see whether it arrived.";
  failure.append(title, advice);
  const notice = document.getElementById("notice");
  notice?.replaceChildren(failure);
  notice?.scrollIntoView({ block: "nearest" });
});

document.addEventListener("htmx:afterRequest", ({ detail }) => {
  if (detail.successful) document.getElementById("unanswered")?.remove();
});

/** A person at the keyboard stays where they were: at the item that is open now. */
document.addEventListener("htmx:afterSettle", ({ detail }) => {
  if (document.activeElement === null || document.activeElement === document.body) {
    document.querySelector("[data-current]")?.focus({ preventScroll: true });
  }
  document.querySelector("[data-current]")?.scrollIntoView({ block: "nearest" });
  // A refusal is shown at the top, and the form may be far below it.
  if (detail.target?.id === "notice") detail.target.scrollIntoView({ block: "nearest" });
});

/** The list alone is scrolled: a screen begins at its top. */
function showCurrent() {
  const item = document.querySelector("[data-current]");
  const list = item?.closest(".queue");
  if (!list) return;
  const [{ top, bottom, height }, around] = [item.getBoundingClientRect(), list.getBoundingClientRect()];
  if (top >= around.top && bottom <= around.bottom) return;
  list.scrollTop += top - around.top - (around.height - height) / 2;
}

/** What has the focus must not vanish: it goes back to what opened the menu. */
function leaveMenu() {
  const menu = document.activeElement?.closest("details.menu[open]");
  closeMenus(null);
  menu?.querySelector("summary").focus();
}

function closeMenus(target) {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!(target instanceof Node) || !menu.contains(target)) menu.removeAttribute("open");
  }
}

/** Only the browser knows where it is. */
function offerLocalZone() {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  for (const button of document.querySelectorAll("[data-local-zone]")) {
    if (!timeZone || timeZone === "UTC") continue;
    button.value = timeZone;
    button.title = timeZone;
    button.hidden = false;
  }
}

/** A file that is dropped is a file that was chosen. */
function acceptDrops() {
  for (const zone of document.querySelectorAll("[data-drop]")) {
    const input = zone.querySelector('input[type="file"]');
    zone.addEventListener("dragover", (event) => {
      event.preventDefault();
      zone.classList.add("drop-over");
    });
    zone.addEventListener("dragleave", () => zone.classList.remove("drop-over"));
    zone.addEventListener("drop", (event) => {
      event.preventDefault();
      zone.classList.remove("drop-over");
      if (event.dataTransfer?.files.length !== 1) return;
      input.files = event.dataTransfer.files;
      input.dispatchEvent(new Event("change", { bubbles: true }));
    });
  }
}

const workingAfterMs = 1_000;

/** An import or a signature may take a minute, and nothing else on the screen shows that it was sent. */
document.addEventListener("submit", (event) => {
  const form = event.target;
  // What a script sends has its own way to say so.
  if (event.defaultPrevented || form.getAttribute("method") !== "post") return;
  setTimeout(() => {
    removeWorking();
    const place = document.createElement("span");
    place.className = "working";
    place.role = "status";
    // The button may stand outside of its form.
    if (event.submitter === null) form.append(place);
    else event.submitter.after(place);
    place.textContent = "Working …";
  }, workingAfterMs);
});

const askedEveryMs = 1_500;
let asking = 0;

/** How far the service has come with the file of this form. Where it cannot tell, the words stay as they are. */
function showProgress(form) {
  clearInterval(asking);
  const { progress } = form?.dataset ?? {};
  if (progress === undefined) return;
  asking = setInterval(async () => {
    const answer = await fetch(progress).catch(() => null);
    const words = answer?.ok && !answer.redirected ? await answer.text() : "";
    if (words !== "") tellProgress(words);
  }, askedEveryMs);
}

function tellProgress(words) {
  for (const place of document.querySelectorAll(".htmx-request.htmx-indicator, .working"))
    place.textContent = words;
}

document.addEventListener("submit", (event) => {
  if (!event.defaultPrevented) showProgress(event.target);
});
document.addEventListener("htmx:beforeRequest", ({ target }) => {
  if (target.matches("[hx-encoding]")) showProgress(target.form);
});
document.addEventListener("htmx:xhr:progress", ({ target, detail }) => {
  if (!target.matches("[hx-encoding]") || !detail.lengthComputable) return;
  const share = Math.floor((100 * detail.loaded) / detail.total);
  tellProgress(share < 100 ? `Sending, ${share} %` : "Reading …");
});
document.addEventListener("htmx:afterRequest", ({ target }) => {
  if (!target.matches("[hx-encoding]")) return;
  clearInterval(asking);
  document.getElementById("reading").textContent = "Reading …";
});

function removeWorking() {
  for (const place of document.querySelectorAll(".working")) place.remove();
}

/** A person who comes back to the screen finds it as it was before the form was sent. */
addEventListener("pageshow", () => {
  clearInterval(asking);
  removeWorking();
});

/** What is shown below a form is of the file that was chosen before. */
document.addEventListener("change", (event) => {
  if (!(event.target instanceof HTMLInputElement) || event.target.type !== "file") return;
  if (event.target.form?.querySelector('[hx-target="#preview"]')) {
    document.getElementById("preview")?.replaceChildren();
  }
});

/** Amounts that are cut on the screen are copied with all of their digits. */
document.addEventListener("copy", (event) => {
  const selection = getSelection();
  if (selection === null || selection.isCollapsed || event.target.closest?.("input, textarea")) return;
  const copied = selection.getRangeAt(0).cloneContents();
  const around = selection.anchorNode?.parentElement?.closest("data.cut");
  if (around) {
    event.clipboardData.setData("text/plain", around.value);
    event.preventDefault();
    return;
  }
  const cut = copied.querySelectorAll("data.cut");
  if (cut.length === 0) return;
  for (const amount of cut) amount.textContent = amount.value;
  event.clipboardData.setData("text/plain", plainText(copied));
  event.preventDefault();
});

/** Cells parted by tabs, rows by line ends: what a spreadsheet takes. */
function plainText(fragment) {
  for (const cell of fragment.querySelectorAll("th + td, td + td, th + th")) cell.prepend("\t");
  for (const row of fragment.querySelectorAll("tr, li, p, dt, dd")) row.append("\n");
  return fragment.textContent.trim();
}

/** What the chosen parts of a split leave of the line, while someone types. In whole units: a float would be off by a little. */
function showRest(form) {
  const given = new FormData(form);
  const amounts = [];
  for (const [name, value] of given) {
    if (name.startsWith("take:")) amounts.push(given.get(`amount:${name.slice(5)}`));
    else if (/^other-\d$/.test(name) && value.trim() !== "")
      amounts.push(given.get(name.replace("-", "-amount-")));
  }
  const units = amounts.filter((text) => text.trim() !== "").map(unitsOf);
  const total = unitsOf(form.dataset.split);
  const place = form.querySelector("[data-rest]");
  place.closest("[hidden]")?.removeAttribute("hidden");
  if (units.includes(null)) place.textContent = "?";
  else if (units.length < amounts.length) place.textContent = "0";
  else place.textContent = textOfUnits(units.reduce((left, one) => left - one, total));
}

const places = 30;

function unitsOf(text) {
  const [, whole, fraction = ""] = /^(\d*)(?:\.(\d{0,30}))?$/.exec(text.trim()) ?? [];
  return whole === undefined ? null : BigInt(whole + fraction.padEnd(places, "0"));
}

function textOfUnits(units) {
  const digits = String(units < 0n ? -units : units).padStart(places + 1, "0");
  const text = `${digits.slice(0, -places)}.${digits.slice(-places)}`.replace(/\.?0+$/, "");
  return units < 0n ? `−${text}` : text;
}

document.addEventListener("input", (event) => {
  const form = event.target instanceof Element ? event.target.closest("form[data-split]") : null;
  if (form !== null) showRest(form);
});

function showRests() {
  for (const form of document.querySelectorAll("form[data-split]")) showRest(form);
}

document.addEventListener("htmx:afterSettle", showRests);

offerLocalZone();
acceptDrops();
showRests();
showCurrent();
