import { argumentNamed } from "../../src/engine/state/state";
import { meant, wireName } from "../../src/engine/values/names";
import { definitions } from "../../src/resources/definitions";
import { batchExport } from "../../src/resources/batch-export";
import { dashboard } from "../../src/resources/dashboard";
import { organization } from "../../src/resources/organization";
import { destinationConfigs } from "../../src/resources/destinations";

test.each([
  ["name", "name"],
  ["isMemberJoinEmailEnabled", "is_member_join_email_enabled"],
  ["enforce2fa", "enforce_2fa"],
  ["is2faEnabled", "is_2fa_enabled"],
  ["samlX509Cert", "saml_x509_cert"],
  ["hogqlQuery", "hogql_query"],
  ["logoMediaId", "logo_media_id"],
  ["jitProvisioningEnabled", "jit_provisioning_enabled"],
  ["verificationChallenge", "verification_challenge"],
  ["privateProjectAccess", "private_project_access"],
  ["awsSecretAccessKey", "aws_secret_access_key"],
  ["hasSelfSignedCert", "has_self_signed_cert"],
  ["kmsKeyId", "kms_key_id"],
])("%s is %s for the service", (ours, theirs) => {
  expect(wireName(ours)).toBe(theirs);
});

test("no two arguments or outputs of a kind share a name of the service", () => {
  const shapes = [
    ...definitions.map(({ inputs, outputs }) => [...Object.keys(inputs), ...Object.keys(outputs)]),
    ...Object.values(destinationConfigs).map(({ shape }) => Object.keys(shape)),
  ];
  for (const names of shapes) expect(new Set(names.map(wireName)).size).toBe(names.length);
});

test.each([
  [batchExport, "destination__type", "destination.type"],
  [batchExport, "destination__config__bucket_name", "destination.config.bucketName"],
  [batchExport, "destination__non_field_errors", "destination"],
  [batchExport, "start_at", "startAt"],
  [organization, "enforce_2fa", "enforce2fa"],
  [organization, "something_new", "something_new"],
])("an error about a field of the service names the argument (%#)", (definition, attr, argument) => {
  expect(argumentNamed(definition, attr)).toBe(argument);
});

test.each([
  ["descripton", "description"],
  ["desciptoin", "description"],
  ["Tags", "tags"],
  ["use-template", "useTemplate"],
  ["usedashbord", "useDashboard"],
  ["tag", "tags"],
  ["naem", "name"],
  ["pined", "pinned"],
  ["deleted", undefined],
  ["title", undefined],
  ["id", undefined],
  ["x".repeat(100_000), undefined],
])("%.20s: %s is meant", (written, name) => {
  expect(meant(written, ["projectId", ...Object.keys(dashboard.inputs)])).toBe(name);
});
