import { scrubber, secretsOf } from "../../src/client/scrub";

describe("secrets of a body", () => {
  it("are what stands under the name of a secret, at any depth", () => {
    const body = {
      name: "plain",
      destination: {
        type: "S3",
        config: {
          bucket_name: "bucket",
          aws_access_key_id: "id-1",
          aws_secret_access_key: "secret-1",
          password: "secret-2",
          private_key_passphrase: "secret-3",
          credentials: { list: ["secret-4", { deep: "secret-5" }], number: 7 },
        },
      },
      invites: [{ target_email: "a@b.c", token: "secret-6" }],
    };
    expect(secretsOf(body).sort()).toEqual([
      "id-1",
      "secret-1",
      "secret-2",
      "secret-3",
      "secret-4",
      "secret-5",
      "secret-6",
    ]);
  });

  it.each([[undefined], [null], ["text"], [7], [[]], [{}]])("are none in %j", (body) => {
    expect(secretsOf(body)).toEqual([]);
  });
});

describe("scrubbing", () => {
  const KEY = "phx_key";
  const cases: [string, string[], string, string][] = [
    ["the key", [], `Bearer ${KEY}, ${KEY}`, "Bearer [key], [key]"],
    ["a secret", ["hunter22"], "hunter22 is weak", "[secret] is weak"],
    ["a secret within another", ["abcd", "abcdefgh"], "abcdefgh abcd", "[secret] [secret]"],
    ["a secret as JSON writes it", ['a"b\\c'], String.raw`{"x": "a\"b\\c"}`, '{"x": "[secret]"}'],
    ["a secret as an address writes it", ["a b/c="], "?x=a%20b%2Fc%3D", "?x=[secret]"],
    ["short words", ["on"], "on and on", "on and on"],
  ];
  it.each(cases)("takes out %s", (_, secrets, text, clean) => {
    expect(scrubber(KEY, secrets)(text)).toBe(clean);
  });
});
