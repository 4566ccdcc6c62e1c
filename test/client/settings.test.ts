import { ConfigurationError } from "../../src/client/errors";
import {
  ingestHost,
  managementHost,
  personalKey,
  settingsFor,
  type Settings,
} from "../../src/client/settings";

const reader = (config: Record<string, string>) => (key: string) => config[key];

describe("settings", () => {
  it("take stack configuration before environment, and trim", () => {
    const env = { POSTHOG_HOST: "https://env.example", POSTHOG_API_KEY: " phx_env ", POSTHOG_PROJECT_ID: "" };
    expect(settingsFor(undefined, reader({ "posthog:host": "https://config.example" }), env)).toEqual({
      host: "https://config.example",
      apiKey: "phx_env",
    });
  });

  it("give a named connection nothing of the default one but the deadline", () => {
    const config = {
      "posthog:connections": '{"eu": {"apiKey": "phx_eu", "region": "eu", "projectId": 3}}',
      "posthog:host": "https://default.example",
      "posthog:requestDeadline": "20",
      "posthog:requestsPerMinute": "100",
    };
    const settings = settingsFor("eu", reader(config), { POSTHOG_API_KEY: "phx_env" });
    expect(settings).toEqual({
      connection: "eu",
      apiKey: "phx_eu",
      region: "eu",
      projectId: "3",
      requestDeadline: 20,
    });
    expect(managementHost(settings).href).toBe("https://eu.posthog.com/");
  });

  const wrong: [string, () => unknown, RegExp][] = [
    [
      "an unknown connection",
      () => settingsFor("b", reader({ "posthog:connections": '{"a": {}}' }), {}),
      /"b" is not in posthog:connections, which names a/,
    ],
    [
      "connections that are no object",
      () => settingsFor("b", reader({ "posthog:connections": "[" }), {}),
      /must be an object/,
    ],
    [
      "an unknown key of a connection",
      () => settingsFor("a", reader({ "posthog:connections": '{"a": {"apikey": "phx_s"}}' }), {}),
      /connection is an object of apiKey/,
    ],
    [
      "a deadline that is no number",
      () => settingsFor(undefined, reader({ "posthog:requestDeadline": "soon" }), {}),
      /requestDeadline must be a number of seconds above 0, at most 86400, got "soon"/,
    ],
    ["no key", () => personalKey({}), /pulumi config set --secret posthog:apiKey, or set POSTHOG_API_KEY/],
    ["a project key", () => personalKey({ apiKey: "phc_secret" }), /project API key/],
    ["a key with white space", () => personalKey({ apiKey: "phx a" }), /white space/],
    [
      "a host in clear",
      () => managementHost({ host: "http://posthog.example" }),
      /must start with https:\/\//,
    ],
    [
      "a host with a password",
      () => managementHost({ host: "https://u:pw@posthog.example" }),
      /must not hold a user/,
    ],
    [
      "no address at all",
      () => managementHost({ host: "posthog" }),
      /must be an address such as https:\/\/us\.posthog\.com, got "posthog"/,
    ],
    ["an unknown region", () => managementHost({ region: "mars" }), /must be us or eu, got "mars"/],
  ];
  it.each(wrong)("refuse %s", (_, attempt, pattern) => {
    expect(attempt).toThrow(ConfigurationError);
    expect(attempt).toThrow(pattern);
    expect(attempt).not.toThrow(/phc_secret|phx_s|:pw@/);
  });

  const hosts: [Settings, string, string][] = [
    [{}, "https://us.posthog.com/", "https://us.i.posthog.com/"],
    [{ region: "eu" }, "https://eu.posthog.com/", "https://eu.i.posthog.com/"],
    [{ host: "http://localhost:8000/" }, "http://localhost:8000/", "http://localhost:8000/"],
    [{ host: "http://127.8.0.1", ingestHost: "http://[::1]:9" }, "http://127.8.0.1/", "http://[::1]:9/"],
    [{ host: "https://a.example/posthog//" }, "https://a.example/posthog", "https://a.example/posthog"],
  ];
  it.each(hosts)("%j", (settings, management, ingest) => {
    expect(managementHost(settings).href).toBe(management);
    expect(ingestHost(settings).href).toBe(ingest);
  });
});
