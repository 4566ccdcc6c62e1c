import type { Fields } from "../event/fields";
import { isObject, type Parsed } from "../event/parse";
import { firstOf, member, unpacked } from "./locate";
import { withoutGeoIp } from "./mixpanel";

/** Names of Amplitude's own events that PostHog knows under another name. */
export const amplitudeRenames: Readonly<Record<string, string>> = { "[Amplitude] Page Viewed": "$pageview" };

/** What Amplitude keeps beside the event's own properties, and PostHog's name for it. */
const context: readonly (readonly [column: string, property: string])[] = [
  ["user_id", "$amplitude_user_id"],
  ["device_id", "$device_id"],
  ["event_id", "$amplitude_event_id"],
  ["session_id", "$amplitude_session_id"],
  ["ip_address", "$ip"],
  ["country", "$geoip_country_name"],
  ["region", "$geoip_subdivision_1_name"],
  ["city", "$geoip_city_name"],
  ["os_version", "$os_version"],
  ["device_type", "$device_type"],
  ["device_model", "$device_model"],
  ["device_manufacturer", "$device_manufacturer"],
  ["language", "$browser_language"],
  ["library", "$lib"],
  ["version_name", "$app_version"],
];

/** On the web Amplitude calls the browser the operating system. */
function system(parsed: Parsed): Fields["added"] {
  const name = member(parsed, "os_name");
  if (name === undefined) return [];
  return [[parsed.value["platform"] === "Web" ? "$browser" : "$os", name.json]];
}

/** Amplitude's export API: event_type, user_id or device_id, event_time (UTC without zone), event_properties, user_properties. */
export function amplitudeFields(parsed: Parsed): Fields {
  const own = context.flatMap(([column, property]) => {
    const found = member(parsed, column);
    return found === undefined || found.value === "" ? [] : [[property, found.json] as const];
  });
  const person = unpacked(member(parsed, "user_properties"));
  const hasPerson = person !== undefined && (!isObject(person.value) || Object.keys(person.value).length > 0);
  return {
    event: member(parsed, "event_type"),
    distinctId:
      firstOf(member(parsed, "user_id"), member(parsed, "device_id"), member(parsed, "amplitude_id")) ??
      member(parsed, "user_id"),
    timestamp: firstOf(member(parsed, "event_time"), member(parsed, "client_event_time")),
    time: { naive: "utc", epoch: "auto" },
    properties: unpacked(member(parsed, "event_properties")),
    added: [...own, ...system(parsed), ...withoutGeoIp],
    ignored: [],
    setOnce: undefined,
    set: hasPerson ? person : undefined,
    uuid: member(parsed, "uuid"),
    insertId: firstOf(member(parsed, "$insert_id"), member(parsed, "insert_id")),
  };
}
