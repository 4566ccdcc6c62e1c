import { SCRIPT } from "./script";
import { STYLE } from "./style";

/** Nothing is loaded from anywhere else, whatever somebody writes into a name. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; img-src data:; " +
  "base-uri 'none'; form-action 'none'";

/** The emulator's page: what exists, who changes it, and what was imported, as it happens. */
export const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>PostHog emulator</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<a class="skip" href="#main">To what exists</a>
<header>
  <h1>PostHog emulator</h1>
  <span class="soft grow" id="state" role="status">…</span>
  <button type="button" id="theme">Colours: auto</button>
</header>
<div class="layout">
  <nav aria-label="Organizations and projects" id="scopes"></nav>
  <main id="main" tabindex="-1">
    <ul class="counts" id="counts" aria-label="How many there are"></ul>
    <p><label for="filter">Filter</label> <input id="filter" type="search" autocomplete="off" placeholder="a name, a tag, an address …"></p>
    <section aria-labelledby="heading-events"><h2 id="heading-events">Imported events</h2><div id="events"></div></section>
    <div id="kinds"></div>
  </main>
  <aside aria-labelledby="heading-feed">
    <section>
      <h2 id="heading-feed">Changes</h2>
      <p><button type="button" id="pause" aria-pressed="false">Hold still</button></p>
      <div class="feed" role="group" aria-labelledby="heading-feed" tabindex="0"><ol id="feed"></ol></div>
    </section>
  </aside>
</div>
<dialog id="detail" aria-labelledby="detail-title">
  <p class="soft" id="detail-kind"></p>
  <h2 id="detail-title"></h2>
  <dl id="detail-rows"></dl>
  <button type="button" id="detail-close">Close</button>
</dialog>
<script>${SCRIPT}</script>
</body>
</html>
`;
