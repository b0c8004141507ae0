/* Reading a chart: the point under the pointer or reached by keys, the tools, and files to take away. */
const NEAR = 28;
const WHOLE_KEYS = { "+": 2, "=": 2, "-": 0.5 };
const STYLES = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray",
  "stroke-linejoin", "font-family", "font-size", "text-anchor", "vector-effect"];

class Reading {
  constructor(figure) {
    this.figure = figure;
    this.svg = figure.querySelector("svg");
    this.title = figure.querySelector("h3, h4").textContent;
    this.columns = JSON.parse(figure.dataset.columns);
    this.points = JSON.parse(figure.dataset.points);
    this.places = places(this.svg);
    this.zoom = this.svg.dataset.area ? new Zoom(this.svg) : null;
    this.stage = figure.querySelector(".stage");
    this.tip = made("div", { class: "tip", role: "status", hidden: "" });
    this.ring = drawn("circle", { class: "ring", r: 8, visibility: "hidden" });
    this.svg.append(this.ring);
    this.stage.append(this.tip);
    for (const title of this.svg.querySelectorAll(".marker > title, .bar > title")) title.remove();
    this.at = -1;
    this.listen();
    figure.querySelector(".legend, details").before(this.tools());
  }
  listen() {
    const { stage } = this;
    stage.tabIndex = 0;
    stage.setAttribute("role", "group");
    stage.setAttribute("aria-label", `${this.title}. ${HELP}`);
    stage.addEventListener("pointermove", (event) => this.pointed(event));
    stage.addEventListener("pointerleave", () => this.read(-1));
    stage.addEventListener("blur", () => this.read(-1));
    stage.addEventListener("keydown", (event) => this.pressed(event));
    stage.addEventListener("dblclick", (event) => this.zoom?.by(2, this.under(event)));
    stage.addEventListener("wheel", (event) => {
      if (!event.ctrlKey || !this.zoom) return;
      event.preventDefault();
      this.zoom.by(event.deltaY < 0 ? 1.25 : 0.8, this.under(event));
    }, { passive: false });
    window.addEventListener("beforeprint", () => this.zoom?.whole());
  }
  /* Where the pointer is, in the picture as it was drawn. */
  under(event) {
    const [x, y] = this.onPicture(event);
    const { area, view } = this.zoom;
    return [view.x + ((x - area.x) * view.width) / area.width,
      view.y + ((y - area.y) * view.height) / area.height];
  }
  onPicture(event) {
    const at = new DOMPoint(event.clientX, event.clientY);
    const { x, y } = at.matrixTransform(this.svg.getScreenCTM().inverse());
    return [x, y];
  }
  now(index) {
    const place = this.places[index];
    return this.zoom ? this.zoom.placed(place) : place;
  }
  visible(index) { return !this.zoom || this.zoom.seen(this.places[index]); }
  pointed(event) {
    if (event.buttons === 1 && this.zoom) {
      const scale = this.svg.getScreenCTM().a * this.zoom.factor;
      this.zoom.pan(-event.movementX / scale, -event.movementY / scale);
    }
    const [x, y] = this.onPicture(event);
    let [best, least] = [-1, NEAR];
    this.places.forEach((_, index) => {
      const [across, down] = this.now(index);
      const apart = Math.hypot(across - x, down - y);
      if (apart < least && this.visible(index)) [best, least] = [index, apart];
    });
    this.read(best);
  }
  pressed(event) {
    const { key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const last = this.points.length - 1;
    const steps = { ArrowRight: this.at + 1, ArrowLeft: this.at - 1, Home: 0, End: last };
    const middle = this.at < 0 ? undefined : this.places[this.at];
    if (key in steps) this.step(Math.min(Math.max(steps[key], 0), last));
    else if (key in WHOLE_KEYS && this.zoom) this.zoom.by(WHOLE_KEYS[key], middle);
    else if (key === "0" && this.zoom) this.zoom.whole();
    else if (key === "Escape") this.read(-1);
    else return;
    event.preventDefault();
    if (this.at >= 0) this.read(this.at);
  }
  step(index) {
    if (this.zoom && !this.zoom.seen(this.places[index])) {
      const [x, y] = this.places[index];
      const { view } = this.zoom;
      this.zoom.pan(x - view.x - view.width / 2, y - view.y - view.height / 2);
    }
    this.read(index);
  }
  read(index) {
    this.at = index;
    this.tip.hidden = index < 0;
    this.ring.setAttribute("visibility", index < 0 ? "hidden" : "visible");
    if (index < 0) return;
    const [x, y] = this.now(index);
    this.ring.setAttribute("cx", x);
    this.ring.setAttribute("cy", y);
    const text = told(this.points[index], this.columns, this.svg.dataset);
    if (this.tip.textContent !== text) this.tip.textContent = text;
    const box = this.svg.viewBox.baseVal;
    this.tip.style.left = `${(100 * x) / box.width}%`;
    this.tip.style.top = `${(100 * y) / box.height}%`;
    this.tip.classList.toggle("leftwards", x > box.width / 2);
    this.tip.classList.toggle("downwards", y < box.height / 4);
  }
  tools() {
    const bar = made("div", { class: "tools", role: "group", "aria-label": `Tools: ${this.title}` });
    const button = (text, name, act) => {
      const one = made("button", { type: "button", "aria-label": `${name}: ${this.title}` }, text);
      one.addEventListener("click", act);
      bar.append(one);
    };
    if (this.zoom) {
      button("+", "Zoom in", () => this.zoom.by(2));
      button("−", "Zoom out", () => this.zoom.by(0.5));
      button("Whole", "Show the whole", () => this.zoom.whole());
    }
    button("SVG", "Download as SVG", () => save(this.name("svg"), alone(this), "image/svg+xml"));
    button("PNG", "Download as PNG", () => savePixels(this.name("png"), this));
    button("CSV", "Download as CSV", () => save(this.name("csv"), commas(this), "text/csv"));
    return bar;
  }
  name(ending) { return `${this.figure.id}.${ending}`; }
}

function save(name, content, type) {
  const blob = content instanceof Blob ? content : new Blob([content], { type });
  const link = made("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/* Text that a spreadsheet would run as a formula is kept from it. */
function cell(value) {
  if (value === null) return "";
  if (typeof value === "number") return String(Number(value.toPrecision(9)));
  const text = /^[=+\-@\t\r]/.test(value) && Number.isNaN(Number(value)) ? `'${value}` : value;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function commas({ columns, points }) {
  return [columns, ...points].map((row) => `${row.map(cell).join(",")}\n`).join("");
}

/* The picture by itself: with its title, its legend, and every colour written out. */
function alone({ svg, title, figure }) {
  const { width, height } = svg.viewBox.baseVal;
  const legend = [...figure.querySelectorAll(".legend li")];
  const copy = svg.cloneNode(true);
  const [above, below] = [30, 20 * legend.length + 8];
  copy.setAttribute("viewBox", `0 ${-above} ${width} ${height + above + below}`);
  copy.setAttribute("width", width);
  copy.setAttribute("height", height + above + below);
  const write = (text, x, y) => {
    const element = drawn("text", { x, y });
    element.textContent = text;
    copy.append(element);
  };
  const bars = figure.querySelector(".legend.bars") ? "bar" : "line";
  write(title, 12, -10);
  legend.forEach((item, index) => {
    const y = height + 10 + 20 * index;
    const style = `${bars} ${item.className}`;
    copy.append(bars === "bar" ? drawn("rect", { x: 12, y: y - 5, width: 24, height: 10, class: style })
      : drawn("polyline", { points: `12,${y} 36,${y}`, class: style }));
    write(item.textContent, 44, y + 4);
  });
  copy.querySelector(".ring").remove();
  figure.append(copy);
  for (const element of copy.querySelectorAll("*")) writeOut(element);
  const ground = getComputedStyle(document.documentElement).getPropertyValue("--card");
  copy.prepend(drawn("rect", { y: -above, width: "100%", height: "100%", fill: ground }));
  copy.remove();
  return new XMLSerializer().serializeToString(copy);
}

function writeOut(element) {
  const style = getComputedStyle(element);
  if (style.display === "none") {
    element.remove();
    return;
  }
  for (const name of STYLES) element.setAttribute(name, style.getPropertyValue(name));
  element.removeAttribute("class");
}

function savePixels(name, reading) {
  const image = new Image();
  image.addEventListener("load", () => {
    const canvas = made("canvas", { width: 2 * image.width, height: 2 * image.height });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save(name, blob));
  });
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(alone(reading))}`;
}

for (const figure of document.querySelectorAll("figure[data-points]")) new Reading(figure);
