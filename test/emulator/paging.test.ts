import { bench, closeAll, type Loose, S3 } from "./support";

afterEach(closeAll);

test("lists have pages of 100 that link to each other by absolute addresses", async () => {
  const { emulator, ask, project } = await bench();
  for (let index = 0; index < 250; index++) {
    await ask("POST", `${project}/dashboards/`, { name: `d${String(index).padStart(3, "0")}` });
  }
  const names: string[] = [];
  const sizes: number[] = [];
  let next: string | null = `${emulator.url}${project}/dashboards/`;
  while (next !== null) {
    const page: Loose = (await ask("GET", next)).json;
    expect(page.count).toBe(250);
    sizes.push(page.results.length);
    names.push(...page.results.map((row: Loose) => row.name));
    next = page.next;
    if (next !== null) expect(next.startsWith(`${emulator.url}${project}/dashboards/?`)).toBe(true);
  }
  expect(sizes).toEqual([100, 100, 50]);
  expect(names).toEqual([...names].sort());
  expect(new Set(names).size).toBe(250);
});

describe("links and limits", () => {
  async function page(query: string): Promise<Loose> {
    const { emulator, ask, project } = await bench();
    for (let index = 0; index < 5; index++)
      await ask("POST", `${project}/dashboards/`, { name: `d${index}` });
    const { json } = await ask("GET", `${project}/dashboards/${query}`);
    const relative = (link: string | null): string | undefined =>
      link?.slice(`${emulator.url}${project}/dashboards/`.length);
    return { size: json.results.length, next: relative(json.next), previous: relative(json.previous) };
  }

  test.each([
    ["", { size: 5 }],
    ["?limit=2", { size: 2, next: "?limit=2&offset=2" }],
    ["?limit=2&offset=2", { size: 2, next: "?limit=2&offset=4", previous: "?limit=2" }],
    ["?limit=2&offset=3", { size: 2, previous: "?limit=2&offset=1" }],
    ["?limit=2&offset=4", { size: 1, previous: "?limit=2&offset=2" }],
    ["?offset=10", { size: 0, previous: "?limit=100" }],
    ["?limit=5", { size: 5 }],
    ["?limit=1000", { size: 5 }],
    ["?limit=0", { size: 5 }],
    ["?limit=-1", { size: 5 }],
    ["?limit=many", { size: 5 }],
    ["?offset=-3", { size: 5 }],
    ["?limit=1&limit=4", { size: 4, next: "?limit=4&offset=4" }],
    ["?q=x&limit=4", { size: 4, next: "?limit=4&offset=4&q=x" }],
  ])("%s", async (query, expected) => {
    const { size, next, previous } = await page(query);
    expect({ size, next, previous }).toEqual({ next: undefined, previous: undefined, ...expected });
  });
});

describe("order", () => {
  test("of dashboards: pinned first, then by name, nameless last", async () => {
    const { ask, project } = await bench();
    for (const body of [
      { name: "b" },
      {},
      { name: "a" },
      { name: "z", pinned: true },
      { name: "y", pinned: true },
    ]) {
      await ask("POST", `${project}/dashboards/`, body);
    }
    const { json } = await ask("GET", `${project}/dashboards/`);
    expect(json.results.map((row: Loose) => row.name)).toEqual(["y", "z", "a", "b", null]);
  });

  test("of exports and invites: newest first, also within one moment", async () => {
    const { ask, organization } = await bench({ now: () => new Date("2024-05-01T12:00:00Z") });
    for (const name of ["1", "2", "3"]) {
      await ask("POST", `${organization}/batch_exports/`, { name, destination: S3, interval: "hour" });
      await ask("POST", `${organization}/invites/`, { target_email: `p${name}@example.org` });
    }
    const exports = (await ask("GET", `${organization}/batch_exports/`)).json;
    expect(exports.results.map((row: Loose) => row.name)).toEqual(["3", "2", "1"]);
    const invites = (await ask("GET", `${organization}/invites/`)).json;
    expect(invites.results.map((row: Loose) => row.target_email)).toEqual([
      "p3@example.org",
      "p2@example.org",
      "p1@example.org",
    ]);
  });

  test("of domains: by name", async () => {
    const { ask, organization } = await bench();
    for (const domain of ["c.org", "a.org", "b.org"])
      await ask("POST", `${organization}/domains/`, { domain });
    const { json } = await ask("GET", `${organization}/domains/`);
    expect(json.results.map((row: Loose) => row.domain)).toEqual(["a.org", "b.org", "c.org"]);
  });

  test("of members: who joined last comes first, or as asked", async () => {
    let clock = Date.parse("2024-05-01T12:00:00Z");
    const { emulator, ask, organization } = await bench({ now: () => new Date((clock += 1000)), members: 1 });
    emulator.addMember({ email: "last@example.org" });
    const emails = async (query: string): Promise<string[]> =>
      (await ask("GET", `${organization}/members/${query}`)).json.results.map((row: Loose) => row.user.email);
    expect(await emails("")).toEqual(["last@example.org", "ada@example.com", "grace@example.com"]);
    expect(await emails("?order=joined_at")).toEqual([
      "grace@example.com",
      "ada@example.com",
      "last@example.org",
    ]);
    const { json } = await ask("GET", `${organization}/members/`);
    expect(await emails(`?updated_after=${json.results[1].updated_at}`)).toEqual(["last@example.org"]);
  });
});
