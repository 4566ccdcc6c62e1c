import { provider } from "../../src/runtime";
import type { Answer } from "../client/server";
import { closeAll, common, page, serve, type Props } from "./answering";

/* Lost answers of a service whose `created_at` and `Date` come from different clocks. */

beforeEach(() => void jest.spyOn(console, "log").mockReturnValue());
afterEach(async () => {
  jest.restoreAllMocks();
  await closeAll();
});

interface Row extends Props {
  id: number;
  created_at: string;
}

/** A service of dashboards, dated as the test says; what it loses, it has done or not. */
class Service {
  readonly rows: Row[] = [];
  /** What becomes of the next creations; what is not named is answered. */
  readonly fates: ("done" | "not done" | "answered")[] = [];
  /** Called when the answer to a creation is lost. */
  onLost: () => void = () => undefined;
  brokenLists = false;
  /** Whether lists come in pages of one object. */
  longLists = false;

  constructor(readonly date: () => number) {}

  async open(): Promise<void> {
    await serve(({ method, path }, body) => {
      if (method === "GET") return this.list(path);
      const fate = this.fates.shift() ?? "answered";
      if (fate === "not done") this.onLost();
      if (fate === "not done") return { status: 503, json: {} };
      const row = this.insert(String(body["name"]));
      if (fate === "answered") return { status: 201, json: row };
      this.onLost();
      return "reset-after";
    });
  }

  private list(path: string): Answer {
    if (this.brokenLists) return { status: 403, json: { detail: "no" } };
    if (!this.longLists) return page(...this.rows);
    const offset = Number(/offset=(\d+)/.exec(path)?.[1] ?? 0);
    const next = offset + 1 < this.rows.length ? `/api/projects/1/dashboards/?offset=${offset + 1}` : null;
    return { json: { count: this.rows.length, next, results: this.rows.slice(offset, offset + 1) } };
  }

  insert(name: string, created = this.date()): Row {
    const row = { id: this.rows.length + 1, name, created_at: new Date(created).toISOString() };
    this.rows.push(row);
    return row;
  }

  /** Ids of those of a name. */
  named(name: string): string[] {
    return this.rows.filter((row) => row["name"] === name).map(({ id }) => String(id));
  }
}

async function create(name: string): Promise<string> {
  return (await provider("Dashboard").create({ projectId: "1", name, ...common(name) })).id;
}

const S = 1000;
const CLOCKS: readonly (readonly [string, () => number])[] = [
  ["is the header's", () => Date.now()],
  ["is 5 s ahead", () => Date.now() + 5 * S],
  ["is 5 s behind", () => Date.now() - 5 * S],
  ["is 90 s ahead", () => Date.now() + 90 * S],
  ["is 90 s behind", () => Date.now() - 90 * S],
  ["is in another zone to the east", () => Date.now() + 9 * 3600 * S],
  ["is in another zone to the west", () => Date.now() - 9 * 3600 * S],
  ["stands still", () => Date.parse("2024-01-01T00:00:00Z")],
];

describe.each(CLOCKS)("where the clock that dates objects %s", (_, clock) => {
  test("the very first creation is recognised although its answer is lost", async () => {
    const service = new Service(clock);
    await service.open();
    service.fates.push("done");
    expect([await create("Weekly")]).toEqual(service.named("Weekly"));
  });

  test("somebody else's from just before is left alone, whether ours was made or not", async () => {
    const service = new Service(clock);
    await service.open();
    const theirs = String(service.insert("Weekly").id);
    service.fates.push("done");
    const ours = await create("Weekly");
    expect(service.named("Weekly")).toEqual([theirs, ours]);
  });

  test("and it is made where nothing was done", async () => {
    const service = new Service(clock);
    await service.open();
    const theirs = String(service.insert("Weekly").id);
    service.fates.push("not done");
    const ours = await create("Weekly");
    expect(service.named("Weekly")).toEqual([theirs, ours]);
  });

  test("several that are lost at once are each made once", async () => {
    const service = new Service(clock);
    await service.open();
    service.fates.push("done", "not done", "done", "done");
    const ids = await Promise.all([create("A"), create("B"), create("C"), create("D")]);
    expect(ids.map(Number).sort()).toEqual(service.rows.map(({ id }) => id).sort());
    expect(service.rows).toHaveLength(4);
  });
});

test.each(CLOCKS.filter(([clock]) => clock !== "stands still"))(
  "a later creation is recognised by the date of an earlier one, where the clock %s",
  async (_, clock) => {
    const service = new Service(clock);
    await service.open();
    await create("First");
    service.fates.push("done");
    expect([await create("Weekly")]).toEqual(service.named("Weekly"));
  },
);

test.each([
  ["was dated long before it was there", -600 * S],
  ["is dated in the future", 600 * S],
])("what %s, by a clock that is known, is named and nothing is made again", async (_, distance) => {
  const service = new Service(() => Date.now());
  await service.open();
  await create("First");
  service.onLost = () => void service.insert("Weekly", Date.now() + distance);
  service.fates.push("not done");
  const failed = create("Weekly");
  await expect(failed).rejects.toThrow(
    /creating Dashboard "Weekly": the answer was lost .*, and 2 says what was asked/,
  );
  await expect(failed).rejects.toThrow('adoptId: "2"');
  expect(service.named("Weekly")).toEqual(["2"]);
});

describe("where the list is too long to be looked through beforehand", () => {
  test.each(CLOCKS.slice(1, 5))(
    "what may be ours is named and not made again: the clock %s",
    async (_, clock) => {
      const service = new Service(clock);
      await service.open();
      service.longLists = true;
      for (const name of ["A", "B"]) service.insert(name);
      service.fates.push("done");
      await expect(create("Weekly")).rejects.toThrow("3 says what was asked for, but is dated otherwise");
      expect(service.named("Weekly")).toEqual(["3"]);
      await create("Another");
      service.fates.push("done");
      expect([await create("Daily")]).toEqual(service.named("Daily"));
    },
  );

  test("what is hours older is left alone", async () => {
    const service = new Service(() => Date.now());
    await service.open();
    service.longLists = true;
    for (const name of ["A", "Weekly"]) service.insert(name, Date.now() - 3600 * S);
    service.fates.push("not done");
    const made = await create("Weekly");
    expect(service.named("Weekly")).toEqual(["2", made]);
  });
});

test("where the list cannot be read beforehand the date alone tells", async () => {
  const service = new Service(() => Date.now());
  await service.open();
  service.insert("Weekly", Date.now() - 3600 * S);
  service.brokenLists = true;
  service.onLost = () => (service.brokenLists = false);
  service.fates.push("not done");
  const made = await create("Weekly");
  expect(service.named("Weekly")).toEqual(["1", made]);
  service.brokenLists = true;
  service.fates.push("done");
  expect([await create("Daily")]).toEqual(service.named("Daily"));
});
