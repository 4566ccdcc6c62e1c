import { badArguments, completed, MARKER, valid } from "../guarantees/bad-arguments";
import { badConfigurations, goodConfiguration } from "../guarantees/bad-configuration";
import { checked, configure, listen } from "./provider";

beforeEach(() => configure(goodConfiguration));

test("there are enough of them, of every kind", () => {
  expect(badArguments.length).toBeGreaterThanOrEqual(60);
  expect(new Set(badArguments.map((one) => one.class))).toEqual(new Set(Object.keys(valid)));
});

test.each(Object.entries(valid))("a valid %s passes", async (kind, args) => {
  expect((await checked(kind, "one", args)).failures).toEqual([]);
});

test.each(badArguments.map((one) => [one.class, one.argument, one] as const))(
  "%s: %s %# is refused with what is allowed",
  async (kind, argument, one) => {
    const { result, said } = await listen(() => checked(kind, "one", completed(one)));
    const reasons = (result.failures ?? []).map(({ reason }) => reason);
    expect(reasons).toHaveLength(1);
    const [reason = ""] = reasons;
    // A connection that is not there is a matter of the configuration.
    expect([argument, "configuration"]).toContain(reason.split(": ")[0]);
    expect(reason).toMatch(one.allowed);
    expect(JSON.stringify([reasons, said])).not.toContain(MARKER);
    // The engine prints the value of the property that a failure names.
    const shown = (result.failures ?? []).map(({ property }) =>
      JSON.stringify(completed(one)[property] ?? ""),
    );
    expect(shown.join()).not.toContain(MARKER);
  },
);

test.each(badConfigurations.map((one) => [one.title, one] as const))(
  "%s is refused before anything is sent, with what mends it",
  async (_, { changes, class: kind = "Dashboard", args = {}, says }) => {
    configure({ ...goodConfiguration, ...changes });
    const { result, said } = await listen(() => checked(kind, "one", args));
    const reasons = (result.failures ?? []).map(({ reason }) => reason);
    expect(reasons.join("\n")).toMatch(says);
    expect(JSON.stringify([result.failures, said])).not.toContain(MARKER);
  },
);
