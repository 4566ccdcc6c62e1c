import * as pulumi from "@pulumi/pulumi";
import { atTheProgram } from "./source-position";
import { typeToken } from "./type-token";

/**
 * The provider of a kind as every state keeps it, once in the inputs and once in the outputs. It is one line that
 * loads the installed package through the program's folder, instead of the serialized closure that
 * `pulumi.dynamic.Resource` would write: an upgrade of the package changes no resource, refresh and destroy run
 * the installed code, and nothing is captured that could be a secret. Stacks keep this text for years: neither
 * the path nor the name of the export may ever change.
 */
export function providerText(type: string): string {
  return (
    'exports.handler=()=>require("module").createRequire(process.cwd()+"/package.json")' +
    `("pulumi-posthog/runtime").provider("${type}");`
  );
}

/**
 * A resource of the dynamic provider. It extends `CustomResource`, as `pulumi.dynamic.Resource` does, since that
 * class insists on serializing a provider object itself (and loads the TypeScript compiler to do so).
 */
export abstract class DynamicResource extends pulumi.CustomResource {
  constructor(type: string, name: string, props: pulumi.Inputs, opts?: pulumi.CustomResourceOptions) {
    const done = atTheProgram();
    try {
      super(typeToken(type), name, { ...props, __provider: providerText(type) }, opts);
    } finally {
      done();
    }
  }
}
