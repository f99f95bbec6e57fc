// The script of every page's frame: the theme without a reload, the sign-in dialog in place, copying.
const theme = document.getElementById("theme");
theme?.addEventListener("submit", async (event) => {
  const choice = event.submitter?.value;
  if (!choice) return;
  event.preventDefault();
  if (choice === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = choice;
  for (const button of theme.querySelectorAll("button")) button.ariaPressed = String(button.value === choice);
  const body = new URLSearchParams(new FormData(theme, event.submitter));
  await fetch(theme.action, { method: "POST", body, redirect: "manual" }).catch(() => {});
});

const signin = document.getElementById("signin");
document.body.addEventListener("htmx:afterSwap", (event) => {
  if (event.target === signin && !signin.open && signin.querySelector("form")) signin.showModal();
});

// A refusal is a note for the page, whatever its status; it must not clear what is typed in an open dialog.
document.body.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (detail.xhr.getResponseHeader("HX-Retarget")) detail.shouldSwap = true;
  if (detail.target === signin && signin.open && !signin.contains(detail.elt)) detail.shouldSwap = false;
});
function sayAway({ detail: { requestConfig, xhr } }) {
  const isSaid = requestConfig.triggeringEvent?.type !== "submit" || xhr.getResponseHeader("HX-Retarget");
  if (!isSaid) document.getElementById("toasts").replaceChildren(document.getElementById("away").content.cloneNode(true));
}
for (const kind of ["htmx:sendError", "htmx:responseError"]) document.body.addEventListener(kind, sayAway);

// Signing in changes the CSRF token: every form of the page gets the new one.
document.body.addEventListener("signed-in", (event) => {
  signin.close();
  const token = event.detail.csrfToken;
  document.body.setAttribute("hx-headers", JSON.stringify({ "X-CSRFToken": token }));
  for (const field of document.getElementsByName("csrfmiddlewaretoken")) field.value = token;
});

// After an act, the server names the element that gets the focus.
document.body.addEventListener("go-to", ({ detail: { id } }) => document.getElementById(id)?.focus());

// A secret that is shown once can be copied by a button.
for (const button of document.querySelectorAll("[data-copies]")) {
  button.hidden = !navigator.clipboard;
  button.addEventListener("click", async () => {
    document.getElementById(button.dataset.copies).select();
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copies).value);
    button.textContent = button.dataset.copied;
  });
}

// From the next page on, the server shows times in the browser's zone to people who chose none.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
if (zone && !document.cookie.split("; ").includes(`zone=${zone}`)) {
  document.cookie = `zone=${zone}; path=/; max-age=31536000; samesite=lax${location.protocol === "https:" ? "; secure" : ""}`;
}

// A scrolling row of tabs starts with the current tab in view.
for (const current of document.querySelectorAll(":is(.tabs, .top nav ul, .steps) [aria-current]")) {
  const row = current.closest("ul, .steps");
  const beyond = current.getBoundingClientRect().right - row.getBoundingClientRect().right;
  if (beyond > 0) row.scrollLeft += beyond + 24;
}
