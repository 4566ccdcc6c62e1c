import type { ApiClient, RequestOptions, Subject } from "../../client/client";
import type { BoundCollection } from "../../client/collection";
import type { ResourceDefinition } from "../definition";
import type { JsonObject, Props } from "../values/json";

/** An object of the service, in the service's own names. */
export interface Found {
  id: string;
  object: JsonObject;
  /** After a creation: arguments that it could not carry and that are sent next. */
  rest?: Props;
}

/** What one verb of the lifecycle works with. */
export interface Call {
  readonly definition: ResourceDefinition;
  readonly client: ApiClient;
  /** The path of the collection, filled in. */
  readonly path: string;
  readonly collection: BoundCollection;
  /** `projectId` and `organizationId` of the object, as far as it has them. */
  readonly scope: { readonly projectId?: string; readonly organizationId?: string };
  readonly subject: Subject;
  /** Organization, project and name of the stack; undefined where the arguments come from before it was told. */
  readonly stack: string | undefined;
  /** Options of a request that reads. */
  readonly reading: RequestOptions;
  /** Options of a request that writes this body. */
  writing(body?: unknown): RequestOptions;
  /** A hash that says nothing to whoever lacks the API key. */
  seal(text: string): string;
  /** Tells the person something in one line, without failing. */
  warn(message: string): void;
}

/** How a kind's objects are made, found, changed and removed. */
export interface Remote {
  /** Makes the object, or takes over what is to become it. */
  create(call: Call, args: Props): Promise<Found>;
  /** The object as it is now, or undefined where the service does not have it. */
  find(call: Call, id: string, stored: Props): Promise<Found | undefined>;
  /** Sends what changed and nothing else; the object as answered, or undefined where the answer is not the object. */
  update(call: Call, id: string, changed: Props, stored: Props): Promise<JsonObject | undefined>;
  /** Removes the object. A missing object is an error of the client; the lifecycle decides what it means. */
  delete(call: Call, id: string, stored: Props): Promise<void>;
}
