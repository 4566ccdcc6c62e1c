import { compareForAdoption, describeAdoption } from "./adopt";
import { callFor, remoteOf } from "../requests/call";
import type { ResourceDefinition } from "../definition";
import { isShowable } from "../messages/hush";
import type { Props } from "../values/json";
import { hasUnknown } from "../values/unknown";

/** Objects taken over without a change that are named; of those after them only the number is told. */
const NAMED = 20;
/** Where nothing more comes for so long, all may have come: nobody tells the provider when a preview is over. */
const QUIET_MS = 150;
/** Numbers that are told because it was quiet; a service that is always slow would otherwise have one for each. */
const MOST_PAUSES = 10;
/** Numbers that are told whenever they are reached. */
const ROUND = /^[125]0+$/;

/** Tells of what is taken over without a change, also of thousands, in a few lines. */
export class TakeOvers {
  private count = 0;
  private told = 0;
  private pauses = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly say: (line: string) => void,
    private readonly quietMs = QUIET_MS,
  ) {}

  /** Notes one more, which this line describes. */
  add(line: string): void {
    this.count++;
    clearTimeout(this.timer);
    if (this.count <= NAMED) {
      this.told = this.count;
      this.say(line);
      return;
    }
    if (this.count === NAMED + 1)
      this.say(
        "more are taken over as they are: from here on they are counted, and those that change are named",
      );
    if (ROUND.test(String(this.count))) this.tell();
    else if (this.pauses < MOST_PAUSES) this.timer = setTimeout(() => this.pause(), this.quietMs).unref();
  }

  private pause(): void {
    this.pauses++;
    this.tell();
  }

  private tell(): void {
    if (this.told === this.count) return;
    this.told = this.count;
    this.say(
      `${this.count.toLocaleString("en")} resources so far are taken over as they are, without a change`,
    );
  }
}

const takeOvers = new TakeOvers((line) => {
  console.log(line);
});

/** Says in a preview what the adoption of an object will change in it. */
export async function previewAdoption(
  definition: ResourceDefinition,
  id: string,
  inputs: Props,
): Promise<void> {
  if (hasUnknown(id) || hasUnknown(inputs)) return;
  const call = callFor(definition, "adopting", inputs, id);
  const adoption = await compareForAdoption(call, remoteOf(definition), id, inputs);
  const line = describeAdoption(call, id, adoption, (name) => isShowable(definition, name, inputs));
  if (adoption !== undefined && Object.keys(adoption.changes).length === 0) takeOvers.add(line);
  else console.log(line);
}
