import { gzipSync } from "node:zlib";
import type { Reader, Section, Visit } from "../reader";

/** Events by name, as the project of the page's key has them. */
function arrived({ emulator }: Reader): Record<string, number> {
  const { names } = emulator.capture.summary(emulator.environment.POSTHOG_PROJECT_API_KEY);
  return Object.fromEntries(names.map(({ name, events }) => [name, events]));
}

const lines = (...events: object[]): Buffer =>
  gzipSync(`${events.map((event) => JSON.stringify(event)).join("\n")}\n`);

/** A dry run says what there is, and sends nothing. */
function rehearsal(line: string): NonNullable<Section["after"]> {
  return ({ said, emulator }) => {
    expect(said.get(line)?.stdout).toMatch(/\b3 events/);
    expect(emulator.requests).toEqual([]);
  };
}

/** An `up` imports what the page's program names, once. */
function imported(events: Record<string, number>): NonNullable<Section["after"]> {
  return async (reader) => {
    expect(arrived(reader)).toEqual(events);
    reader.emulator.clearRequests();
    await reader.stack.up();
    expect(reader.emulator.requests.filter(({ path }) => path === "/batch/")).toEqual([]);
  };
}

export const mixpanel: Visit = {
  typed: (line, { emulator }) =>
    line.includes("--secret") ? emulator.environment.POSTHOG_PROJECT_API_KEY : undefined,
  sections: {
    "1. Rehearse on a fresh project": {
      before({ env }) {
        env["POSTHOG_PROJECT_API_KEY"] = undefined;
      },
    },
    "3. Look before anything is sent": {
      before(reader) {
        const time = Date.UTC(2023, 0, 31, 12) / 1000;
        const event = (name: string, id: string) => ({
          event: name,
          properties: { time, distinct_id: "ada", $insert_id: id },
        });
        reader.write(
          "mixpanel/2023-01.ndjson.gz",
          lines(event("Page View", "a"), event("Page View", "b"), event("Sign Up", "c")),
        );
      },
      after: rehearsal("npx pulumi-posthog import mixpanel --mapping mixpanel --dry-run"),
    },
    "4. Declare the import": { after: imported({ $pageview: 2, signed_up: 1 }) },
  },
};

export const amplitude: Visit = {
  sections: {
    Export: {
      before(reader) {
        const event = (type: string, id: string) => ({
          event_type: type,
          user_id: "ada",
          event_time: "2023-01-31 12:00:00.000000",
          $insert_id: id,
        });
        reader.write(
          "amplitude/123/123_2023-01-31_12#0.json.gz",
          lines(event("Signed Up", "a"), event("Paid", "b"), event("Paid", "c")),
        );
      },
      after: rehearsal("npx pulumi-posthog import amplitude --mapping amplitude --dry-run"),
    },
    Import: { after: imported({ signed_up: 1, Paid: 2 }) },
  },
};

export const warehouse: Visit = {
  sections: {
    "Name the columns": {
      before(reader) {
        const row = (name: string, id: string) => ({
          event_name: name,
          device: { id: "device-1" },
          occurred_at: "2023-01-31T12:00:00.000000Z",
          row_id: id,
          attributes: { path: "/" },
        });
        reader.write(
          "warehouse/events-000.ndjson.gz",
          lines(row("page_view", "a"), row("paid", "b"), row("paid", "c")),
        );
      },
      async after(reader) {
        await rehearsal("npx pulumi-posthog import warehouse --mapping @mapping.json --dry-run")(reader);
        // The program above the command says the same.
        await reader.stack.up();
        expect(arrived(reader)).toEqual({ $pageview: 1, paid: 2 });
      },
    },
  },
};
