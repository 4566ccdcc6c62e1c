/** What became of runs that were killed. */
export interface KillTotals {
  runs: number;
  /** Kills, by what was killed. `machine` is the CLI and all below it at once. */
  readonly kills: { command: number; provider: number; cli: number; machine: number; server: number };
  /** Resumptions on a machine without a local checkpoint. */
  emptyMachines: number;
  resumptions: number;
  /** Those of them that had a checkpoint, local or in the stack's state. */
  fromCheckpoint: number;
  /** Those of them whose only checkpoint was the stack's state. */
  fromState: number;
  /** Resumptions that sent again what their checkpoint says was acknowledged. */
  startedOver: number;
  lost: number;
  doubled: number;
  /** Runs whose last resumption failed. */
  failed: number;
}

export function noKills(): KillTotals {
  return {
    runs: 0,
    kills: { command: 0, provider: 0, cli: 0, machine: 0, server: 0 },
    emptyMachines: 0,
    resumptions: 0,
    fromCheckpoint: 0,
    fromState: 0,
    startedOver: 0,
    lost: 0,
    doubled: 0,
    failed: 0,
  };
}

/** Whether nothing was lost, doubled or begun again. */
export function isClean({ startedOver, lost, doubled, failed }: KillTotals): boolean {
  return startedOver + lost + doubled + failed === 0;
}
