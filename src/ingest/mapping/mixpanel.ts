import type { Fields } from "../event/fields";
import type { Parsed } from "../event/parse";
import { firstOf, member, objectOf } from "./locate";

/** Names of Mixpanel's own events that PostHog knows under another name. */
export const mixpanelRenames: Readonly<Record<string, string>> = { $mp_web_page_view: "$pageview" };

/** Mixpanel's raw export: `{"event", "properties": {"time", "distinct_id", "$insert_id", …}}`, time in seconds or milliseconds. */
export function mixpanelFields(parsed: Parsed): Fields {
  const properties = member(parsed, "properties");
  const inner = objectOf(properties);
  return {
    event: member(parsed, "event"),
    distinctId: inner && member(inner, "distinct_id"),
    timestamp: inner && member(inner, "time"),
    time: { naive: "utc", epoch: "auto" },
    properties: properties,
    added: withoutGeoIp,
    set: undefined,
    setOnce: undefined,
    uuid: undefined,
    ignored: [],
    insertId: firstOf(inner && member(inner, "$insert_id")),
  };
}

/** Without it the service would place every event where the importing machine stands. */
export const withoutGeoIp: Fields["added"] = [["$geoip_disable", "true"]];
