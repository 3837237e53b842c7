// OpenCode: `command` is an array with the arguments, `env` is `environment`, and `{env:NAME}` in a text is a variable.

import { formatOf } from './host-format.ts';
import { arrayOf, membersOf, objectOf, renamed, valueIn } from './nodes.ts';

export const opencodeFormat = formatOf({
  names: [{ theirs: 'environment', ours: 'env' }],
  // `timeout` is for the list of tools alone.
  ignored: ['timeout'],
  disables: 'enabled',
  types: { stdio: 'local', http: 'remote', sse: 'remote' },
  variables: {
    fromTheirs: (text) => text.replaceAll(/\{env:([A-Za-z_]\w*)\}/g, '${$1}'),
    theirs: (name) => `{env:${name}}`,
  },
  beforeRead(entry) {
    if (entry.type !== 'object') return entry;
    const command = valueIn(entry, 'command');
    if (!command && !valueIn(entry, 'url')) return 'This entry of OpenCode changes one of another file: it is ignored';
    const [program, ...args] = command?.type === 'array' ? (command.children ?? []) : [];
    const members = membersOf(entry).flatMap(({ key, value }) => {
      // It follows from the other keys.
      if (key.value === 'type') return [];
      if (value !== command || !program) return [{ key, value }];
      return [
        { key, value: program },
        { key: renamed(key, 'args'), value: arrayOf(args, command) },
      ];
    });
    return objectOf(members, entry);
  },
  afterWrite({ command, args, cwd, envFile, ...written }) {
    return command === undefined ? written : { command: [command, ...((args as string[]) ?? [])], ...written };
  },
});
