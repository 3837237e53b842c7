import { Dialog } from '../parts/dialog.tsx';

const groups: [string, [string, string][]][] = [
  [
    'Everywhere',
    [
      ['1 … 9, 0, t, l', 'go to a view'],
      ['/', 'search'],
      ['T', 'switch between light and dark'],
      ['?', 'show this list'],
      ['Esc', 'close, or leave the search'],
    ],
  ],
  [
    'Wire',
    [
      ['j k ↓ ↑', 'next, previous row'],
      ['Shift ↓ ↑', 'select a range'],
      ['PgDn PgUp', 'one screen down, up'],
      ['g G', 'first, last row'],
      ['→ ←', 'show, hide the messages of a task'],
      ['Enter', 'open the details'],
      ['p', 'matching request or response'],
      ['x', 'linked request on the client or server side'],
      ['n N', 'next, previous problem or error'],
      ['f', 'follow new rows'],
      ['Space', 'pause'],
      ['c', 'copy as standpipe call'],
      ['r', 'edit and resend'],
      ['e', 'export'],
    ],
  ],
  [
    'Tasks',
    [
      ['j k', 'next, previous task'],
      ['Enter', 'move into the task'],
    ],
  ],
];

export function KeyHelp({ onClose }: { onClose(): void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <div className="key-groups">
        {groups.map(([title, keys]) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl className="keys">
              {keys.map(([key, what]) => (
                <div key={key}>
                  <dt>
                    <kbd>{key}</kbd>
                  </dt>
                  <dd>{what}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
