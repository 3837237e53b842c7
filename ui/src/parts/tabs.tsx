// A row of tabs. Arrow keys move between them, as the ARIA practices require.

import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react';

export function Tabs<T extends string>(props: {
  label: string;
  tabs: readonly { key: NoInfer<T>; title: string }[];
  chosen: T;
  onChoose(key: NoInfer<T>): void;
  children: ReactNode;
}) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const { tabs, chosen, onChoose } = props;
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    event.stopPropagation();
    const at = (tabs.findIndex(({ key }) => key === chosen) + step + tabs.length) % tabs.length;
    onChoose(tabs[at]!.key);
    (list.current?.children[at] as HTMLElement | undefined)?.focus();
  };
  return (
    <div className="tabs">
      <div className="tab-list" role="tablist" aria-label={props.label} ref={list} onKeyDown={onKeyDown}>
        {tabs.map(({ key, title }) => (
          <button
            key={key}
            type="button"
            role="tab"
            id={`${id}${key}`}
            aria-selected={key === chosen}
            aria-controls={`${id}panel`}
            tabIndex={key === chosen ? 0 : -1}
            onClick={() => onChoose(key)}
          >
            {title}
          </button>
        ))}
      </div>
      <div className="tab-panel" role="tabpanel" id={`${id}panel`} aria-labelledby={`${id}${chosen}`}>
        {props.children}
      </div>
    </div>
  );
}
