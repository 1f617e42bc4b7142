import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { sessionQuery } from '../api/session.ts';
import { useAppearance } from '../browser/appearance.ts';
import { statusText } from '../jobs/status/job-status.tsx';
import { actionsFor, type Command, matching, pageCommandsFor } from './commands.ts';
import { useJobSearch } from './job-search.ts';
import './palette.css';

interface PaletteProps {
  readonly onClose: () => void;
  readonly onShortcuts: () => void;
  readonly onTerminal: () => void;
}

/** Searches pages, actions and jobs: an ARIA combobox with a listbox in a dialog. */
export function Palette({ onClose, onShortcuts, onTerminal }: PaletteProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const chosen = useRef<Command>(undefined);
  const [typed, setTyped] = useState('');
  const [active, setActive] = useState(0);
  const listId = useId();
  const search = useJobSearch(typed);
  const groups = useCommands(typed, search.jobs, { showShortcuts: onShortcuts, showTerminal: onTerminal });
  const commands = groups.flatMap(([, found]) => found);
  const at = Math.min(active, commands.length - 1);
  // A modal dialog restores the focus only when it is closed.
  useEffect(() => {
    if (dialog.current?.open === false) dialog.current.showModal();
  }, []);
  useEffect(() => {
    void document.getElementById(`${listId}-${at}`)?.scrollIntoView({ block: 'nearest' });
  }, [listId, at]);
  const choose = (command: Command | undefined) => {
    if (command === undefined) return;
    chosen.current = command;
    dialog.current?.close();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && commands.length > 0) setActive((at + step + commands.length) % commands.length);
    else if (event.key === 'Enter') choose(commands[at]);
    else return;
    event.preventDefault();
  };
  return (
    <dialog
      ref={dialog}
      className="palette"
      aria-label="Command palette"
      onClose={() => {
        onClose();
        chosen.current?.act();
      }}
      // A click outside the dialog targets its backdrop, which is the dialog element.
      onClick={({ target, currentTarget }) => target === currentTarget && currentTarget.close()}
      onKeyDown={onKeyDown}
    >
      <div className="palette-body">
        <input
          role="combobox"
          aria-label="Find a page, an action or a job"
          aria-expanded="true"
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={commands.length > 0 ? `${listId}-${at}` : undefined}
          placeholder="Find a page, an action or a job"
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={({ target }) => {
            setTyped(target.value);
            setActive(0);
          }}
        />
        <div id={listId} role="listbox" aria-label="Results" className="palette-list">
          {groups.map(([name, found]) => (
            // biome-ignore lint/a11y/useSemanticElements: a listbox can't contain a fieldset
            <div key={name} role="group" aria-label={name}>
              <div className="palette-group" aria-hidden="true">
                {name}
              </div>
              {found.map((command) => {
                const index = commands.indexOf(command);
                return (
                  // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox handles the keys
                  <div
                    key={command.id}
                    id={`${listId}-${index}`}
                    role="option"
                    tabIndex={-1}
                    aria-selected={index === at}
                    className="palette-option"
                    onClick={() => choose(command)}
                  >
                    <span className="palette-text">{command.text}</span>
                    {command.detail !== undefined && <span className="palette-detail">{command.detail}</span>}
                  </div>
                );
              })}
            </div>
          ))}
        </div>
        <div role="status" className="palette-status">
          {statusOf(commands.length, search)}
        </div>
      </div>
    </dialog>
  );
}

type Dialogs = Readonly<Record<'showShortcuts' | 'showTerminal', () => void>>;

/** The matches by group, without empty groups. */
function useCommands(typed: string, jobs: ReturnType<typeof useJobSearch>['jobs'], dialogs: Dialogs) {
  const { showShortcuts, showTerminal } = dialogs;
  const navigate = useNavigate();
  const appearance = useAppearance();
  const role = useQuery(sessionQuery).data?.role ?? null;
  return useMemo(() => {
    const goTo = (path: string) => {
      void navigate(path);
      // The focused element may have gone with the previous page.
      document.getElementById('main')?.focus({ preventScroll: true });
    };
    const context = { role, appearance, goTo, showShortcuts, showTerminal };
    const found: [string, Command[]][] = [
      ['Actions', matching(actionsFor(context), typed)],
      ['Pages', matching(pageCommandsFor(context), typed)],
      [
        'Jobs',
        jobs.map(({ id, title, prompt_preview, project, status }) => ({
          id,
          text: title ?? (prompt_preview || id),
          detail: `${statusText(status)}, ${project}`,
          act: () => goTo(`/jobs/${id}`),
        })),
      ],
    ];
    return found.filter(([, commands]) => commands.length > 0);
  }, [typed, jobs, showShortcuts, showTerminal, navigate, appearance, role]);
}

function statusOf(count: number, { isSearching, isPartial, error }: ReturnType<typeof useJobSearch>): string {
  if (error !== null) return `Could not search jobs. ${error.message}`;
  if (isSearching) return 'Searching jobs';
  const found = count === 0 ? 'No matches' : count === 1 ? '1 result' : `${count} results`;
  return isPartial ? `${found}. Older jobs were not searched. To find them, search the list of jobs.` : found;
}
