// The page of imports: files can be dropped on it. Without script the file input does the same.
const form = document.querySelector("[data-drop]");
const input = form.querySelector("input[type=file]");
const chosen = form.querySelector("[data-chosen]");
const folder = form.querySelector("[data-folder]");

const same = (one, other) => ["name", "size", "lastModified"].every((key) => one[key] === other[key]);
const holdsFiles = (event) => event.dataTransfer?.types.includes("Files");

function show() {
  const names = [...input.files].map((file) => {
    const line = document.createElement("li");
    line.textContent = `${file.name} (${Math.ceil(file.size / 1024)} KiB)`;
    return line;
  });
  chosen.replaceChildren(...names);
}

// What was dropped joins what is chosen already; the same file twice is chosen once.
function add(files) {
  const all = new DataTransfer();
  const kept = [];
  for (const file of [...input.files, ...files]) {
    if (!kept.some((other) => same(file, other))) kept.push(file);
  }
  for (const file of kept) all.items.add(file);
  input.files = all.files;
  show();
}

document.addEventListener("dragover", (event) => {
  if (!holdsFiles(event)) return;
  event.preventDefault();
  form.classList.add("dropping");
});
document.addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) form.classList.remove("dropping");
});
document.addEventListener("drop", (event) => {
  if (!holdsFiles(event)) return;
  event.preventDefault();
  form.classList.remove("dropping");
  const items = [...event.dataTransfer.items].filter((item) => item.kind === "file");
  const isFolder = (item) => item.webkitGetAsEntry?.()?.isDirectory;
  folder.hidden = !items.some(isFolder);
  add(items.filter((item) => !isFolder(item)).map((item) => item.getAsFile()));
});
input.addEventListener("change", show);

// An upload that is too large is answered before a page is made: its note is shown, too, and the choice stays.
document.body.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (detail.requestConfig.elt === form && [400, 413].includes(detail.xhr.status)) detail.shouldSwap = true;
});
show();
