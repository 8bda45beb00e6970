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
