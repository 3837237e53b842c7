// The --json document of a result: all members that the server sent, plus members of the command. These replace members of the same
// name, so that a server cannot forge, for example, the server name that a script reads.

export function besideResult(result: object, facts: object): object {
  return { ...facts, ...result, ...facts };
}
