// The list of problems, each with an explanation and a link to its first event.

import { Empty } from '../../parts/empty.tsx';
import { ServerChip } from '../../parts/server-chip.tsx';
import { addressOf } from '../../route.ts';
import { useCell } from '../../state/cell.ts';
import { isAlarming, problems } from '../../state/inspected.ts';
import { plural } from '../../text/amounts.ts';
import { visible } from '../../text/visible.ts';

export default function ProblemsView() {
  const known = useCell(problems);
  const alarming = known.filter(isAlarming);
  const notes = known.filter((problem) => !isAlarming(problem));
  const all = [...alarming, ...notes];
  return (
    <>
      <div className="view-head">
        <h1>Problems</h1>
        {all.length > 0 && (
          <span className="muted">
            {plural(alarming.length, 'problem')}
            {notes.length > 0 && `, ${plural(notes.length, 'note')}`}
          </span>
        )}
      </div>
      <div className="scroll pad">
        {all.length === 0 && (
          <Empty title="No problems">
            Non-protocol output, crashes, slow starts and invalid frames are explained here.
          </Empty>
        )}
        <ul className="problems">
          {all.map((problem) => (
            <li
              key={JSON.stringify([problem.kind, problem.server, problem.seq, problem.title])}
              className={isAlarming(problem) ? 'card problem' : 'card problem mild'}
            >
              <header className="card-head">
                <span className={isAlarming(problem) ? 'tag bad' : 'tag'}>{problem.kind.replaceAll('-', ' ')}</span>
                <h2>{visible(problem.title)}</h2>
                <ServerChip name={problem.server} />
                {problem.count > 1 && <span className="muted">{problem.count} times</span>}
              </header>
              <p className="explanation">{visible(problem.explanation)}</p>
              {problem.seq !== undefined && (
                <p>
                  <a href={addressOf('wire', { event: problem.seq })}>Show on the wire (#{problem.seq})</a>
                </p>
              )}
            </li>
          ))}
        </ul>
      </div>
    </>
  );
}
