import { ensureBuilt } from "../package/built";
import { follow } from "./follow";
import { guarded } from "./visits";

beforeAll(ensureBuilt);

test.each(Object.entries(guarded))("every command of %s does what the page says", follow);
