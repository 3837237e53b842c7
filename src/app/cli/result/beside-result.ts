// The document of --json for a result: all its members as the server sent them, and beside them the facts of the command. A fact wins
// over a member of the same name: a server must not decide what a script takes for the name of the server.

export function besideResult(result: object, facts: object): object {
  return { ...facts, ...result, ...facts };
}
