// The roots that servers of this host get: folders by URI, with names. A change is announced to the servers.

import { useEffect, useState } from 'react';
import type { RootsReport } from '../../../../src/app/inspector/api.ts';
import { api } from '../../api/request.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { announce } from '../../state/announce.ts';
import { plural } from '../../text/amounts.ts';

type Root = RootsReport['roots'][number];

/** A button that shows the number of roots. Absent if the servers get their roots from another program. */
export function Roots() {
  const [report, setReport] = useState<RootsReport>();
  const [open, setOpen] = useState(false);
  useEffect(() => {
    api.roots().then(setReport, () => undefined); // without an answer, the header shows the lost connection
  }, []);
  if (!report?.canEdit) return null;
  return (
    <>
      <button type="button" title="Folders that servers may use" onClick={() => setOpen(true)}>
        {plural(report.roots.length, 'root')}
      </button>
      {open && <RootsDialog first={report.roots} onSaved={setReport} onClose={() => setOpen(false)} />}
    </>
  );
}

interface Props {
  first: readonly Root[];
  onSaved(report: RootsReport): void;
  onClose(): void;
}

function RootsDialog({ first, onSaved, onClose }: Props) {
  const [roots, setRoots] = useState<Root[]>(() => (first.length > 0 ? [...first] : [{ uri: '' }]));
  const [problem, setProblem] = useState<string>();
  const change = (at: number, root: Root) => setRoots(roots.with(at, root));
  const save = async () => {
    const wrong = roots.find(({ uri }) => uri.trim() !== '' && !URL.canParse(uri.trim()));
    if (wrong) return setProblem(`“${wrong.uri}” is not a URI, for example file:///home/user/project.`);
    try {
      const given = roots.filter(({ uri }) => uri.trim() !== '').map(({ uri, name }) => ({ uri: uri.trim(), name }));
      onSaved(await api.setRoots(given));
      announce('The servers were told about the roots', 'good');
      onClose();
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  return (
    <Dialog wide title="Roots" onClose={onClose}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <p className="muted">
          Servers get this list when they ask for the roots of their client, and are told when it changes.
        </p>
        <ul className="roots">
          {roots.map((root, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: roots are identified by their position
            <li key={at} className="root">
              <input
                type="text"
                className="mono"
                placeholder="file:///home/user/project"
                aria-label={`URI of root ${at + 1}`}
                value={root.uri}
                onChange={(event) => change(at, { ...root, uri: event.target.value })}
              />
              <input
                type="text"
                placeholder="name"
                aria-label={`Name of root ${at + 1}`}
                value={root.name ?? ''}
                onChange={(event) => change(at, { ...root, name: event.target.value })}
              />
              <button
                type="button"
                className="quiet"
                aria-label={`Remove root ${at + 1}`}
                onClick={() => setRoots(roots.toSpliced(at, 1))}
              >
                ✕
              </button>
            </li>
          ))}
        </ul>
        <button type="button" onClick={() => setRoots([...roots, { uri: '' }])}>
          Add a root
        </button>
        {problem !== undefined && (
          <p className="note bad" role="alert">
            Not saved: {problem}
          </p>
        )}
        <div className="buttons end">
          <button type="submit" className="primary">
            Save
          </button>
        </div>
      </form>
    </Dialog>
  );
}
