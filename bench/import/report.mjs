// @ts-check
// What the bench measured, as tables in Markdown, and held against the figures that an import is to reach.

/**
 * @typedef {object} Sample
 * @property {number} rate Events a second.
 * @property {number} cpu CPU seconds per million events.
 * @property {number} peakMb
 */
/** @typedef {Sample & { name: string, samples: readonly Sample[] }} Row */
/** @typedef {{ title: string, rows: readonly Row[] }} Scenario */
/** @typedef {{ text: string, is: number, least?: number, most?: number, reached: boolean }} Figure */

export const OURS = "pulumi-posthog";

/** Least rate, as a multiple of another's. @type {readonly (readonly [name: string, least: number])[]} */
const RATIOS = [
  ["posthog-python", 100],
  ["posthog-node", 30],
  ["Rust reference", 0.8],
];
const MOST_CPU = 1.2;
const MOST_MB = 120;
const LEAST_DELAYED = 250_000;

/** @param {number} number */
const whole = (number) => Math.round(number).toLocaleString("en");

/** @param {number | undefined} ratio */
const times = (ratio) => (ratio === undefined ? "" : `${ratio.toFixed(ratio < 10 ? 2 : 0)}×`);

/** @param {readonly (readonly string[])[]} rows the first one is the head */
function markdown(rows) {
  const [head = [], ...body] = rows;
  const widths = head.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  /** @param {readonly string[]} cells */
  const line = (cells) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(" | ")} |`;
  const rule = widths.map((width, column) =>
    column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`,
  );
  return [line(head), line(rule), ...body.map(line)].join("\n");
}

/**
 * One scenario. Rates suffer where the machine has other work, CPU seconds far less: `by CPU` compares those.
 *
 * @param {Scenario} scenario
 */
export function table({ title, rows }) {
  const own = rows.find(({ name }) => name === OURS);
  const cells = rows.map(({ name, rate, cpu, peakMb, samples }) => {
    const ratio = own === undefined || name === OURS ? undefined : own.rate / rate;
    const best = Math.max(...samples.map((sample) => sample.rate));
    return [
      name,
      whole(rate),
      whole(best),
      cpu.toFixed(2),
      peakMb.toFixed(0),
      times(ratio),
      times(own === undefined || name === OURS ? undefined : cpu / own.cpu),
    ];
  });
  const head = [title, "events/s", "best round", "CPU s/million", "peak MB", "ours is", "by CPU"];
  return markdown([head, ...cells]);
}

/**
 * What an import is to reach, and what it reached.
 *
 * @param {readonly Scenario[]} scenarios
 * @param {(Sample & { events: number }) | undefined} memory
 * @returns {{ text: string, figures: readonly Figure[] }}
 */
export function figures([plain, , delayed], memory) {
  const own = plain?.rows.find(({ name }) => name === OURS);
  if (plain === undefined || own === undefined) return { text: "", figures: [] };
  /** @type {Omit<Figure, "reached">[]} */
  const lines = RATIOS.flatMap(([name, least]) => {
    const other = plain.rows.find((row) => row.name === name);
    return other === undefined ? [] : [{ text: `times ${name}`, is: own.rate / other.rate, least }];
  });
  lines.push({ text: "CPU s per million", is: own.cpu, most: MOST_CPU });
  lines.push({ text: "peak MB", is: own.peakMb, most: MOST_MB });
  if (memory !== undefined)
    lines.push({ text: `peak MB with ${whole(memory.events)} events`, is: memory.peakMb, most: MOST_MB });
  const slow = delayed?.rows.find(({ name }) => name === OURS);
  if (slow !== undefined) lines.push({ text: "events/s at 50 ms", is: slow.rate, least: LEAST_DELAYED });
  const judged = lines.map((line) => ({
    ...line,
    reached: line.is >= (line.least ?? -Infinity) && line.is <= (line.most ?? Infinity),
  }));
  const rows = judged.map(({ text, is, least, most, reached }) => [
    text,
    least === undefined ? `at most ${String(most)}` : `at least ${least.toLocaleString("en")}`,
    is >= 1000 ? whole(is) : is.toFixed(2),
    reached ? "reached" : "not reached",
  ]);
  const head = ["plain, no latency, unless it says otherwise", "figure", "is", ""];
  return { text: markdown([head, ...rows]), figures: judged };
}
