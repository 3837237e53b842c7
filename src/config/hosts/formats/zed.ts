// Zed: earlier versions had an object as `command`. The server of an extension has settings and no command.

import { formatOf } from './host-format.ts';
import { membersOf, objectOf, renamed, valueIn } from './nodes.ts';

export const zedFormat = formatOf({
  // The unit of `timeout` was changed from milliseconds to seconds.
  ignored: ['source', 'settings', 'timeout', 'remote'],
  disables: 'enabled',
  beforeRead(entry) {
    if (entry.type !== 'object') return entry;
    const command = valueIn(entry, 'command');
    if (!command && !valueIn(entry, 'url')) {
      const isExtension = valueIn(entry, 'source')?.value === 'extension' || valueIn(entry, 'settings') !== undefined;
      return isExtension ? 'The server of an extension of Zed has no command in the settings: it is ignored' : entry;
    }
    if (command?.type !== 'object') return entry;
    const inside = membersOf(command).map(({ key, value }) =>
      key.value === 'path' ? { key: renamed(key, 'command'), value } : { key, value },
    );
    return objectOf([...membersOf(entry).filter(({ key }) => key.value !== 'command'), ...inside], entry);
  },
  afterWrite: (written) => ({ source: 'custom', ...written }),
});
