// Asks the device for a passkey, puts its answer into the form, and sends the form as any other.
"use strict";

for (const form of document.querySelectorAll("form[data-passkey]")) {
  const trouble = form.querySelector("[role=alert]");
  const answer = form.elements.namedItem("answer");
  let asking = false;

  async function fill() {
    trouble.hidden = true;
    try {
      const given = new URLSearchParams();
      const csrf = form.elements.namedItem("csrf");
      if (csrf !== null) given.set("csrf", csrf.value);
      const response = await fetch(form.dataset.passkey, { method: "POST", body: given }).catch(() => {
        throw new Error("tieout did not answer. Check the connection, and try again.");
      });
      if (!response.ok) throw new Error("The service refused. Load the page again.");
      answer.value = JSON.stringify(await ask(await response.json()));
      form.submit();
    } catch (error) {
      asking = false;
      answer.value = "";
      trouble.textContent =
        error.name === "NotAllowedError"
          ? "The device said no, or it took too long. Try again."
          : error.message;
      trouble.hidden = false;
    }
  }

  // A second click asks for nothing: the answer would be to the first question, and the server waits for one to the last.
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (asking) return;
    asking = true;
    void fill();
  });

  // Back from where the form led to.
  addEventListener("pageshow", () => {
    asking = false;
  });
}

/** With what the server wants, in bytes, and back again in text. */
async function ask(options) {
  const publicKey = { ...options, challenge: toBytes(options.challenge) };
  for (const list of ["excludeCredentials", "allowCredentials"]) {
    if (options[list]) publicKey[list] = options[list].map((each) => ({ ...each, id: toBytes(each.id) }));
  }
  if (options.user === undefined) return described(await navigator.credentials.get({ publicKey }));
  publicKey.user = { ...options.user, id: toBytes(options.user.id) };
  return described(await navigator.credentials.create({ publicKey }));
}

function described(credential) {
  const { response } = credential;
  const shown = { clientDataJSON: toText(response.clientDataJSON) };
  for (const name of ["attestationObject", "authenticatorData", "signature", "userHandle"]) {
    if (response[name]) shown[name] = toText(response[name]);
  }
  if (response.getTransports) shown.transports = response.getTransports();
  return {
    id: credential.id,
    rawId: toText(credential.rawId),
    type: credential.type,
    authenticatorAttachment: credential.authenticatorAttachment ?? undefined,
    clientExtensionResults: credential.getClientExtensionResults(),
    response: shown,
  };
}

function toBytes(text) {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
}

function toText(buffer) {
  const plain = String.fromCharCode(...new Uint8Array(buffer));
  return btoa(plain).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
