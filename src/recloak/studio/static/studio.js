/* What htmx does not: keeping what is filled in, copying commands, dropping files, and charts that came later. */
"use strict";
const LONGEST_ADDRESS = 16000; // servers and browsers take no end of it
const PAUSE = 100; // milliseconds without a key: browsers refuse to change the address at each

function enlivened(root) {
  for (const figure of root.querySelectorAll("figure[data-points]:not([data-live])")) {
    figure.dataset.live = "yes";
    if (!figure.querySelector(".tools")) new Reading(figure);
  }
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button.copy");
  if (!button) return;
  const text = button.parentElement.querySelector("code").textContent;
  const before = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = button.dataset.copied;
  } catch {
    const range = document.createRange();
    range.selectNodeContents(button.parentElement.querySelector("code"));
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    button.textContent = "Selected";
  }
  setTimeout(() => { button.textContent = before; }, 2000);
});

/* What is filled in stands in the address, where a reload finds it; secrets and files never do. */
function filled(form) {
  return [...new FormData(form)].filter(([name, value]) => {
    const field = form.elements.namedItem(name);
    return field.type !== "password" && typeof value === "string" && (value || field.required);
  });
}

function keep() {
  const forms = [...document.querySelectorAll("form[data-kept]")];
  if (!forms.length) return;
  const pairs = forms.flatMap(filled);
  const [all, address] = [pairs.length, () => `${forms[0].dataset.kept}?${new URLSearchParams(pairs)}`];
  while (address().length > LONGEST_ADDRESS) {
    const lengths = pairs.map(([, value]) => value.length);
    pairs.splice(lengths.indexOf(Math.max(...lengths)), 1);
  }
  history.replaceState(history.state, "", address());
  document.getElementById("not-kept").hidden = pairs.length === all;
}

let waiting;
for (const [kind, pause] of [["input", PAUSE], ["change", 0]]) {
  document.addEventListener(kind, (event) => {
    if (!event.target.form?.dataset.kept) return;
    clearTimeout(waiting);
    waiting = setTimeout(keep, pause);
  });
}

async function sent(file, status) {
  status.textContent = `Sending ${file.name} …`;
  const answer = await fetch(`/files/upload?name=${encodeURIComponent(file.name)}`,
    { method: "POST", body: file, headers: { "Content-Type": "application/octet-stream" } });
  if (answer.ok) location.assign((await answer.json()).location);
  else status.textContent = await answer.text();
}

function droppable(zone) {
  const chosen = zone.querySelector("input[type=file]");
  const status = zone.querySelector("[role=status]");
  const failed = () => { status.textContent = "The file could not be sent; open it by its path."; };
  const take = (files) => { if (files.length) sent(files[0], status).catch(failed); };
  chosen.addEventListener("change", () => take(chosen.files));
  for (const name of ["dragenter", "dragover"]) {
    zone.addEventListener(name, (event) => { event.preventDefault(); zone.classList.add("over"); });
  }
  for (const name of ["dragleave", "drop"]) {
    zone.addEventListener(name, () => zone.classList.remove("over"));
  }
  zone.addEventListener("drop", (event) => { event.preventDefault(); take(event.dataTransfer.files); });
}

/* A slider shows its value while it is moved. */
document.addEventListener("input", (event) => {
  const shown = event.target.closest(".slider")?.querySelector("output");
  if (event.target.type === "range" && shown) shown.textContent = event.target.value;
});

/* The dot of a frontier that is pointed at, or was stepped to by keys, leads to its details. */
function unfold(stage) {
  const tip = stage?.querySelector("[role=status]");
  if (!tip || tip.hidden) return;
  const name = tip.textContent.split(": ")[0];
  const details = [...document.querySelectorAll("details.setting")].find((one) => one.dataset.name === name);
  if (!details) return;
  details.open = true;
  details.querySelector("summary").focus();
}

document.addEventListener("click", (event) => unfold(event.target.closest("[data-settings] .stage")));
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !event.target.matches("[data-settings] .stage")) return;
  event.preventDefault(); // else the key would fold what it has just unfolded
  unfold(event.target);
});

/* What was unfolded stays so when newer figures take the place of older ones. */
let unfolded = [];
document.addEventListener("htmx:beforeSwap", () => {
  unfolded = [...document.querySelectorAll("details[data-name][open]")].map((one) => one.dataset.name);
});
document.addEventListener("htmx:afterSettle", () => {
  for (const one of document.querySelectorAll("details[data-name]")) {
    if (unfolded.includes(one.dataset.name)) one.open = true;
  }
  enlivened(document);
  if (location.search) keep(); // a part that took the place of another has fields of its own
});
document.addEventListener("DOMContentLoaded", () => {
  for (const figure of document.querySelectorAll("figure[data-points]")) figure.dataset.live = "yes";
  document.querySelectorAll(".drop").forEach(droppable);
});
