"use strict";
// Moves and enlarges the picture; without it the figure scrolls.
(() => {
  const figure = document.getElementById("tree");
  const picture = figure.querySelector("svg");
  const width = picture.width.baseVal.value, height = picture.height.baseVal.value;
  const nodes = [...picture.querySelectorAll("g[data-node]")];
  const byNumber = new Map(nodes.flatMap((g) => numbers(g).map((n) => [n, g])));
  let scale = 1, left = 0, top = 0;

  function numbers(group) { return group.dataset.node.split(" ").map(Number); }

  function draw() {
    picture.style.transform = `translate(${left}px, ${top}px) scale(${scale})`;
  }

  function whole() {
    scale = Math.min(1, figure.clientWidth / width, figure.clientHeight / height);
    left = (figure.clientWidth - width * scale) / 2;
    top = 0;
    draw();
  }

  // The whole tree where its text stays legible, else its root at the top. Narrow windows are those
  // of phones, on which a page is enlarged with two fingers.
  function begin() {
    whole();
    if (scale >= (figure.clientWidth < 600 ? 0.38 : 0.6)) return;
    const [x, y] = figure.dataset.root.split(" ").map(Number);
    scale = Math.min(1, Math.max(0.8, figure.clientWidth / width));
    left = figure.clientWidth / 2 - x * scale;
    top = Math.min(0, 12 - y * scale);
    draw();
  }

  function zoom(factor, x = figure.clientWidth / 2, y = figure.clientHeight / 2) {
    const next = Math.min(6, Math.max(0.05, scale * factor));
    left = x - ((x - left) * next) / scale;
    top = y - ((y - top) * next) / scale;
    scale = next;
    draw();
  }

  function show(group) {
    nodes.forEach((each) => each.setAttribute("tabindex", each === group ? "0" : "-1"));
    group.focus({ preventScroll: true });
    const box = group.getBoundingClientRect(), frame = figure.getBoundingClientRect();
    const past = (low, high, from, to) => (low < from ? from - low : high > to ? to - high : 0);
    left += past(box.left, box.right, frame.left + 8, frame.right - 8);
    top += past(box.top, box.bottom, frame.top + 8, frame.bottom - 8);
    draw();
  }

  // The nearest node above or below: nodes that are not shown are passed.
  function above(number) {
    for (let n = number >> 1; n >= 1; n >>= 1) if (byNumber.has(n)) return byNumber.get(n);
    return null;
  }

  function below(group, side) {
    const first = numbers(group)[0];
    const under = nodes.filter((g) => g !== group && above(numbers(g)[0]) === group);
    const isLeft = (g) => {
      let n = numbers(g)[0];
      while (n >> 1 > first) n >>= 1;
      return n % 2 === 0;
    };
    return under.find((g) => isLeft(g) === (side === 0)) || under[0] || null;
  }

  function beside(group, step) {
    const place = (g) => g.getBoundingClientRect();
    const level = Math.round(place(group).top);
    const row = nodes.filter((g) => Math.abs(place(g).top - level) < 24 * scale);
    row.sort((a, b) => place(a).left - place(b).left);
    return row[row.indexOf(group) + step] || null;
  }

  function onKey(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const group = document.activeElement.closest("g[data-node]");
    const at = group && numbers(group)[0];
    const go = {
      ArrowUp: () => group && above(at),
      ArrowDown: () => (group ? below(group, 0) : nodes[0]),
      ArrowLeft: () => group && beside(group, -1),
      ArrowRight: () => group && beside(group, 1),
      Home: () => nodes[0],
    }[event.key];
    const zooms = { "+": 1.25, "=": 1.25, "-": 0.8 };
    if (go) {
      const next = go();
      if (next) show(next);
    } else if (event.key in zooms) zoom(zooms[event.key]);
    else if (event.key === "0") whole();
    else return;
    event.preventDefault();
  }

  figure.classList.add("moving");
  figure.tabIndex = -1;
  document.querySelector(".tools").hidden = false;
  picture.setAttribute("role", "group");
  nodes.forEach((group, k) => {
    group.setAttribute("role", "img");
    group.setAttribute("aria-label", group.querySelector("title").textContent);
    group.setAttribute("tabindex", k ? "-1" : "0");
    group.addEventListener("focus", () => show(group));
  });
  figure.addEventListener("keydown", onKey);
  figure.addEventListener("scroll", () => { figure.scrollLeft = 0; figure.scrollTop = 0; });
  figure.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && figure !== document.activeElement.closest("figure")) return;
    event.preventDefault();
    const frame = figure.getBoundingClientRect();
    zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, event.clientX - frame.left, event.clientY - frame.top);
  }, { passive: false });
  const held = new Map();
  figure.addEventListener("pointerdown", (event) => {
    held.set(event.pointerId, event);
    figure.focus({ preventScroll: true });
  });
  window.addEventListener("pointermove", (event) => {
    const last = held.get(event.pointerId);
    if (!last) return;
    const others = [...held.values()].filter((each) => each.pointerId !== event.pointerId);
    if (others.length === 1) {
      const [other] = others, frame = figure.getBoundingClientRect();
      const apart = (one) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
      zoom(apart(event) / (apart(last) || 1), other.clientX - frame.left, other.clientY - frame.top);
    } else {
      left += event.clientX - last.clientX;
      top += event.clientY - last.clientY;
      draw();
    }
    held.set(event.pointerId, event);
  });
  for (const end of ["pointerup", "pointercancel"]) {
    window.addEventListener(end, (event) => held.delete(event.pointerId));
  }
  for (const button of document.querySelectorAll("[data-zoom]")) {
    const factor = { 1: 1.25, "-1": 0.8 }[button.dataset.zoom];
    button.addEventListener("click", () => (factor ? zoom(factor) : whole()));
  }
  window.addEventListener("resize", begin);
  begin();
})();
