// A button that prints the page; without script, the browser's own command remains.
const button = document.querySelector("[data-print]");
button.hidden = false;
button.addEventListener("click", () => window.print());
