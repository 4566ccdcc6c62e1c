import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmulator } from "../../src/emulator";
import type * as Own from "../../src/emulator/store/own";
import { collection } from "../../src/emulator/store/own";
import type * as Stores from "../../src/emulator/store/store";
import { bench, closeAll } from "./support";

/* What a file of routes keeps for itself, as the first line of such a file declares it. */

interface Note {
  id: number;
  project_id: number;
  text: string;
}
const notes = collection<Note>("notes");

afterEach(closeAll);

test("each emulator has rows of its own", async () => {
  const [{ emulator: one }, { emulator: other }] = [await bench(), await bench()];
  notes(one.store).insert({ id: notes(one.store).nextId(), project_id: 1, text: "of one" });
  expect(notes(one.store).all()).toMatchObject([{ id: 1, text: "of one" }]);
  expect(notes(other.store).all()).toEqual([]);
});

test("rows and numbers are there after a restart", async () => {
  const folder = await mkdtemp(join(tmpdir(), "own-"));
  const options = { data: join(folder, "data.json") };
  try {
    const first = await startEmulator(options);
    const rows = notes(first.store);
    for (const text of ["kept", "deleted"]) rows.insert({ id: rows.nextId(), project_id: 1, text });
    rows.delete(2);
    await first.close();
    const second = await startEmulator(options);
    try {
      expect(notes(second.store).all()).toEqual([{ id: 1, project_id: 1, text: "kept" }]);
      expect(notes(second.store).nextId()).toBe(3);
    } finally {
      await second.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("rows go with the organization of the project that they name", async () => {
  const { emulator, ask } = await bench();
  const made = (await ask("POST", "/api/organizations/", { name: "Another" })).json;
  const project = emulator.store.projects.find((row) => row.organization_id === made.id);
  const rows = notes(emulator.store);
  for (const project_id of [1, project?.id ?? 0]) rows.insert({ id: rows.nextId(), project_id, text: "" });
  expect((await ask("DELETE", `/api/organizations/${made.id}/`)).status).toBe(204);
  expect(rows.all()).toMatchObject([{ project_id: 1 }]);
});

test.each(["notes", "dashboards"])("a second collection %s is refused", (name) => {
  jest.isolateModules(() => {
    const own = jest.requireActual<typeof Own>("../../src/emulator/store/own");
    const { Store } = jest.requireActual<typeof Stores>("../../src/emulator/store/store");
    own.collection<Note>("notes");
    own.collection<Note>(name);
    expect(() => new Store()).toThrow(`there are two collections ${name}`);
  });
});
