// The rights of the client behind a request, for a service with one or several servers.

export interface Rights {
  /** Whether some tools of permitted servers may not be used. */
  readonly limitsTools: boolean;
  mayUseServer(server: string): boolean;
  mayUseTool(server: string, tool: string): boolean;
}
