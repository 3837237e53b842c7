// Which names promise a secret: of a JSON key, a header, an option, an environment variable. Upper and lower case, `-`, `_`
// and camelCase make no difference. docs/recordings.md shows this list.

/** Names that end so are secret… */
const secretEndings = [
  'authorization',
  'cookie',
  'token',
  'secret',
  'password',
  'passwd',
  'passphrase',
  'credential',
  'credentials',
  'apikey',
  'accesskey',
  'privatekey',
  'secretkey',
  'signingkey',
  'encryptionkey',
];

/** …but for these, which say where something goes on and not who may see it. */
const publicNames = ['progresstoken', 'pagetoken', 'nexttoken', 'continuationtoken', 'synctoken', 'resumptiontoken'];

const secretPattern = new RegExp(`(?:${secretEndings.join('|')})$`);
const publicPattern = new RegExp(`(?:${publicNames.join('|')})$`);

export function isSecretName(name: string): boolean {
  const plain = name.replaceAll(/[-_.\s]/g, '').toLowerCase();
  return secretPattern.test(plain) && !publicPattern.test(plain);
}

/** Part of a regular expression: the end of a secret name as it is written. */
export const secretEndingSource =
  '(?:authorization|cookie|token|secret|passwo?r?d|passphrase|credentials?|(?:api|access|private|secret|signing|encryption)[-_]?key)';

const publicWords =
  /^(?:true|false|yes|no|on|off|none|null|auto|default|debug|info|warn|warning|error|trace|verbose|silent|production|development|staging|test|localhost|utf-?8|\d{1,5})$/i;

/**
 * The variables of `env` whose values are to be hidden: all but words that everyone uses, since a recording in which every
 * `info` and every `true` is masked says nothing and protects nobody.
 */
export function hidingWorthy(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const worthy = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !publicWords.test(entry[1]),
  );
  return Object.fromEntries(worthy);
}
