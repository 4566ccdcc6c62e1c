import { withoutLastWords } from "./events";

const LAST_WORDS = [
  "panic: send on closed channel",
  "",
  "goroutine 50 [running]:",
  "main.(*nodeLanguageHost).Run.func4()",
  "\t.../nodejs/cmd/pulumi-language-nodejs/main.go:535 +0x98",
  "created by main.(*nodeLanguageHost).Run in goroutine 11",
  "\t.../nodejs/cmd/pulumi-language-nodejs/main.go:532 +0x578",
].join("\n");

test.each([
  ["alone", LAST_WORDS, ""],
  ["without its empty line", LAST_WORDS.replace("\n\n", "\n"), ""],
  ["after an error", `it failed\n${LAST_WORDS}`, "it failed"],
  ["before an error", `${LAST_WORDS}\nit failed`, "\nit failed"],
])("how the language host may end is no error of the run: %s", (_, said, left) => {
  expect(withoutLastWords(said)).toBe(left);
});

test("any other panic is one", () => {
  for (const other of [
    LAST_WORDS.replace("send on closed channel", "index out of range"),
    LAST_WORDS.replaceAll("nodeLanguageHost", "somethingElse"),
  ])
    expect(withoutLastWords(other)).toBe(other);
});
