import type { Fields, Located } from "../event/fields";
import type { Parsed } from "../event/parse";
import { member, unpacked } from "./locate";
import { withoutGeoIp } from "./mixpanel";

/** Of `$set` and `$set_once` an export without them holds an empty text. */
function personProperties(parsed: Parsed, ...names: readonly string[]): Located | undefined {
  for (const name of names) {
    const found = unpacked(member(parsed, name));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A batch export of PostHog's own events (JSON lines or CSV): uuid, event, properties, distinct_id, timestamp, elements_chain. */
export function posthogFields(parsed: Parsed): Fields {
  const elements = member(parsed, "elements_chain");
  const chain: Fields["added"] =
    elements !== undefined && elements.value !== "" ? [["$elements_chain", elements.json]] : [];
  return {
    event: member(parsed, "event"),
    distinctId: member(parsed, "distinct_id"),
    timestamp: member(parsed, "timestamp"),
    time: { naive: "utc", epoch: "auto" },
    properties: unpacked(member(parsed, "properties")),
    added: [...chain, ...withoutGeoIp],
    set: personProperties(parsed, "set", "$set"),
    setOnce: personProperties(parsed, "set_once", "$set_once"),
    uuid: member(parsed, "uuid"),
    insertId: undefined,
    ignored: [],
  };
}
