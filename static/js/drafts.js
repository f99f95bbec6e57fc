// A text that is being typed stays in this browser until its act is queued: Escape, a reload or a crash loses nothing.
const prefix = `evalsite:typed:${document.getElementById("acts").dataset.evaluation}:`;
const FIELDS = "[name='text'], [name^='text~']";
const subject = (act) => act.split("~").slice(0, 2).join("~");

// Where the text of a field is kept, such as "...:comment~message:5"; "" for a field of a form that is no act.
function place(field) {
  const act = field.name === "text" ? field.form?.elements.act?.value : field.name.slice(5);
  return act ? prefix + subject(act) : "";
}

const forget = (field) => localStorage.removeItem(place(field));

// Notes are saved on leaving their field, so those found here are saved at once; any other text waits for its button.
function restore(within) {
  for (const field of within.querySelectorAll(FIELDS)) {
    const text = place(field) && localStorage.getItem(place(field));
    if (!text || field.value !== field.defaultValue || text === field.value) continue;
    field.value = text;
    if (field.matches("[data-autosave]")) field.dispatchEvent(new Event("change", { bubbles: true }));
    const note = document.getElementById(`${field.id}-kept`);
    if (!note) continue;
    note.hidden = false;
    field.setAttribute("aria-describedby", note.id);
  }
}

document.addEventListener("input", ({ target }) => {
  if (!target.matches(FIELDS) || !place(target)) return;
  if (target.value === target.defaultValue) forget(target);
  else localStorage.setItem(place(target), target.value);
});

// Ctrl+Enter submits the evaluation: the text is saved first.
document.addEventListener("keydown", ({ key, ctrlKey, metaKey, target }) => {
  if (key !== "Enter" || !(ctrlKey || metaKey) || !target.matches(".act [name=text]")) return;
  if (target.value !== target.defaultValue) target.form.requestSubmit();
}, true);

// The script of the acts, which comes first, has queued the text.
document.addEventListener("change", ({ target }) => target.matches("[data-autosave]") && forget(target));
document.addEventListener("submit", ({ target, submitter }) => {
  for (const field of (submitter?.closest(".typed") ?? target).querySelectorAll(FIELDS)) forget(field);
});
document.addEventListener("act:over", ({ detail: { act, status } }) => {
  if (status >= 400 && act.fields.text) localStorage.setItem(prefix + subject(act.fields.act), act.fields.text);
});
document.body.addEventListener("htmx:afterSettle", ({ target }) => restore(target));

if (document.getElementById("submit")) restore(document);
else for (const key of Object.keys(localStorage)) if (key.startsWith(prefix)) localStorage.removeItem(key);
