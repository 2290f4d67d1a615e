// Shows the cards of the gallery that fit what is chosen above them.
const form = document.querySelector(".gallery-filter");
const cards = [...document.querySelectorAll(".gallery .sd-col")];

function choose() {
  const wanted = [...form.querySelectorAll("select")]
    .filter((select) => select.value)
    .map((select) => `${select.dataset.prefix}-${select.value}`);
  if (form.querySelector("input").checked) wanted.push("constrained");
  let shown = 0;
  for (const card of cards) {
    card.hidden = !wanted.every((name) => card.classList.contains(name));
    shown += card.hidden ? 0 : 1;
  }
  form.querySelector("output").textContent = `${shown} of ${cards.length}`;
}

form.hidden = false;
form.addEventListener("change", choose);
form.addEventListener("submit", (event) => event.preventDefault());
choose();
