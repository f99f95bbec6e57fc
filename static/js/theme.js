// Light or dark without a reload: the form's own answer sets the cookie, this only shows the choice at once.
const form = document.getElementById("theme");
form?.addEventListener("submit", async (event) => {
  const choice = event.submitter?.value;
  if (!choice) return;
  event.preventDefault();
  if (choice === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = choice;
  for (const button of form.querySelectorAll("button")) button.ariaPressed = String(button.value === choice);
  const body = new URLSearchParams(new FormData(form, event.submitter));
  await fetch(form.action, { method: "POST", body, redirect: "manual" }).catch(() => {});
});
