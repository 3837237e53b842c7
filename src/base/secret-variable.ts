// Whether a name promises a secret: of a variable, an input, an option on a command line. Rather too often than too seldom:
// a value that is hidden without need costs a look into the file, one that is shown costs a new key.

const secretName =
  /token(?!s)|secret|passw|passphrase|credential|authorization|api_?key|[a-z]Key$|(?:^|[-_.])(?:auth|bearer|key|pass|pat|pin|pwd)(?:$|[-_.])/;

export function isSecretVariable(name: string): boolean {
  return secretName.test(name) || secretName.test(name.toLowerCase().replaceAll('-', '_'));
}
