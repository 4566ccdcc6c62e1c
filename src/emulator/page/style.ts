/** Colours in pairs, light and dark; every text has a contrast of at least 4.5 to what is behind it. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --back: light-dark(#fafaf8, #16181d); --card: light-dark(#ffffff, #1f2229);
  --text: light-dark(#1b1c1f, #eceef2); --soft: light-dark(#5b5f68, #a9afbb);
  --line: light-dark(#dcdcd6, #363b46); --accent: light-dark(#b62d02, #ff9a6b);
  --bar: light-dark(#d9480f, #ff8a5c); --good: light-dark(#1b6b3a, #6fd196); --bad: light-dark(#b3261e, #ff8f85);
}
:root[data-theme="light"] { color-scheme: light; }
:root[data-theme="dark"] { color-scheme: dark; }
* { box-sizing: border-box; }
body { margin: 0; font: 15px/1.5 system-ui, sans-serif; background: var(--back); color: var(--text); }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: 1rem; background: var(--card); padding: .5rem 1rem; z-index: 2; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: .2rem; }
header { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; padding: 1rem 1.5rem; border-bottom: 1px solid var(--line); background: var(--card); }
h1 { font-size: 1.2rem; margin: 0; }
h3 { font-size: .95rem; margin: .8rem 0 .2rem; }
h2 { font-size: 1.05rem; margin: 0 0 .5rem; }
.grow { flex: 1; }
.soft { color: var(--soft); }
.layout { display: grid; grid-template-columns: 14rem minmax(0, 1fr) 21rem; gap: 1.5rem; padding: 1.5rem; max-width: 100rem; margin: 0 auto; align-items: start; }
nav ul, .feed ol { list-style: none; margin: 0; padding: 0; }
nav ul ul { padding-left: 1rem; }
nav button { width: 100%; text-align: left; border: 0; background: none; padding: .3rem .5rem; }
nav button[aria-current="true"] { background: var(--accent); color: var(--back); border-radius: .3rem; }
button, input { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: .4rem; padding: .3rem .7rem; }
button { cursor: pointer; }
input { width: 100%; max-width: 24rem; }
.counts { display: flex; flex-wrap: wrap; gap: .5rem; margin: 0 0 1.2rem; padding: 0; list-style: none; }
.counts li { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .4rem .9rem; min-width: 5.5rem; }
.counts b { display: block; font-size: 1.3rem; font-variant-numeric: tabular-nums; }
section { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: 1rem; margin: 1rem 0 0; }
aside section { margin-top: 0; }
.scroll { overflow-x: auto; }
.short { max-height: 18rem; overflow-y: auto; }
table { border-collapse: collapse; width: 100%; }
th { text-align: left; font-weight: 500; color: var(--soft); white-space: nowrap; }
th, td { padding: .3rem .8rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
tr:last-child td { border-bottom: 0; }
td button { border: 0; padding: 0; background: none; text-align: left; text-decoration: underline; text-underline-offset: .2em; color: var(--accent); }
.feed { max-height: 75vh; overflow-y: auto; }
.feed li { padding: .45rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
.feed time, .feed .who { color: var(--soft); font-size: .87rem; }
.refused { color: var(--bad); }
svg { width: 100%; height: 7rem; display: block; border-bottom: 1px solid var(--line); }
.axis { display: flex; justify-content: space-between; font-size: .8rem; color: var(--soft); }
figure { margin: .5rem 0; }
svg rect { fill: var(--bar); }
dialog { border: 1px solid var(--line); border-radius: .6rem; background: var(--card); color: var(--text); width: min(44rem, 92vw); max-height: 85vh; padding: 1.2rem; }
dialog::backdrop { background: rgb(0 0 0 / .5); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .3rem 1rem; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; white-space: pre-wrap; }
@media (max-width: 70rem) { .layout { grid-template-columns: 12rem minmax(0, 1fr); } aside { grid-column: 1 / -1; } }
@media (max-width: 45rem) { .layout { grid-template-columns: minmax(0, 1fr); } }
`;
