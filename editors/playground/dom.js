// Elements of the page, and what foreign pages and pictures may bring into it.

/** An element with attributes; `on…` are listeners. Children that say nothing are left out. */
export function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child || child === 0));
  return element;
}

export const find = (id) => document.getElementById(id);

let held = false;

/** Shows a message in the line that screen readers announce. One that `holds` stays until the text
 * is changed or something else is done; what `yields` to it is not shown before. */
export function say(text, kind = "", { holds = false, yields = false } = {}) {
  if (yields && held) return;
  held = holds;
  const line = find("status");
  line.textContent = text;
  line.className = kind;
}

/** From now on any message may take the place of the one shown. */
export function release() {
  held = false;
}

/** Offers a text, or bytes, as a file. */
export function download(name, content, type = "text/plain") {
  const url = URL.createObjectURL(new Blob([content], { type }));
  h("a", { href: url, download: name.split("/").at(-1) }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

const MATHML = "http://www.w3.org/1998/Math/MathML";
const SVG = "http://www.w3.org/2000/svg";
const HTML = "http://www.w3.org/1999/xhtml";
const words = (text) => new Set(text.split(" "));

const ELEMENTS = {
  [HTML]: words(
    "section article header h1 h2 h3 h4 p div span b i em strong small sub sup code pre ul ol li dl " +
      "dt dd table caption thead tbody tr td th figure figcaption details summary br hr",
  ),
  [MATHML]: words(
    "math mrow mi mn mo mtext ms mspace mstyle mfrac msqrt mroot msub msup msubsup munder mover " +
      "munderover mtable mtr mtd mpadded mphantom menclose merror mmultiscripts mprescripts none",
  ),
  [SVG]: words("svg g rect line path polyline polygon circle ellipse text tspan title desc"),
};

const ATTRIBUTES = words(
  "class colspan rowspan scope display mathvariant stretchy fence form separator lspace rspace accent " +
    "accentunder movablelimits columnalign rowspacing columnspacing linethickness displaystyle " +
    "scriptlevel largeop symmetric minsize maxsize width height depth voffset notation " +
    "viewBox x y x1 y1 x2 y2 rx ry cx cy r d dx dy points fill fill-opacity stroke stroke-width " +
    "stroke-dasharray stroke-linejoin stroke-linecap opacity transform font-family font-size " +
    "font-weight font-style text-anchor dominant-baseline data-node",
);

/** A copy of what is known to do nothing: no scripts, styles, links, events or addresses. */
function copied(node) {
  if (node.nodeType === Node.TEXT_NODE) return document.createTextNode(node.data);
  if (node.nodeType !== Node.ELEMENT_NODE) return null;
  if (!ELEMENTS[node.namespaceURI]?.has(node.localName)) return null;
  const copy = document.createElementNS(node.namespaceURI, node.localName);
  for (const { name, value } of node.attributes) {
    if (ATTRIBUTES.has(name) && !/url\s*\(/i.test(value)) copy.setAttribute(name, value);
  }
  copy.append(...copies(node));
  return copy;
}

const copies = (node) => [...node.childNodes].map(copied).filter((copy) => copy !== null);

/** Without styles, which the page's policy blocks and reports as soon as a text is read. */
const plain = (text) => text.replace(/<style\b[\s\S]*?<\/style>/gi, "").replace(/\sstyle="[^"]*"/gi, "");

/** What stands in the body of a page. */
export function pageParts(text) {
  return copies(new DOMParser().parseFromString(plain(text), "text/html").body);
}

/** The drawing of an SVG text; null where it is none. */
export function picture(text) {
  const root = new DOMParser().parseFromString(plain(text), "image/svg+xml").documentElement;
  return root.namespaceURI === SVG && root.localName === "svg" ? copied(root) : null;
}
