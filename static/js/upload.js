// The page of imports: files can be dropped on it. Without script the file input does the same.
const form = document.querySelector("[data-drop]");
const input = form.querySelector("input[type=file]");

function show() {
  const names = [...input.files].map((file) => `${file.name} (${Math.ceil(file.size / 1024)} KiB)`);
  const lines = names.map((name) => Object.assign(document.createElement("li"), { textContent: name }));
  form.querySelector("[data-chosen]").replaceChildren(...lines);
}

for (const kind of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(kind, (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    form.classList.toggle("dropping", kind === "dragover");
    if (kind !== "drop") return;
    // Dropped files are added to the chosen ones. Folders have no bytes of their own.
    const items = [...event.dataTransfer.items].filter((item) => item.kind === "file");
    const isFolder = (item) => Boolean(item.webkitGetAsEntry?.()?.isDirectory);
    form.querySelector("[data-folder]").hidden = !items.some(isFolder);
    const all = new DataTransfer();
    const dropped = items.filter((item) => !isFolder(item)).map((item) => item.getAsFile());
    for (const file of [...input.files, ...dropped]) all.items.add(file);
    input.files = all.files;
    show();
  });
}
input.addEventListener("change", show);
