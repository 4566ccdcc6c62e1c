import { nextTarget, pagesFrom, parsePage } from "../../src/client/pages";

describe("the next page", () => {
  const base = "https://ph.example/";
  const below = "https://ph.example/posthog";
  const here = "/api/projects/1/dashboards/";
  const cases: [string, string, string, string | undefined][] = [
    ["on our host", `${base}api/x/?limit=2&offset=2`, base, "/api/x/?limit=2&offset=2"],
    ["as http, from behind a proxy", "http://ph.example/api/x/?offset=2", base, "/api/x/?offset=2"],
    ["under an inner name", "http://web:8000/api/x/?offset=2", base, "/api/x/?offset=2"],
    ["elsewhere: our host all the same", "https://evil.example/api/x/?offset=2", base, "/api/x/?offset=2"],
    ["with credentials: none of them", "https://u:p@evil.example/api/x/", base, "/api/x/"],
    ["below our own path", `${below}/api/x/?offset=2`, below, "/api/x/?offset=2"],
    ["without our path, which a proxy takes off", "http://web/api/x/?offset=2", below, "/api/x/?offset=2"],
    ["as a path", "/api/x/?offset=2", base, "/api/x/?offset=2"],
    ["as a query", "?offset=2", base, `${here}?offset=2`],
    ["as a query below our path", "?offset=2", below, `${here}?offset=2`],
    ["without a scheme: a path", "//evil.example/api/x/", base, "/api/x/"],
    ["outside the interface", `${base}login?next=/api/`, base, undefined],
    ["outside the interface by dots", `${base}api/../admin/`, base, undefined],
    ["below a path like ours", "https://ph.example/posthog2/api/x/", below, undefined],
    ["that is no address", "http://", base, undefined],
    ["that is a script", "javascript:alert(1)", base, undefined],
  ];
  it.each(cases)("%s", (_, next, address, target) => {
    expect(nextTarget(next, new URL(address), here)).toBe(target);
  });
});

describe("a page", () => {
  it.each([
    [
      { count: 3, next: null, previous: null, results: [1] },
      { results: [1], next: undefined, total: 3 },
    ],
    [
      { results: [], next: "/api/x/?o=1" },
      { results: [], next: "/api/x/?o=1" },
    ],
    [{ results: [1] }, { results: [1], next: undefined }],
    [
      { count: "3", results: [1] },
      { results: [1], next: undefined, count: 3, total: 3 },
    ],
    [
      { count: 0, next: false, results: null },
      { results: [], next: undefined, total: 0 },
    ],
    [
      { count: [], results: [1] },
      { results: [1], next: undefined, count: 0, total: 0 },
    ],
    [[1, 2], { results: [1, 2], next: undefined }],
    [{ detail: "no" }, undefined],
    ["text", undefined],
    [undefined, undefined],
  ])("%j", (answer, page) => {
    expect(parsePage(answer)).toEqual(page);
  });
});

describe("pages that can be told beforehand", () => {
  const at = (offset: number): string => `/api/x/?limit=2&offset=${offset}`;
  const two = { results: [1, 2], next: undefined };
  it.each([
    ["to the end of the list", at(2), { ...two, total: 7 }, 2, [at(2), at(4), at(6)]],
    ["ten at once", at(4), { ...two, total: 100 }, 4, [4, 6, 8, 10, 12, 14, 16, 18, 20, 22].map(at)],
    ["the last one", at(6), { ...two, total: 7 }, 6, [at(6)]],
    ["none where the list does not say how long it is", at(2), two, 2, []],
    ["none where the list became shorter", at(8), { ...two, total: 7 }, 8, []],
    ["none where offsets count something else", at(1), { ...two, total: 7 }, 2, []],
    ["none of a list with cursors", "/api/x/?cursor=2", { ...two, total: 7 }, 2, []],
    ["none after an empty page", at(2), { results: [], next: undefined, total: 7 }, 2, []],
  ])("%s", (_, next, page, received, pages) => {
    expect(pagesFrom(next, page, received)).toEqual(pages);
  });
});
