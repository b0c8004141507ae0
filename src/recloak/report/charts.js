/* Charts that can be pointed at, walked through by keys and zoomed; without this the page is whole. */
"use strict";
const SVG = "http://www.w3.org/2000/svg";
const MOST = 32;
const MARKS = ".band, .line, .marker, .bar, .whisker, .value";
const HELP = "Arrow keys step through the points, plus and minus zoom, zero shows the whole.";

function made(name, attributes, text) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text) element.textContent = text;
  return element;
}

function drawn(name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

/* Where each point lies in the picture, in the order of its numbers. */
function places(svg) {
  const marks = [...svg.querySelectorAll(".marker, .bar")];
  if (marks.length) {
    return marks.map((mark) => {
      const box = mark.getBBox();
      const middle = mark.classList.contains("bar") ? 0 : box.height / 2;
      return [box.x + box.width / 2, box.y + middle];
    });
  }
  return [...svg.querySelectorAll(".line")].flatMap((line) =>
    [...line.points].map((point) => [point.x, point.y]));
}

/* A number as its axis has it, with its interval. */
function amount(axis, value, low, high) {
  const shown = (number) => minus(axis.startsWith("percent")
    ? `${(100 * number).toFixed(1)}%` : number.toLocaleString("en", { maximumSignificantDigits: 4 }));
  return low === null ? shown(value) : `${shown(value)} (${shown(low)} to ${shown(high)})`;
}

function minus(text) { return text.replace("-", "−"); }

/* A point is one number at a place, or two numbers: one for each axis. */
function told([name, ...rest], columns, { x, y }) {
  if (rest.length === 6) {
    const [across, up] = [amount(x, ...rest.slice(0, 3)), amount(y, ...rest.slice(3))];
    return `${name}: ${columns[1]} ${across}, ${columns[4]} ${up}`;
  }
  const [place, ...found] = rest;
  return `${name}, ${columns[1].toLowerCase()} ${place}: ${amount(y, ...found)}`;
}

class Axis {
  constructor(text, start, end) {
    const [kind, low, high] = text.split(" ");
    this.kind = kind;
    this.start = start;
    this.end = end;
    [this.low, this.high] = [Number(low), Number(high)].map((at) => this.bent(at));
  }
  bent(value) { return this.kind === "log" ? Math.log10(value) : value; }
  straight(value) { return this.kind === "log" ? 10 ** value : value; }
  at(place) {
    const share = (place - this.start) / (this.end - this.start);
    return this.straight(this.low + share * (this.high - this.low));
  }
  place(value) {
    const share = (this.bent(value) - this.low) / (this.high - this.low);
    return this.start + share * (this.end - this.start);
  }
  ticks(from, to) {
    const step = niceStep((to - from) / 6);
    const found = [];
    if (this.kind === "log" && to / from > 4) {
      for (let power = 1; power <= to; power *= 10) {
        for (const factor of [1, 2, 5]) found.push(power * factor);
      }
    } else {
      for (let at = Math.ceil(from / step); at * step <= to; at += 1) found.push(at * step);
    }
    const slack = (to - from) / 1e6;
    const inside = found.filter((value) => value >= from - slack && value <= to + slack);
    return inside.map((value) => [this.place(value), this.name(value, step)]);
  }
  name(value, step) {
    if (this.kind === "log") return value.toLocaleString("en", { maximumSignificantDigits: 4 });
    const digits = Math.max(0, -Math.floor(Math.log10(step * (this.kind === "percent" ? 100 : 1))));
    return minus(this.kind === "percent"
      ? `${(100 * value).toFixed(digits)}%` : value.toFixed(Math.min(digits, 8)));
  }
}

function niceStep(span) {
  const power = 10 ** Math.floor(Math.log10(span));
  return power * [1, 2, 5, 10].find((factor) => power * factor >= span);
}

/* The part of a picture that is shown; axes follow it. */
class Zoom {
  constructor(svg) {
    this.svg = svg;
    const [x, y, width, height] = svg.dataset.area.split(" ").map(Number);
    this.area = { x, y, width, height };
    this.x = new Axis(svg.dataset.x, x, x + width);
    this.y = new Axis(svg.dataset.y, y + height, y);
    this.inside = drawn("svg", { x, y, width, height, overflow: "visible" });
    this.inside.append(...svg.querySelectorAll(MARKS));
    this.ticks = drawn("g", {});
    svg.append(this.ticks, this.inside);
    this.whole();
  }
  get factor() { return this.area.width / this.view.width; }
  whole() { this.show({ ...this.area }); }
  by(times, middle) {
    const factor = Math.min(Math.max(this.factor * times, 1), MOST);
    const [width, height] = [this.area.width / factor, this.area.height / factor];
    const { view } = this;
    const [x, y] = middle ?? [view.x + view.width / 2, view.y + view.height / 2];
    const [left, top] = [(x - view.x) / view.width, (y - view.y) / view.height];
    this.show({ x: x - left * width, y: y - top * height, width, height });
  }
  pan(right, down) {
    this.show({ ...this.view, x: this.view.x + right, y: this.view.y + down });
  }
  show(view) {
    const { area } = this;
    const within = (at, low, room) => Math.min(Math.max(at, low), low + room);
    view.x = within(view.x, area.x, area.width - view.width);
    view.y = within(view.y, area.y, area.height - view.height);
    this.view = view;
    this.inside.setAttribute("viewBox", `${view.x} ${view.y} ${view.width} ${view.height}`);
    const zoomed = this.factor > 1;
    this.inside.setAttribute("overflow", zoomed ? "hidden" : "visible");
    this.svg.classList.toggle("zoomed", zoomed);
    for (const mark of this.inside.querySelectorAll(".marker, .value")) this.keepSize(mark);
    this.ticks.replaceChildren(...(zoomed ? this.newTicks() : []));
  }
  keepSize(mark) {
    const { x, y, width, height } = mark.getBBox();
    const [across, down] = [x + width / 2, y + height / 2];
    const less = 1 / this.factor;
    mark.setAttribute("transform",
      `translate(${across} ${down}) scale(${less}) translate(${-across} ${-down})`);
  }
  newTicks() {
    const { area, view } = this;
    const parts = [];
    const label = (text, x, y, style) => {
      const element = drawn("text", { x, y, class: `tick ${style}` });
      element.textContent = text;
      parts.push(element);
    };
    for (const [at, text] of this.y.ticks(this.y.at(view.y + view.height), this.y.at(view.y))) {
      const y = area.y + ((at - view.y) * area.height) / view.height;
      parts.push(drawn("line", { x1: area.x, x2: area.x + area.width, y1: y, y2: y, class: "grid" }));
      label(text, area.x - 8, y + 4, "end");
    }
    for (const [at, text] of this.across()) {
      const x = area.x + ((at - view.x) * area.width) / view.width;
      if (x >= area.x && x <= area.x + area.width) label(text, x, area.y + area.height + 18, "middle");
    }
    return parts;
  }
  across() {
    if (this.x.kind !== "named") {
      return this.x.ticks(this.x.at(this.view.x), this.x.at(this.view.x + this.view.width));
    }
    return [...this.svg.querySelectorAll(":scope > .tick.middle")].map((tick) =>
      [Number(tick.getAttribute("x")), tick.textContent]);
  }
  /* From the picture as it was drawn to where it is now. */
  placed([x, y]) {
    const { area, view } = this;
    return [area.x + ((x - view.x) * area.width) / view.width,
      area.y + ((y - view.y) * area.height) / view.height];
  }
  seen([x, y]) {
    const slack = this.factor > 1 ? 0 : 1;
    const { view } = this;
    return x >= view.x - slack && x <= view.x + view.width + slack
      && y >= view.y - slack && y <= view.y + view.height + slack;
  }
}
