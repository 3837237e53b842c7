// What the client behind a request may use, of a service with one or several servers.

export interface Rights {
  mayUseServer(server: string): boolean;
  mayUseTool(server: string, tool: string): boolean;
}
