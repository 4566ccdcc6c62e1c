/** Where an event stands. */
export interface Location {
  readonly file: number;
  readonly line: number;
}

/** An event that stands somewhere else already. */
export interface Repetition {
  readonly first: Location;
  readonly again: Location;
}

const smallest = 1 << 14;
const largest = 1 << 21;
const shown = 5;

/**
 * Counts events of equal identity in bounded memory. Up to about 1.5 million events the count is exact; beyond, only
 * identities of an ever smaller part of all possible ones are kept, and the count is scaled up from them.
 */
export class Repetitions {
  #size = smallest;
  #mask = 0;
  #kept = 0;
  #count = 0;
  #high = new Uint32Array(smallest);
  #low = new Uint32Array(smallest);
  #file = new Uint32Array(smallest);
  #line = new Uint32Array(smallest);
  readonly examples: Repetition[] = [];

  /** Whether every event was looked at. */
  get exact(): boolean {
    return this.#mask === 0;
  }

  /** Events that repeat another, the first of each not counted. */
  get count(): number {
    return this.#count * (this.#mask + 1);
  }

  /** Notes one event by 64 bits of its uuid. */
  add(high: number, low: number, where: Location): void {
    if ((low & this.#mask) !== 0) return;
    // 0 marks a free slot.
    const key = low === 0 && high === 0 ? 1 : low;
    let slot = this.#slot(high, key);
    while (this.#low[slot] !== 0 || this.#high[slot] !== 0) {
      if (this.#low[slot] === key && this.#high[slot] === high) {
        this.#count++;
        if (this.examples.length < shown) {
          this.examples.push({
            first: { file: this.#file[slot] ?? 0, line: this.#line[slot] ?? 0 },
            again: where,
          });
        }
        return;
      }
      slot = (slot + 1) & (this.#size - 1);
    }
    this.#put(slot, high, key, where);
    if (++this.#kept > this.#size * 0.7) this.#grow();
  }

  #slot(high: number, low: number): number {
    return (high ^ (low >>> 11)) & (this.#size - 1);
  }

  #put(slot: number, high: number, low: number, where: Location): void {
    this.#high[slot] = high;
    this.#low[slot] = low;
    this.#file[slot] = where.file;
    this.#line[slot] = where.line;
  }

  #grow(): void {
    const [highs, lows, files, lines] = [this.#high, this.#low, this.#file, this.#line];
    if (this.#size < largest) this.#size *= 2;
    else this.#mask = this.#mask * 2 + 1;
    this.#high = new Uint32Array(this.#size);
    this.#low = new Uint32Array(this.#size);
    this.#file = new Uint32Array(this.#size);
    this.#line = new Uint32Array(this.#size);
    this.#kept = 0;
    if (this.#mask > 0) this.#count = Math.round(this.#count / 2);
    lows.forEach((low, index) => {
      const high = highs[index] ?? 0;
      if ((low === 0 && high === 0) || (low & this.#mask) !== 0) return;
      let slot = this.#slot(high, low);
      while (this.#low[slot] !== 0 || this.#high[slot] !== 0) slot = (slot + 1) & (this.#size - 1);
      this.#put(slot, high, low, { file: files[index] ?? 0, line: lines[index] ?? 0 });
      this.#kept++;
    });
  }
}
