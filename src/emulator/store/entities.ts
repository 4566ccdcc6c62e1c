import type { Json, JsonObject } from "../fields/json";

/** What the emulator keeps. Field names are the service's own; times are in the notation that it prints. */

export type Level = 1 | 8 | 15;

export interface User {
  id: number;
  uuid: string;
  distinct_id: string;
  first_name: string;
  last_name: string;
  email: string;
  is_email_verified: boolean;
  is_active: boolean;
  is_2fa_enabled: boolean;
  has_social_auth: boolean;
  last_login: string | null;
  date_joined: string;
  current_organization_id: string | null;
  current_project_id: number | null;
}

export interface ApiKey {
  id: number;
  user_id: number;
  value: string;
  /** Null is a legacy key, which may do everything its user may. */
  scopes: string[] | null;
  /** Organizations that the key is restricted to; null or empty is no restriction. */
  organizations: string[] | null;
  /** Projects that the key is restricted to; null or empty is no restriction. */
  projects: number[] | null;
}

export interface Organization {
  id: string;
  name: string;
  slug: string;
  logo_media_id: string | null;
  created_at: string;
  updated_at: string;
  plugins_access_level: 0 | 3 | 6 | 9;
  features: string[];
  is_member_join_email_enabled: boolean;
  customer_id: string | null;
  enforce_2fa: boolean | null;
}

export interface Project {
  id: number;
  uuid: string;
  organization_id: string;
  name: string;
  api_token: string;
  timezone: string;
  created_at: string;
  updated_at: string;
}

export interface Membership {
  id: string;
  organization_id: string;
  user_id: number;
  level: Level;
  joined_at: string;
  updated_at: string;
}

export interface Dashboard {
  id: number;
  project_id: number;
  name: string | null;
  description: string;
  pinned: boolean;
  created_at: string;
  created_by_id: number | null;
  deleted: boolean;
  creation_mode: "default" | "template" | "duplicate";
  tags: string[];
  restriction_level: 21 | 37;
  filters: JsonObject;
  use_template?: string;
  use_dashboard?: number;
}

export interface Tile {
  id: number;
  dashboard_id: number;
  insight_id: number | null;
  text_id: number | null;
  color: Json;
  layouts: Json;
  deleted: boolean;
}

export interface Insight {
  id: number;
  short_id: string;
  project_id: number;
  name: string | null;
  description: string | null;
  filters: Json;
  query: Json;
  deleted: boolean;
  created_at: string;
  created_by_id: number | null;
}

export interface TextCard {
  id: number;
  project_id: number;
  body: string | null;
  created_by_id: number | null;
  last_modified_by_id: number | null;
  last_modified_at: string;
}

export interface Collaborator {
  id: string;
  dashboard_id: number;
  user_id: number;
  level: 37;
  added_at: string;
  updated_at: string;
}

export interface Sharing {
  id: number;
  dashboard_id: number;
  created_at: string;
  enabled: boolean;
  access_token: string;
}

export interface BatchExport {
  id: string;
  project_id: number;
  name: string;
  model: "events" | "persons" | "" | null;
  destination: { type: DestinationType; config: JsonObject };
  interval: Interval;
  paused: boolean;
  created_at: string;
  last_updated_at: string;
  last_paused_at: string | null;
  start_at: string | null;
  end_at: string | null;
  schema: ExportSchema | null;
  hogql_query?: string;
  deleted: boolean;
}

export type Interval = "hour" | "day" | "week" | "every 5 minutes";
export type DestinationType = "S3" | "Snowflake" | "Postgres" | "Redshift" | "BigQuery" | "HTTP" | "NoOp";

export interface ExportSchema {
  fields: { expression: string; alias: string }[];
  values: Record<string, string>;
  hogql_query: string;
}

export interface ExportRun {
  id: string;
  batch_export: string;
  status: string;
  records_completed: number | null;
  latest_error: string | null;
  data_interval_start: string;
  data_interval_end: string;
  cursor: string | null;
  created_at: string;
  finished_at: string | null;
  last_updated_at: string;
  records_total_count: number | null;
}

export interface Backfill {
  id: string;
  batch_export: string;
  start_at: string;
  end_at: string;
  created_at: string;
}

export interface LogEntry {
  id: number;
  log_source_id: string;
  instance_id: string;
  timestamp: string;
  level: string;
  message: string;
}

export interface Domain {
  id: string;
  organization_id: string;
  domain: string;
  verified_at: string | null;
  verification_challenge: string;
  jit_provisioning_enabled: boolean;
  sso_enforcement: string;
  saml_entity_id: string | null;
  saml_acs_url: string | null;
  saml_x509_cert: string | null;
}

export interface Invite {
  id: string;
  organization_id: string;
  target_email: string;
  first_name: string;
  emailing_attempt_made: boolean;
  level: Level;
  created_by_id: number | null;
  created_at: string;
  updated_at: string;
  message: string | null;
  private_project_access: Json;
  /** Made to expire from outside, before its three days are over. */
  expired: boolean;
}

export interface Plugin {
  id: number;
  organization_id: string;
  plugin_type: string | null;
  name: string | null;
  description: string | null;
  url: string | null;
  icon: string | null;
  config_schema: Json;
  tag: string | null;
  latest_tag: string | null;
  is_global: boolean;
  capabilities: Json;
  metrics: Json;
  public_jobs: Json;
  source: Record<string, string>;
  /** Capabilities that the plugin server is going to write, and when (milliseconds since 1970). */
  inference: { capabilities: JsonObject; due: number } | null;
}

export interface Activity {
  id: string;
  organization_id: string;
  project_id: number;
  user_id: number;
  activity: string;
  scope: "Plugin";
  item_id: string;
  detail: JsonObject;
  created_at: string;
}

export interface DnsRecord {
  id: string;
  name: string;
  value: string;
}

export interface Media {
  id: string;
}

/** A repository that the emulator's plugin installer can fetch, in the state of its latest release. */
export interface PluginRelease {
  /** The repository's address, without query string. */
  id: string;
  name: string;
  description: string;
  icon: string | null;
  tag: string;
  config: Json;
  public_jobs: Json;
  capabilities: JsonObject;
  source: Record<string, string>;
}
