import { sep } from "node:path";

const OWN = __dirname + sep;

/** What V8 calls to turn an error's frames into the text of its stack. */
type Prepare = (error: Error, frames: NodeJS.CallSite[]) => unknown;

/**
 * Lets Pulumi see the line of the program that declares a resource, until the returned function is called. It reads
 * the stack of `new Error()`, takes for granted that one constructor stands between `CustomResource` and the
 * program, and keeps all frames below in the state: with the constructors of this package it would note a line of
 * ours as the resource's position, and a kilobyte of frames of Node and of Pulumi's own for each resource.
 */
export function atTheProgram(): () => void {
  // Undefined unless something was installed, whatever the declaration of Node's types says.
  const before = Error.prepareStackTrace as Prepare | undefined;
  Error.prepareStackTrace = (error, frames) => {
    const shortened = withoutOthers(frames);
    // What reads source maps for TypeScript programs is installed the same way.
    return before?.(error, shortened) ?? [String(error), ...shortened.map(line)].join("\n");
  };
  return () => {
    // `undefined` is how V8 is told to do it its own way again.
    Reflect.set(Error, "prepareStackTrace", before);
  };
}

function line(frame: NodeJS.CallSite): string {
  // eslint-disable-next-line @typescript-eslint/no-base-to-string -- V8's own form, which its type does not show
  return `    at ${frame.toString()}`;
}

/** Pulumi's frames, one constructor of ours, and the program's frames down to where Node begins. */
function withoutOthers(frames: readonly NodeJS.CallSite[]): NodeJS.CallSite[] {
  const isOwn = (frame: NodeJS.CallSite) => frame.getFileName()?.startsWith(OWN) === true;
  const first = frames.findIndex(isOwn);
  if (first < 0) return [...frames];
  const others = frames.slice(first).filter((frame) => !isOwn(frame));
  const end = others.findIndex((frame) => (frame.getFileName() ?? "node:").startsWith("node:"));
  return [...frames.slice(0, first + 1), ...others.slice(0, end < 0 ? undefined : end)];
}
