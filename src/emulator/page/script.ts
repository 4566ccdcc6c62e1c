/** The page's program, for browsers: plain JavaScript that loads nothing but `/_emulator/view`. */
export const SCRIPT = `
const byId = (id) => document.getElementById(id);
const TITLES = { dashboards: "Dashboards", exports: "Exports", domains: "Domains", people: "People", invites: "Invites", plugins: "Plugins" };
const scope = { organization: "", project: 0 };
let data, last = "", paused = false;

const make = (name, attributes = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) if (value !== undefined) made.setAttribute(key, value);
  made.append(...children);
  return made;
};
const show = (value) => {
  if (value === null || value === undefined || value === "") return "–";
  if (value === true) return "yes";
  if (value === false) return "no";
  if (Array.isArray(value)) return value.every((one) => typeof one !== "object") ? value.join(", ") || "–" : JSON.stringify(value, null, 2);
  return typeof value === "object" ? (Object.keys(value).length === 0 ? "–" : JSON.stringify(value, null, 2)) : String(value);
};
const count = (number) => number.toLocaleString("en");
const isInScope = (item) => (scope.organization === "" || item.organization === scope.organization) && (scope.project === 0 || item.project === undefined || item.project === scope.project);
/** Replaces what is inside, and gives the focus back to the element with the same key. */
function replace(place, ...children) {
  const focused = document.activeElement;
  const key = place.contains(focused) ? focused.dataset.key : undefined;
  place.replaceChildren(...children);
  if (key !== undefined) place.querySelector('[data-key="' + CSS.escape(key) + '"]')?.focus();
}
function button(key, text, press, attributes = {}) {
  const made = make("button", { type: "button", "data-key": key, ...attributes }, text);
  made.addEventListener("click", press);
  return made;
}

function choice(key, text, organization, project) {
  const isChosen = scope.organization === organization && scope.project === project;
  return button(key, text, () => { Object.assign(scope, { organization, project }); draw(); }, isChosen ? { "aria-current": "true" } : {});
}
function drawScopes() {
  const organizations = data.organizations.map(({ id, name, projects }) =>
    make("li", {}, choice(id, name, id, 0), make("ul", {}, ...projects.map((project) => make("li", {}, choice(id + project.id, project.name + " (" + project.id + ")", id, project.id))))));
  replace(byId("scopes"), make("ul", {}, make("li", {}, choice("all", "Everything", "", 0)), ...organizations));
}

function detail(kind, item) {
  const project = data.organizations.flatMap(({ projects }) => projects).find(({ id }) => id === item.project);
  const rows = { id: item.id, organization: data.organizations.find(({ id }) => id === item.organization)?.name, ...(project && { project: project.name + " (" + project.id + ")" }), ...item.columns, ...item.more };
  byId("detail-title").textContent = item.name || item.id;
  byId("detail-kind").textContent = TITLES[kind].replace("People", "Person").replace(/s$/, "");
  byId("detail-rows").replaceChildren(...Object.entries(rows).flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, show(value))]));
  byId("detail").showModal();
}
function drawKind(kind, { total, items }) {
  const asked = byId("filter").value.trim().toLowerCase();
  const found = items.filter((item) => isInScope(item) && (asked === "" || JSON.stringify(item).toLowerCase().includes(asked)));
  const columns = Object.keys(items[0]?.columns ?? {});
  const rows = found.map((item) => make("tr", {},
    make("td", {}, button(kind + item.id, item.name || item.id, () => detail(kind, item))),
    ...columns.map((column) => make("td", {}, show(item.columns[column])))));
  const head = make("tr", {}, ...["name", ...columns].map((column) => make("th", { scope: "col" }, column)));
  const heading = make("h2", { id: "heading-" + kind }, TITLES[kind] + " (" + count(found.length) + ")");
  const body = found.length === 0 ? make("p", { class: "soft" }, "none") : make("div", { class: "scroll" }, make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows)));
  const rest = total > items.length ? [make("p", { class: "soft" }, "The first " + count(items.length) + " of " + count(total) + " are looked at.")] : [];
  return make("section", { "aria-labelledby": "heading-" + kind }, heading, body, ...rest);
}

const SVG = "http://www.w3.org/2000/svg";
const shape = (name, attributes, text) => {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
};
/** Days without events are part of the picture; of long times, several days share a bar. */
function bars(days) {
  const DAY = 86400000, MOST = 90;
  const first = Date.parse(days[0].day), length = (Date.parse(days.at(-1).day) - first) / DAY + 1;
  const width = Math.ceil(length / MOST);
  const made = Array.from({ length: Math.ceil(length / width) }, (_, index) => ({ from: new Date(first + index * width * DAY).toISOString().slice(0, 10), events: 0 }));
  for (const { day, events } of days) made[Math.floor((Date.parse(day) - first) / DAY / width)].events += events;
  return { made, width };
}
function chart(days) {
  const { made, width } = bars(days);
  const most = Math.max(...made.map(({ events }) => events));
  const label = "Events by day, from " + days[0].day + " to " + days.at(-1).day + ", at most " + count(most) + (width === 1 ? " a day" : " in " + width + " days");
  const svg = shape("svg", { viewBox: "0 0 900 100", preserveAspectRatio: "none", role: "img", "aria-label": label });
  const step = Math.min(900 / made.length, 90);
  made.forEach(({ from, events }, index) => {
    const height = events === 0 ? 0 : Math.max(2, (events / most) * 98);
    const bar = shape("rect", { x: index * step + step * .1, y: 100 - height, width: step * .8, height });
    bar.append(shape("title", {}, from + ": " + count(events)));
    svg.append(bar);
  });
  const axis = (...texts) => make("div", { class: "axis", "aria-hidden": "true" }, ...texts.map((text) => make("span", {}, text)));
  const ends = made.length === 1 ? [days[0].day] : [days[0].day, days.at(-1).day];
  return make("figure", {}, axis(count(most)), svg, axis(...ends));
}
function table(title, names, rows) {
  const head = make("tr", {}, ...names.map((name) => make("th", { scope: "col" }, name)));
  return make("details", {}, make("summary", { "data-key": title }, title), make("div", { class: "scroll short", tabindex: "0", role: "group", "aria-label": title }, make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map((cell) => make("td", {}, cell))))))));
}
function drawEvents() {
  const projects = data.events.filter((one) => isInScope(one));
  const open = new Set([...byId("events").querySelectorAll("details[open]")].map((one) => one.dataset.of));
  const keep = (of, made) => { made.dataset.of = of; made.open = open.has(of); return made; };
  replace(byId("events"), ...(projects.length === 0 ? [make("p", { class: "soft" }, "none imported")] : projects.flatMap(({ project, name, events, received, days, names }) => [
    make("h3", {}, name + " (" + project + ")"),
    make("p", {}, count(events) + " events" + (received === events ? "" : ", " + count(received) + " received with repetitions")),
    ...(days.length === 0 ? [] : [chart(days), keep("days" + project, table("The same as a table", ["day", "events"], days.map(({ day, events: number }) => [day, count(number)])))]),
    keep("names" + project, table("Commonest events", ["event", "events"], names.map(({ name: event, events: number }) => [event, count(number)]))),
  ])));
}

function drawFeed() {
  if (paused) return;
  const items = data.feed.map(({ at, who, what, status, method, path }) => make("li", {},
    make("time", { datetime: at }, new Date(at).toLocaleTimeString()), " ", make("span", { class: "who" }, who), make("br"),
    make("span", { class: status >= 200 && status < 300 ? "" : "refused", title: method + " " + path },
      status >= 200 && status < 300 ? what : (status === 0 ? "cut off: " : "not done (" + status + "): ") + what)));
  replace(byId("feed"), ...(items.length === 0 ? [make("li", { class: "soft" }, "nothing yet")] : items));
}

function draw() {
  drawScopes();
  const kinds = Object.entries(data.kinds);
  const totals = [...kinds.map(([kind, { items, total }]) => [TITLES[kind].toLowerCase(), scope.organization === "" ? total : items.filter(isInScope).length]), ["imported events", data.events.filter(isInScope).reduce((sum, { events }) => sum + events, 0)]];
  byId("counts").replaceChildren(...totals.map(([name, number]) => make("li", {}, make("b", {}, count(number)), name)));
  drawEvents();
  replace(byId("kinds"), ...kinds.map(([kind, items]) => drawKind(kind, items)));
  drawFeed();
}

async function refresh() {
  try {
    if (document.hidden) return;
    const text = await (await fetch("/_emulator/view")).text();
    const { time, ...rest } = JSON.parse(text);
    const now = JSON.stringify(rest);
    if (now !== last) {
      last = now;
      data = rest;
      draw();
    }
    say("answers in the " + rest.shapes + " shapes");
  } catch { say("does not answer"); }
}
let said = "";
/** Screen readers read this out: only where it says something new. */
function say(text) { if (text !== said) byId("state").textContent = said = text; }

const THEMES = ["auto", "light", "dark"];
function theme(name) {
  if (name === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  byId("theme").textContent = "Colours: " + name;
  try { localStorage.setItem("theme", name); } catch { /* a browser that keeps nothing */ }
  return name;
}
let current = "auto";
try { current = THEMES.find((name) => name === localStorage.getItem("theme")) ?? "auto"; } catch { /* the same */ }
theme(current);
byId("theme").addEventListener("click", () => { current = theme(THEMES[(THEMES.indexOf(current) + 1) % 3]); });
byId("pause").addEventListener("click", () => {
  paused = !paused;
  byId("pause").setAttribute("aria-pressed", String(paused));
  if (data && !paused) drawFeed();
});
byId("filter").addEventListener("input", () => { if (data) draw(); });
byId("detail-close").addEventListener("click", () => byId("detail").close());
document.addEventListener("visibilitychange", refresh);
refresh();
setInterval(refresh, 1000);
`;
