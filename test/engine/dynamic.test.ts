import { providerText } from "../../src/dynamic";
import { typeToken } from "../../src/type-token";
import { definitions } from "../../src/resources/definitions";
import { provider } from "../../src/runtime";

test("the line that every state holds, for years, is this one", () => {
  expect(providerText("Dashboard")).toBe(
    'exports.handler=()=>require("module").createRequire(process.cwd()+"/package.json")("pulumi-posthog/runtime").provider("Dashboard");',
  );
  expect(typeToken("Dashboard")).toBe("pulumi-nodejs:dynamic/posthog:Dashboard");
});

test("every kind that a state may name is there, under the name that states hold", () => {
  const kinds = definitions.map(({ type }) => type);
  expect(kinds).toEqual(
    expect.arrayContaining([
      ...["Dashboard", "Organization", "BatchExport", "Domain", "Invite", "Member"],
      ...["PipelineDestination", "FrontendApp", "ImportApp"],
    ]),
  );
  for (const kind of kinds) expect(provider(kind)).toBe(provider(kind));
});

test("a kind of a newer version is named with what to run", () => {
  expect(() => provider("Cohort")).toThrow(/no resource "Cohort".*npm install pulumi-posthog@latest/);
});
