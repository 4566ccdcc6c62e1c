import type { Fields } from "../event/fields";
import type { Parsed } from "../event/parse";
import { firstOf, member, objectOf } from "./locate";
import { pick } from "./native";

/** Names of Mixpanel's own events that PostHog knows under another name. */
export const mixpanelRenames: Readonly<Record<string, string>> = { $mp_web_page_view: "$pageview" };

/** Mixpanel's raw export: `{"event", "properties": {"time", "distinct_id", "$insert_id", …}}`, time in seconds or milliseconds. */
export function mixpanelFields(parsed: Parsed): Fields {
  const properties = member(parsed, "properties");
  const inner = objectOf(properties);
  return {
    ...pick("event", member(parsed, "event")),
    ...pick("distinctId", inner && member(inner, "distinct_id")),
    ...pick("timestamp", inner && member(inner, "time")),
    time: { naive: "utc", epoch: "auto" },
    ...pick("properties", properties),
    added: withoutGeoIp,
    ...pick("insertId", firstOf(inner && member(inner, "$insert_id"))),
  };
}

/** Without it the service would place every event where the importing machine stands. */
export const withoutGeoIp: Fields["added"] = [["$geoip_disable", "true"]];
