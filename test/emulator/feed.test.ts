import { bench, closeAll, S3 } from "./support";

afterEach(closeAll);

test("the feed tells each change in words, and no value of an argument", async () => {
  const { emulator, ask, organization, project } = await bench();
  const dashboards = `${project}/dashboards/`;
  await ask("POST", dashboards, { name: "Growth" });
  await ask("GET", dashboards);
  await ask("PATCH", `${dashboards}1/`, { description: "hush", tags: ["a"] });
  await ask("PATCH", `${dashboards}1/`, { deleted: true });
  await ask("PATCH", `${dashboards}1/`, { deleted: false });
  const destination = { type: "S3", config: { ...S3.config, aws_access_key_id: "hush" } };
  const made = await ask("POST", `${organization}/batch_exports/`, {
    name: "Lake",
    interval: "hour",
    destination,
  });
  const { id } = made.json;
  await ask("POST", `${organization}/batch_exports/${id}/pause/`);
  await ask("POST", `${organization}/batch_exports/${id}/unpause/`);
  await ask("DELETE", `${organization}/batch_exports/${id}/`);
  await ask("POST", `${organization}/invites/bulk/`, [
    { target_email: "a@b.org" },
    { target_email: "c@b.org" },
  ]);
  const [member] = emulator.store.users.filter(({ email }) => email.startsWith("alan"));
  await ask("PATCH", `${organization}/members/${member?.uuid ?? ""}/`, { level: 8 });
  await ask("PATCH", `${organization}/`, { enforce_2fa: true });
  await ask("POST", "/api/nothing/", {});
  const event = { event: "seen", distinct_id: "a", properties: {} };
  const batch = { api_key: emulator.environment.POSTHOG_PROJECT_API_KEY, batch: [event] };
  for (let request = 0; request < 3; request++) await ask("POST", "/batch/", batch);
  const view = await ask("GET", "/_emulator/view");
  const words = view.json.feed.map(({ what }: { what: string }) => what).reverse();
  expect(words).toEqual([
    "created dashboard “Growth”",
    "changed description, tags of dashboard “Growth”",
    "put dashboard “Growth” away",
    "brought dashboard “Growth” back",
    "created export “Lake”",
    "paused export “Lake”",
    "let go on export “Lake”",
    expect.stringMatching(/^deleted export “/),
    "sent 2 invites",
    "changed level of member “alan@example.com”",
    "changed enforce_2fa of organization “Acme”",
    "asked for /api/nothing/, which is no route",
    "sent events in 3 requests",
  ]);
  expect(words.join(" ")).not.toContain("hush");
});
