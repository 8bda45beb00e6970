"use strict";
// On a phone a figure's letters are small: a button shows it large, to be scrolled in a box of its own.
for (const figure of document.querySelectorAll("figure")) {
  const [box, button] = ["div", "button"].map(tag => document.createElement(tag));
  const showLarge = large => {
    figure.classList.toggle("large", large);
    button.textContent = large ? "Show whole" : "Show large";
    box.tabIndex = large ? 0 : -1;
  };
  button.type = "button";
  button.addEventListener("click", () => showLarge(!figure.classList.contains("large")));
  box.className = "scroll";
  box.append(figure.querySelector("svg"));
  figure.prepend(box);
  figure.append(button);
  showLarge(false);
}
// On a phone a row of a table becomes a list, in which each cell has the head of its column before it.
for (const table of document.querySelectorAll(".scroll table")) {
  const heads = [...table.querySelectorAll("thead th")].map(head => head.textContent);
  for (const row of table.querySelectorAll("tbody tr")) {
    [...row.children].forEach((cell, index) => { cell.dataset.head = heads[index]; });
  }
  table.classList.add("listed");
}
