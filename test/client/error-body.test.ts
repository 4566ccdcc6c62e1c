import { parseErrorBody } from "../../src/client/error-body";
import type { ServiceError } from "../../src/client/errors";

describe("the service's own words", () => {
  const cases: [string, string, ServiceError][] = [
    [
      "all four keys",
      '{"type": "validation_error", "code": "required", "detail": "Missing.", "attr": "destination__type"}',
      { type: "validation_error", code: "required", detail: "Missing.", attr: "destination__type" },
    ],
    ["keys that are null", '{"type": null, "detail": "No.", "attr": null}', { detail: "No." }],
    ["only a detail", '{"detail": "Not found."}', { detail: "Not found." }],
    ["only an error", '{"error": "Wrong password"}', { detail: "Wrong password" }],
    ["a gateway's message", '{"message": "Forbidden"}', { detail: "Forbidden" }],
    ["several details", '{"detail": ["One.", "Two."]}', { detail: "One. Two." }],
    ["fields with what is wrong", '{"name": ["Too long."]}', { attr: "name", detail: "Too long." }],
    [
      "where it is and what is wrong",
      '{"detail": [{"loc": ["body", "destination", "type"], "msg": "Field required", "type": "missing"}]}',
      { attr: "destination__type", detail: "Field required" },
    ],
    ["what is wrong, anywhere", '[{"msg": "No body"}]', { detail: "No body" }],
    ["a bare text in JSON", '"no"', { detail: "no" }],
    ["a bare list", '["One.", "Two."]', { detail: "One. Two." }],
    ["keys of unexpected types", '{"detail": 7, "code": {}}', { detail: '{"detail": 7, "code": {}}' }],
    ["plain text", "  Bad Gateway\n", { detail: "Bad Gateway" }],
    ["text that is cut short", '{"detail": "Not fo', { detail: '{"detail": "Not fo' }],
    ["nothing", " \n", {}],
    [
      "a page",
      "<!DOCTYPE html>\n<html><head><title>502</title><style>p {}</style></head><p>Bad <b>Gateway</b></p></html>",
      { detail: "a web page: 502 Bad Gateway", webPage: true },
    ],
    ["characters that steer a terminal", '{"detail": "a\\u001b[2Jb\\r\\nc"}', { detail: "a [2Jb c" }],
  ];
  it.each(cases)("%s", (_, body, said) => {
    expect(JSON.parse(JSON.stringify(parseErrorBody(body)))).toEqual(said);
  });

  it("are cut short, a page's sooner", () => {
    expect(parseErrorBody("x".repeat(9999)).detail?.length).toBe(301);
    expect(parseErrorBody(`<p>${"x".repeat(9999)}</p>`).detail?.length).toBeLessThan(100);
  });
});
