import type { Answer, Call, Method } from "./call";

/**
 * The scope that a key needs, `closed` for actions that no scoped key may call (only a legacy key, which has no scopes,
 * may), or `own` for what every key may ask about itself.
 */
export type Scope = `${string}:${"read" | "write"}` | "closed" | "own";

/** One endpoint, as data. */
export interface Route {
  readonly method: Method;
  /** The path with `:name` parameters and a trailing slash; requests may leave the slash out. */
  readonly template: string;
  readonly scope: Scope;
  /** Permissions beyond membership, checked before the handler. */
  readonly guard?: (call: Call) => void;
  readonly handler: (call: Call) => Answer;
}

export interface Match {
  readonly template: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** Undefined where the path exists but not for this method. */
  readonly route: Route | undefined;
  /** Every route of this path, by method. */
  readonly routes: ReadonlyMap<string, Route>;
}

interface Node {
  readonly fixed: Map<string, Node>;
  readonly parameters: Map<string, Node>;
  template: string | undefined;
  readonly routes: Map<string, Route>;
}

/** Finds the route of a request. Fixed segments win over parameters, so `invites/bulk/` is not an invite's id. */
export class Router {
  private readonly root = emptyNode();

  constructor(readonly routes: readonly Route[]) {
    for (const route of routes) this.add(route);
  }

  match(method: string, path: string): Match | undefined {
    const segments = path.replace(/^\//, "").replace(/\/$/, "").split("/");
    const values: Record<string, string> = {};
    const node = find(this.root, segments, 0, values);
    if (!node || node.template === undefined) return undefined;
    return {
      template: node.template,
      parameters: values,
      route: node.routes.get(method),
      routes: node.routes,
    };
  }

  private add(route: Route): void {
    let node = this.root;
    for (const segment of route.template.replace(/^\//, "").replace(/\/$/, "").split("/")) {
      const children = segment.startsWith(":") ? node.parameters : node.fixed;
      const name = segment.replace(/^:/, "");
      let child = children.get(name);
      if (!child) {
        child = emptyNode();
        children.set(name, child);
      }
      node = child;
    }
    if (node.routes.has(route.method)) throw new Error(`${route.method} ${route.template} is declared twice`);
    node.template ??= route.template;
    node.routes.set(route.method, route);
  }
}

function find(
  node: Node,
  segments: readonly string[],
  at: number,
  values: Record<string, string>,
): Node | undefined {
  const segment = segments[at];
  if (segment === undefined) return node.template === undefined ? undefined : node;
  if (segment === "") return undefined;
  const fixed = node.fixed.get(segment);
  const found = fixed && find(fixed, segments, at + 1, values);
  if (found) return found;
  for (const [name, child] of node.parameters) {
    const below = find(child, segments, at + 1, values);
    if (below) {
      values[name] = decode(segment);
      return below;
    }
  }
  return undefined;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function emptyNode(): Node {
  return { fixed: new Map(), parameters: new Map(), template: undefined, routes: new Map() };
}
