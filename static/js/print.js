// A button that prints the page; without script the browser's own way is left.
const button = document.querySelector("[data-print]");
button.hidden = false;
button.addEventListener("click", () => window.print());
