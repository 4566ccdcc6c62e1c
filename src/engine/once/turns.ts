type Work<T> = () => Promise<T>;

interface Waiting {
  weight: number;
  start: () => void;
}

/**
 * Turns of those who make objects of one kind: any number side by side, except where one has to find out what
 * became of its own. That one works alone: then every other object is either known to be somebody's, or lost as well.
 */
export class Turns {
  private sharing = 0;
  private busy = false;
  private readonly forAlone: Waiting[] = [];
  private readonly forShared: (() => void)[] = [];

  /** Works beside others of this kind. */
  async shared<T>(work: Work<T>): Promise<T> {
    await new Promise<void>((start) => {
      this.forShared.push(start);
      this.next();
    });
    try {
      return await work();
    } finally {
      this.sharing--;
      this.next();
    }
  }

  /** Works alone; of several who wait, the one with the largest weight goes first. */
  async alone<T>(weight: number, work: Work<T>): Promise<T> {
    await new Promise<void>((start) => {
      this.forAlone.push({ weight, start });
      this.forAlone.sort((a, b) => b.weight - a.weight);
      this.next();
    });
    try {
      return await work();
    } finally {
      this.busy = false;
      this.next();
    }
  }

  private next(): void {
    if (this.busy) return;
    if (this.forAlone.length > 0) {
      if (this.sharing > 0) return;
      this.busy = true;
      this.forAlone.shift()?.start();
      return;
    }
    for (const start of this.forShared.splice(0)) {
      this.sharing++;
      start();
    }
  }
}
