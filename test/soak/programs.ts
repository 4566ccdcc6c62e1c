import type { Emulator } from "../support/emulator";
import type { Declared } from "../support/stack";
import type { Random } from "./random";

/** Texts that no log, file or state may hold in clear. */
export const SECRETS = ["hush-access-key", "hush-password", "hush-token"] as const;

/** A kind, with what a random program says of it. */
interface Kind {
  readonly class: string;
  /** Arguments that can only be given once: a change of them is another object. */
  fixed(n: number, random: Random): Record<string, unknown>;
  /** Arguments that are changed in place; each may be left out. */
  readonly changeable: Readonly<Record<string, readonly unknown[]>>;
  /** Whether two resources may say the very same. */
  readonly alike: boolean;
  /** Objects at the service. */
  count(emulator: Emulator): number;
}

const secret = (text: string) => ({ $secret: text });
const s3 = (prefix: string) => ({
  type: "S3",
  config: {
    bucketName: "lake",
    region: "eu-central-1",
    prefix,
    awsAccessKeyId: "AKIA",
    awsSecretAccessKey: secret(SECRETS[0]),
  },
});

export const KINDS: readonly Kind[] = [
  {
    class: "Dashboard",
    fixed: (n) => ({ name: `Board ${n}` }),
    changeable: {
      description: ["", "one", "two"],
      pinned: [true, false],
      tags: [["a"], ["B", "a"], []],
      restrictionLevel: ["everyone", "collaborators"],
      filters: [{ date_from: "-7d" }, { date_from: "-1d" }],
      deleteInsights: [true, false],
    },
    alike: true,
    count: ({ store }) => store.dashboards.filter(({ deleted }) => !deleted).length,
  },
  {
    class: "Organization",
    fixed: (n) => ({ name: `Organization ${n}` }),
    changeable: { isMemberJoinEmailEnabled: [true, false], enforce2fa: [true, false] },
    alike: true,
    count: ({ store }) => store.organizations.size,
  },
  {
    class: "BatchExport",
    fixed: (n) => ({ name: `Export ${n}`, interval: "hour", destination: s3("a/") }),
    changeable: {
      interval: ["hour", "day", "every 5 minutes"],
      paused: [true, false],
      model: ["events", "persons"],
      destination: [s3("b/"), s3("c/")],
      startAt: ["2026-01-01T00:00:00Z", "2026-02-01T01:00:00+01:00"],
    },
    alike: true,
    count: ({ store }) => store.batchExports.filter(({ deleted }) => !deleted).length,
  },
  {
    class: "Domain",
    fixed: (n) => ({ domain: `n${n}.example.org` }),
    changeable: {
      samlEntityId: ["entity", ""],
      samlAcsUrl: ["https://idp.example/acs"],
      jitProvisioningEnabled: [true, false],
    },
    alike: false,
    count: ({ store }) => store.domains.size,
  },
  {
    class: "Invite",
    fixed: (n) => ({ targetEmail: `new-${n}@people.example`, level: "admin" }),
    changeable: { renewExpired: [true, false] },
    alike: false,
    count: ({ store }) => store.invites.size,
  },
  {
    class: "PipelineDestination",
    fixed: (n) => ({ url: secret(`https://github.com/acme/to-${n}?private_token=${SECRETS[2]}`) }),
    changeable: { isGlobal: [true, false], icon: ["https://a.example/1.png", "https://a.example/2.png"] },
    alike: false,
    count: ({ store }) => store.plugins.size,
  },
  {
    class: "FrontendApp",
    fixed: (n) => ({ pluginType: "source", name: `App ${n}` }),
    changeable: { description: ["one", "two"], configSchema: [[{ key: "a" }], [{ key: "b" }]] },
    alike: true,
    count: ({ store }) => store.plugins.size,
  },
];

/** A resource of a random program, as the generator remembers it. */
interface Entry {
  readonly kind: Kind;
  readonly name: string;
  readonly fixed: Record<string, unknown>;
  changeable: Record<string, unknown>;
}

/** A random program that can be edited at random. */
export class RandomProgram {
  private entries: Entry[] = [];
  private count = 0;

  constructor(private readonly random: Random) {
    const size = random.whole(3, 14);
    for (let index = 0; index < size; index++) this.add();
  }

  /** What the test's program declares. */
  declared(): Declared[] {
    return this.entries.map(({ kind, name, fixed, changeable }) => ({
      class: kind.class,
      name,
      args: { ...fixed, ...changeable },
    }));
  }

  /** How many objects of each kind's list the program declares. */
  expected(before: ReadonlyMap<Kind, number>): Map<string, number> {
    const lists = new Map<string, number>();
    for (const kind of KINDS) {
      const key = String(kind.count);
      const declared = this.entries.filter((entry) => String(entry.kind.count) === key).length;
      lists.set(key, (before.get(kind) ?? 0) + declared);
    }
    return lists;
  }

  /** Changes in place, which leave every object what it is. */
  touch(): void {
    for (const entry of this.entries) {
      if (this.random.chance(0.4)) entry.changeable = this.choose(entry.kind);
    }
  }

  /** Any edit: resources come, go, become others and are changed. */
  edit(): void {
    this.touch();
    this.entries = this.entries.filter(() => !this.random.chance(0.15));
    while (this.random.chance(0.5)) this.add();
    this.entries = this.entries.map((entry) =>
      this.random.chance(0.1) ? { ...entry, fixed: entry.kind.fixed(++this.count, this.random) } : entry,
    );
  }

  private add(): void {
    const kind = this.random.pick(KINDS);
    const twin = this.entries.find((entry) => entry.kind === kind);
    const number = ++this.count;
    const isTwin = kind.alike && twin !== undefined && this.random.chance(0.3);
    this.entries.push({
      kind,
      name: `r${number}`,
      fixed: isTwin ? twin.fixed : kind.fixed(number, this.random),
      changeable: isTwin ? twin.changeable : this.choose(kind),
    });
  }

  private choose(kind: Kind): Record<string, unknown> {
    const chosen: Record<string, unknown> = {};
    for (const [name, values] of Object.entries(kind.changeable)) {
      if (this.random.chance(0.5)) chosen[name] = this.random.pick(values);
    }
    return chosen;
  }
}
