// While the name of a project is typed, its short name is proposed, until somebody types another one.
const name = document.getElementById("id_name");
const slug = document.getElementById("id_slug");
let proposed = "";

name.addEventListener("input", () => {
  if (slug.value !== proposed) return;
  const plain = name.value.normalize("NFKD").replace(/[^\x20-\x7e]|'/g, "").toLowerCase();
  proposed = plain.replace(/[^a-z0-9]+/g, "-").slice(0, 60).replace(/^-+|-+$/g, "");
  slug.value = proposed;
});
