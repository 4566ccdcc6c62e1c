import { changing } from "./life/changing";
import { clearing, vanishing } from "./life/ending";
import { Life } from "./life/life";
import { making } from "./life/making";

/*
 * The whole life of every kind, through the real engine: one object for each argument, all in one stack, so that
 * each operation of the engine runs once and is looked at from every side. The groups build on each other.
 */
const life = new Life();
beforeAll(() => life.open());
afterAll(() => life.close());

making(life);
changing(life);
clearing(life);
vanishing(life);
