import { execFileSync } from "node:child_process";

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

function processes(): Process[] {
  const listed = execFileSync("ps", ["-e", "-o", "pid=,ppid=,args="], { encoding: "utf8" });
  return listed.split("\n").flatMap((line) => {
    const [, pid, parent, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return command === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), command }];
  });
}

/** The dynamic provider that this run of the CLI has started, once it is there. */
export function providerOf(cli: number): number | undefined {
  const all = processes();
  const isBelow = ({ parent }: Process): boolean => {
    if (parent === cli) return true;
    const above = all.find(({ pid }) => pid === parent);
    return above !== undefined && isBelow(above);
  };
  return all.find((one) => /node\b.*[\\/]dynamic-provider\b/.test(one.command) && isBelow(one))?.pid;
}

/** True while there is a process of this id. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
