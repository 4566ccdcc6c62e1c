// @ts-check
// A person's session with the emulator's page in a real browser: node page-session.mjs BROWSER EMULATOR FOLDER.
// Prints what was seen, as JSON; screenshots go into the folder.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [browserText = "", url = "", folder = ""] = process.argv.slice(2);
const { modules, executable } = JSON.parse(browserText);
const load = createRequire(modules);
const { chromium } = load("playwright-core");
const environment = JSON.parse(process.env["EMULATOR_ENVIRONMENT"] ?? "{}");

/** Far above what a step takes on a busy machine. */
const STEP_MS = 180_000;
const browser = await chromium.launch({
  executablePath: executable,
  args: ["--no-sandbox", "--no-zygote"],
  timeout: STEP_MS,
});
/** @type {string[]} */
const requests = [];
/** @type {string[]} */
const complaints = [];
/** @type {Record<string, unknown>} */
const seen = { requests, complaints };
try {
  const context = await browser.newContext({ viewport: { width: 1440, height: 950 }, colorScheme: "light" });
  const page = await context.newPage();
  page.setDefaultTimeout(STEP_MS);
  page.on("request", (/** @type {any} */ request) => requests.push(request.url()));
  page.on("console", (/** @type {any} */ message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  page.on("pageerror", (/** @type {Error} */ error) => complaints.push(error.message));
  await page.goto(url);
  await page.getByRole("heading", { name: /^Dashboards/ }).waitFor();
  seen["counts"] = await page.locator("#counts").innerText();
  seen["empty"] = await page.locator("#events").innerText();

  // The first stop of the keyboard skips what stands before the objects.
  await page.keyboard.press("Tab");
  seen["firstStop"] = await focused(page);
  await page.keyboard.press("Enter");

  // Changes appear by themselves.
  const dashboards = `/api/projects/${environment.POSTHOG_PROJECT_ID}/dashboards/`;
  await ask("POST", dashboards, { name: "<img src=x onerror=alert(1)> & co", tags: ["team:odd"] });
  await ask("PATCH", `${dashboards}1/`, { name: "Growth and more" });
  await ask("POST", dashboards, { name: 7, pinned: "maybe" });
  await page.locator("#feed li", { hasText: "created dashboard “<img src=x" }).waitFor();
  await page.locator("#feed li", { hasText: "not done (400)" }).waitFor();
  seen["feed"] = await page.locator("#feed li").allInnerTexts();
  seen["images"] = await page.locator("main img").count();

  // Imported events are counted and plotted.
  const batch = Array.from({ length: 60 }, (_, index) => ({
    event: index % 3 === 0 ? "$pageview" : "signed up",
    distinct_id: `person-${index}`,
    uuid: `018f3d2c-0000-7000-8000-${String(index).padStart(12, "0")}`,
    timestamp: new Date(Date.UTC(2024, 0, 1 + (index % 12) * (index % 5))).toISOString(),
    properties: {},
  }));
  const body = { api_key: environment.POSTHOG_PROJECT_API_KEY, historical_migration: true, batch };
  await ask("POST", "/batch/", body);
  await page.locator("#events svg").waitFor();
  seen["events"] = await page.locator("#events p").first().innerText();
  seen["chart"] = await page.getByRole("img", { name: /^Events by day/ }).getAttribute("aria-label");
  seen["bars"] = await page.locator("#events svg rect").count();
  await page.getByText("The same as a table").click();
  seen["firstDay"] = await page.locator("#events details").first().locator("tbody tr").first().innerText();
  // What a person opened stays open while the page changes.
  await ask("PATCH", `${dashboards}1/`, { description: "Read on Mondays." });
  await page.locator("#feed li", { hasText: "changed description of" }).waitFor();
  seen["staysOpen"] = await page
    .locator("#events details")
    .first()
    .evaluate((/** @type {any} */ one) => one.open);
  await page.screenshot({ path: join(folder, "light.png"), fullPage: true });
  seen["light"] = await colours(page);

  // By keyboard alone: open an object, close it, choose a project.
  await tabTo(page, /^Growth and more$/);
  await page.keyboard.press("Enter");
  seen["dialog"] = await page.getByRole("dialog").innerText();
  seen["dialogName"] = await page.getByRole("dialog", { name: "Growth and more" }).count();
  await page.screenshot({ path: join(folder, "detail.png") });
  await page.keyboard.press("Escape");
  seen["dialogClosed"] = (await page.getByRole("dialog").count()) === 0;
  seen["focusReturns"] = await focused(page);
  // The focus survives a change that draws everything anew.
  await ask("PATCH", `${dashboards}1/`, { pinned: true });
  await page.locator("#feed li", { hasText: "changed pinned of" }).waitFor();
  seen["focusStays"] = await focused(page);
  await page.getByRole("button", { name: /^Second/ }).focus();
  await page.keyboard.press("Enter");
  seen["chosen"] = await page.locator("nav [aria-current=true]").innerText();
  seen["elsewhere"] = await page.getByRole("heading", { name: /^Dashboards/ }).innerText();
  await page.getByRole("button", { name: "Everything" }).press("Enter");
  await page.getByLabel("Filter").fill("team:odd");
  seen["filtered"] = await page.getByRole("heading", { name: /^Dashboards/ }).innerText();
  await page.getByLabel("Filter").fill("");

  // Dark where the system is, and where a person says so.
  await page.emulateMedia({ colorScheme: "dark" });
  seen["dark"] = await colours(page);
  await page.screenshot({ path: join(folder, "dark.png") });
  seen["faultsDark"] = await faults(page);
  await page.getByRole("button", { name: "Colours: auto" }).press("Enter");
  seen["saidLight"] = await colours(page);
  seen["faultsLight"] = await faults(page);
  await page.reload();
  await page.getByRole("button", { name: "Colours: light" }).waitFor();

  // On a narrow screen nothing is wider than it.
  await page.setViewportSize({ width: 390, height: 844 });
  await page.screenshot({ path: join(folder, "narrow.png") });
  seen["overflow"] = await page
    .locator("html")
    .evaluate((/** @type {any} */ one) => one.scrollWidth - one.clientWidth);
  process.stdout.write(JSON.stringify(seen));
} finally {
  await browser.close();
}

/** @param {string} method @param {string} path @param {unknown} body */
async function ask(method, path, body) {
  await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${environment.POSTHOG_API_KEY}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

/** @param {any} page */
function focused(page) {
  return page.locator(":focus").innerText();
}

/** @param {any} page @param {RegExp} text */
async function tabTo(page, text) {
  for (let stop = 0; stop < 100; stop++) {
    await page.keyboard.press("Tab");
    if (text.test(await focused(page).catch(() => ""))) return;
  }
  throw new Error(`no way to ${String(text)} by keyboard`);
}

/** @param {any} page */
function colours(page) {
  return page.locator("body").evaluate((/** @type {any} */ body) => {
    const { backgroundColor, color } = body.ownerDocument.defaultView.getComputedStyle(body);
    return { backgroundColor, color };
  });
}

/** What the accessibility checker finds. @param {any} page */
async function faults(page) {
  await page.evaluate(readFileSync(load.resolve("axe-core"), "utf8"));
  const { violations } = await page.evaluate("axe.run()");
  return violations.map(
    (/** @type {any} */ { id, nodes }) =>
      `${id}: ${nodes
        .map((/** @type {any} */ node) => node.html)
        .join(" ")
        .slice(0, 300)}`,
  );
}
