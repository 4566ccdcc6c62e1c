/** The emulator's page: what exists, as it changes. One file, and nothing is loaded from anywhere else. */
export const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>PostHog emulator</title>
<style>
  :root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 15%, transparent); --soft: color-mix(in srgb, currentColor 60%, transparent); }
  body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 70rem; padding: 2rem 1rem 4rem; }
  h1 { font-size: 1.4rem; margin: 0; }
  header { display: flex; gap: 1rem; align-items: baseline; flex-wrap: wrap; }
  header span, .empty { color: var(--soft); }
  .counts { display: flex; flex-wrap: wrap; gap: .5rem; margin: 1.5rem 0; padding: 0; list-style: none; }
  .counts li { border: 1px solid var(--line); border-radius: .6rem; padding: .5rem .9rem; min-width: 5rem; }
  .counts b { display: block; font-size: 1.3rem; font-variant-numeric: tabular-nums; }
  section { margin-top: 2rem; }
  h2 { font-size: 1.05rem; margin: 0 0 .4rem; }
  .scroll { overflow-x: auto; }
  table { border-collapse: collapse; width: 100%; }
  th { text-align: left; font-weight: 500; color: var(--soft); }
  th, td { padding: .3rem .8rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
</style>
</head>
<body>
<header><h1>PostHog emulator</h1><span id="state">loading…</span></header>
<ul class="counts" id="counts"></ul>
<main id="sections"></main>
<script>
const KINDS = ["dashboards", "exports", "domains", "people", "invites", "plugins", "projects", "organizations"];
const show = (value) => value === null || value === "" ? "–" : Array.isArray(value) ? value.join(", ") || "–" : value === true ? "yes" : value === false ? "no" : String(value);
const element = (name, text, ...children) => { const made = document.createElement(name); if (text !== undefined) made.textContent = text; made.append(...children); return made; };
function table(rows) {
  if (rows.length === 0) { const none = element("p", "none yet"); none.className = "empty"; return none; }
  const columns = Object.keys(rows[0]);
  const head = element("thead", undefined, element("tr", undefined, ...columns.map((column) => element("th", column))));
  const body = element("tbody", undefined, ...rows.map((row) => element("tr", undefined, ...columns.map((column) => element("td", show(row[column]))))));
  const scroll = element("div", undefined, element("table", undefined, head, body)); scroll.className = "scroll"; return scroll;
}
let last = "";
async function refresh() {
  try {
    const text = await (await fetch("/_emulator/snapshot")).text();
    const data = JSON.parse(text);
    document.getElementById("state").textContent = data.shapes + " shapes, " + new Date(data.time).toLocaleTimeString();
    const { time, ...rest } = data;
    const now = JSON.stringify(rest);
    if (now === last) return;
    last = now;
    document.getElementById("counts").replaceChildren(...Object.entries(data.counts).map(([name, count]) => element("li", undefined, element("b", count.toLocaleString()), name === "events" ? "imported events" : name)));
    document.getElementById("sections").replaceChildren(...KINDS.map((kind) => element("section", undefined, element("h2", kind[0].toUpperCase() + kind.slice(1)), table(data[kind]))));
  } catch { document.getElementById("state").textContent = "the emulator does not answer"; }
}
refresh();
setInterval(refresh, 1500);
</script>
</body>
</html>
`;
