import { Refusal } from "./relay";
import { exporting, POST, type Row } from "./upstream-errors";

const body = (type: string, code: string, detail: string, attr: string | null = null) => ({
  type,
  code,
  detail,
  attr,
});
const invalid = (detail: string, attr: string | null, code = "invalid_input") =>
  new Refusal(400, body("validation_error", code, detail, attr));

/** Errors that the emulator has no reason to answer: what stands before it does. */
export const refused: readonly Row[] = [
  {
    title: "no credentials",
    refusal: new Refusal(
      401,
      body("authentication_error", "not_authenticated", "Authentication credentials were not provided."),
    ),
    says: [POST, 401, "Authentication credentials were not provided.", /drop the Authorization header\?/],
  },
  {
    title: "validation: required",
    refusal: invalid("This field is required.", "name", "required"),
    says: [POST, 400, "name: This field is required.", /Correct name, then run pulumi again/],
  },
  {
    title: "validation: null",
    refusal: invalid("This field may not be null.", "description", "null"),
    says: [POST, 400, "description: This field may not be null.", /Correct description, then/],
  },
  {
    title: "validation: choice, nested",
    kind: "BatchExport",
    args: exporting({}),
    refusal: invalid('"S3" is not a valid choice.', "destination__type", "invalid_choice"),
    says: [
      /\/batch_exports\/ answered/,
      400,
      'destination.type: "S3" is not a valid choice.',
      /Correct destination\.type, then/,
    ],
  },
  {
    title: "validation: max_length",
    refusal: invalid("Ensure this field has no more than 400 characters.", "name", "max_length"),
    says: [POST, 400, "name: Ensure this field has no more than 400 characters.", /Correct name, then/],
  },
  {
    title: "add-on missing",
    kind: "BatchExport",
    args: exporting({}),
    refusal: invalid("The Data Pipelines addon is required for batch exports.", null),
    says: [
      /\/batch_exports\/ answered/,
      400,
      "The Data Pipelines addon is required for batch exports.",
      /The organization's plan does not include this/,
    ],
  },
  {
    title: "malformed JSON",
    refusal: new Refusal(400, body("invalid_request", "parse_error", "JSON parse error - Expecting value")),
    says: [POST, 400, "JSON parse error - Expecting value", /does a proxy before PostHog change it\?/],
  },
  {
    title: "wrong media type",
    refusal: new Refusal(
      415,
      body("invalid_request", "unsupported_media_type", 'Unsupported media type "text/plain" in request.'),
    ),
    says: [
      POST,
      415,
      'Unsupported media type "text/plain" in request.',
      /drop or change the Content-Type header\?/,
    ],
  },
  {
    title: "method",
    refusal: new Refusal(405, body("invalid_request", "method_not_allowed", 'Method "POST" not allowed.')),
    says: [
      POST,
      405,
      'Method "POST" not allowed.',
      /Is posthog:host \(POSTHOG_HOST\) the address of a PostHog\?/,
    ],
  },
  {
    title: "method, without a body",
    refusal: new Refusal(405, undefined),
    says: [
      POST,
      405,
      "no further explanation",
      /Is posthog:host \(POSTHOG_HOST\) the address of a PostHog\?/,
    ],
  },
  {
    title: "throttled",
    connection: "throttled",
    refusal: new Refusal(
      429,
      body("throttled_error", "throttled", "Request was throttled. Expected available in 60 seconds."),
      { "retry-after": "60" },
    ),
    says: [
      POST,
      429,
      "Request was throttled. Expected available in 60 seconds.",
      /asks to wait 60 s, then run again\. posthog:requestDeadline/,
    ],
  },
  {
    title: "premium feature class",
    refusal: new Refusal(
      402,
      body("server_error", "payment_required", "Tagging is part of the premium PostHog offering."),
    ),
    says: [
      POST,
      402,
      "Tagging is part of the premium PostHog offering.",
      /The organization's plan does not include/,
    ],
  },
  {
    title: "conflict class",
    refusal: new Refusal(409, body("server_error", "conflict", "A resource with this ID already exists.")),
    says: [POST, 409, "A resource with this ID already exists.", /Run pulumi up again when that is done/],
  },
  {
    title: "crash",
    refusal: new Refusal(500, body("server_error", "error", "A server error occurred.")),
    says: [POST, 500, "A server error occurred.", /Run pulumi up again in a while/],
  },
  {
    title: "crash of the organization's route",
    kind: "BatchExport",
    args: exporting({}),
    refusal: new Refusal(500, body("server_error", "error", "A server error occurred.")),
    says: [/\/batch_exports\/ answered/, 500, "A server error occurred.", /give the BatchExport a projectId/],
  },
  {
    title: "plugins closed",
    kind: "PipelineDestination",
    args: { pluginType: "source" },
    refusal: new Refusal(
      403,
      body(
        "authentication_error",
        "permission_denied",
        "Your organization's plugin access level is insufficient.",
      ),
    ),
    says: [
      /\/pipeline_destinations\/ answered/,
      403,
      "Your organization's plugin access level is insufficient.",
      /On PostHog Cloud only PostHog can open this/,
    ],
  },
];
