"use strict";
const elements = (selector, inside = document) => [...inside.querySelectorAll(selector)];

async function unpack(id) {
  const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), c => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

function cell(row, text, kind) {
  const made = row.insertCell();
  made.textContent = text;
  if (kind) made.className = kind;
}

const show = {
  text(place, text) {
    const made = document.createElement("pre");
    made.tabIndex = 0;
    made.textContent = text;
    place.append(made);
  },
  diff(place, rows) {
    const table = document.createElement("table");
    table.createCaption().textContent = "before and after";
    for (const [kind, before, after] of rows) {
      const row = table.insertRow();
      if (kind === "@") row.className = "gap";
      cell(row, before, "~-".includes(kind) ? "removed" : "");
      cell(row, after, "~+".includes(kind) ? "added" : "");
    }
    place.append(table);
  },
  assembly(place, rows) {
    const table = document.createElement("table");
    const head = table.createTHead().insertRow();
    for (const name of ["count", "cycles", "stalls", "instructions"]) {
      const made = document.createElement("th");
      made.scope = "col";
      made.textContent = name;
      head.append(made);
    }
    const body = table.createTBody();
    for (const [count, cycles, stalls, text, line] of rows) {
      const row = body.insertRow();
      cell(row, count, "number");
      cell(row, cycles, "number");
      cell(row, stalls);
      cell(row, text);
      if (line >= 0) row.dataset.line = line;
    }
    place.append(table);
    connect(body);
  },
};

async function fill(place) {
  if (place.dataset.filled) return;
  place.dataset.filled = "1";
  show[place.dataset.show](place, await unpack(place.dataset.from));
}

function mark(line) {
  for (const each of elements(".hot")) each.classList.remove("hot");
  if (line !== undefined) for (const each of elements(`[data-line="${line}"]`)) each.classList.add("hot");
}

function connect(inside) {
  for (const row of elements("[data-line]", inside)) {
    row.addEventListener("mouseenter", () => mark(row.dataset.line));
    row.addEventListener("focus", () => mark(row.dataset.line));
    row.addEventListener("mouseleave", () => mark());
    row.addEventListener("click", () => follow(row));
    row.addEventListener("keydown", event => { if (event.key === "Enter") follow(row); });
  }
}

async function follow(row) {
  const details = document.getElementById("assembly-details");
  const there = row.closest("#assembly") ? "#lines" : "#assembly";
  details.open = true;
  await fill(document.getElementById("assembly"));
  mark(row.dataset.line);
  const other = document.querySelector(`${there} [data-line="${row.dataset.line}"]`);
  if (other) other.scrollIntoView({block: "center"});
}

function zoom(figure) {
  let scale = 1;
  const drawing = figure.querySelector("svg");
  const width = drawing.viewBox.baseVal.width;
  const apply = factor => {
    scale = Math.min(8, Math.max(0.1, scale * factor));
    drawing.style.width = `${width * scale}px`;
  };
  for (const button of elements("button", figure)) {
    button.addEventListener("click", () => apply(button.dataset.zoom === "in" ? 1.25 : 0.8));
  }
  figure.addEventListener("wheel", event => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    apply(event.deltaY < 0 ? 1.1 : 0.9);
  }, {passive: false});
}

for (const details of elements("details")) {
  details.addEventListener("toggle", () => {
    if (details.open) for (const place of elements(":scope > [data-from]", details)) fill(place);
  });
}
for (const figure of elements("[data-zooms]")) zoom(figure);
connect(document);
