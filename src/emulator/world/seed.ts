import { randomToken, seededUuid } from "./identity";
import { bootstrapOrganization } from "./organizations";
import { createProject, createUser, join } from "./people";
import type { Level } from "../store/entities";
import type { World } from "./world";

export interface SeedOptions {
  readonly seed: number;
  readonly members: number;
  readonly projects: number;
  readonly firstProjectId: number;
  readonly features: readonly string[];
}

interface Person {
  readonly first: string;
  readonly last: string;
  readonly level: Level;
}

const OWNER: Person = { first: "Grace", last: "Hopper", level: 15 };
const MEMBERS: readonly Person[] = [
  { first: "Ada", last: "Lovelace", level: 8 },
  { first: "Alan", last: "Turing", level: 1 },
  { first: "Katherine", last: "Johnson", level: 1 },
  { first: "Edsger", last: "Dijkstra", level: 8 },
  { first: "Barbara", last: "Liskov", level: 1 },
  { first: "Donald", last: "Knuth", level: 1 },
];

/** Fills an empty store with one organization, its projects and people. Ids are the same for the same seed. */
export function seedStore(world: World, options: SeedOptions): void {
  const { seed } = options;
  const owner = addPerson(world, seed, OWNER);
  for (let id = 1; id < options.firstProjectId; id++) world.store.projects.nextId();
  const organization = bootstrapOrganization(
    world,
    owner,
    { name: "Acme" },
    {
      id: seededUuid(seed, "organization"),
      projectUuid: seededUuid(seed, "project 0"),
      features: options.features,
    },
  );
  for (let index = 1; index <= options.projects; index++) {
    createProject(world, organization.id, projectName(index), seededUuid(seed, `project ${index}`));
  }
  for (let index = 0; index < options.members; index++) {
    const person = MEMBERS[index] ?? { first: `Member${index + 1}`, last: "", level: 1 };
    join(
      world,
      addPerson(world, seed, person),
      organization.id,
      person.level,
      seededUuid(seed, `membership ${index}`),
    );
  }
  world.store.media.insert({ id: seededUuid(seed, "logo") });
  world.store.keys.insert({
    id: world.store.keys.nextId(),
    user_id: owner.id,
    value: randomToken("phx_"),
    scopes: null,
    organizations: null,
    projects: null,
  });
}

function addPerson(world: World, seed: number, { first, last }: Person) {
  return createUser(world, {
    email: `${first.toLowerCase()}@example.com`,
    firstName: first,
    lastName: last,
    uuid: seededUuid(seed, `user ${first}`),
  });
}

function projectName(index: number): string {
  return index === 1 ? "Staging" : `Project ${index + 1}`;
}
