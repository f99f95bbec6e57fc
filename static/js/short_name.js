// While the name of a project is typed, its short name is proposed, until somebody types another one.
const [name, slug] = document.querySelectorAll("#id_name, #id_slug");
name.addEventListener("input", () => {
  const plain = name.value.normalize("NFKD").toLowerCase().replace(/[^ -~]|'/g, "").replace(/[^a-z0-9]+/g, "-");
  if (slug.value === (slug.dataset.made ?? "")) slug.value = slug.dataset.made = plain.slice(0, 60).replace(/^-|-$/g, "");
});
