// What the client behind a request may use, of a service with one or several servers.

export interface Rights {
  /** Whether some tools of servers that may be used may not. */
  readonly limitsTools: boolean;
  mayUseServer(server: string): boolean;
  mayUseTool(server: string, tool: string): boolean;
}
