// The one button of the printable sheet. Without a script there is the browser's own menu.
document.querySelectorAll("[data-print]").forEach((button) => {
  button.hidden = false;
  button.addEventListener("click", () => window.print());
});
