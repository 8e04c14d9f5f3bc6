import { AlignLeftIcon, HistoryIcon, LockIcon, NetworkIcon, PanelLeftIcon, PlayIcon, SquareIcon } from 'lucide-react'
import { type MouseEvent, useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { Popover } from '../../design/popups/Popover.tsx'
import { t } from '../../lib/i18n.ts'
import { Elapsed } from '../pane/Elapsed.tsx'
import { whyNotAsked, whyNotStopped } from '../pane/why-not.ts'
import { type Answers, runningSince } from './answers.ts'
import type { SqlDialectName } from './format-sql.ts'
import { SavedStatements } from './SavedStatements.tsx'
import type { Started } from './workbench-store.ts'

interface WorkbenchBarProps {
  started: Started | undefined
  answers: Answers
  isLocked: boolean
  isTreeShown: boolean
  setTreeShown: (isShown: boolean) => void
  isConnected: boolean
  mayRun: boolean
  mayStop: boolean
  history: readonly string[]
  onRun: (what: 'current' | 'all' | 'plan') => void
  onFormat: () => void
  onStop: () => void
  /** A person who has pressed a button by the keys, which may not be pressed any more, goes on writing. */
  onWrite: () => void
  /** A statement of before is wanted again. */
  onAdd: (statement: string) => void
  onForget: () => void
  /** What can be saved, for which application; undefined for who is not signed in. */
  saving: { application: string; text: () => string } | undefined
}

/** Where rows of their own run statements, `GO` and `/`, rows are not moved. */
export const isLaidOut = (dialect: Started['dialect']): dialect is SqlDialectName =>
  dialect === 'mysql' || dialect === 'postgresql'

/** What can be done in a workbench, and how it stands. */
export function WorkbenchBar(props: WorkbenchBarProps) {
  const { started, answers, isLocked, isTreeShown, setTreeShown, isConnected, onRun, onAdd, saving } = props
  const whyNot = whyNotAsked(isConnected, !props.mayRun)
  const pressed = (go: () => void) => (event: MouseEvent) => {
    go()
    // A click by the keys has no count. A finger would call the keyboard of a phone before what it has run.
    if (event.detail === 0) props.onWrite()
  }
  return (
    <div className="tool-pane-bar">
      <Button
        type="text"
        size="small"
        icon={<PanelLeftIcon />}
        aria-label={t('Schema')}
        aria-pressed={isTreeShown}
        onClick={() => setTreeShown(!isTreeShown)}
      />
      <Button
        size="small"
        type="primary"
        icon={<PlayIcon />}
        whyDisabled={whyNot}
        onClick={pressed(() => onRun('current'))}
      >
        {t('Run@@action')}
      </Button>
      <Button size="small" whyDisabled={whyNot} onClick={pressed(() => onRun('all'))}>
        {t('Run all')}
      </Button>
      {started?.mayPlan !== false && (
        <Button size="small" icon={<NetworkIcon />} whyDisabled={whyNot} onClick={pressed(() => onRun('plan'))}>
          {t('Explain')}
        </Button>
      )}
      <Button
        size="small"
        icon={<SquareIcon />}
        whyDisabled={whyNotStopped(props.mayStop)}
        onClick={pressed(props.onStop)}
      >
        {t('Stop')}
      </Button>
      {(!started || isLaidOut(started.dialect)) && (
        <Button
          size="small"
          icon={<AlignLeftIcon />}
          whyDisabled={whyNotAsked(started !== undefined)}
          aria-label={t('Format')}
          title={t('Format (Shift+Alt+F)')}
          onClick={props.onFormat}
        />
      )}
      <History history={props.history} onChoose={onAdd} onForget={props.onForget} />
      {saving && <SavedStatements {...saving} onChoose={onAdd} />}
      <StateOf {...{ answers, started, isLocked }} />
    </div>
  )
}

interface HistoryProps {
  history: readonly string[]
  onChoose: (text: string) => void
  onForget: () => void
}

/** Earlier statements, the newest first. */
function History({ history, onChoose, onForget }: HistoryProps) {
  const [isOpen, setOpen] = useState(false)
  const list = history.length ? (
    <>
      <ul className="wb-history">
        {history.map((text) => (
          <li key={text}>
            <button
              type="button"
              title={text}
              onClick={() => {
                setOpen(false)
                onChoose(text)
              }}
            >
              {text}
            </button>
          </li>
        ))}
      </ul>
      <Button size="small" onClick={onForget}>
        {t('Clear the history')}
      </Button>
    </>
  ) : (
    <p>{t('Statements you run are saved in this browser, except any that contain a password.')}</p>
  )
  return (
    <Popover
      title={t('History')}
      isOpen={isOpen}
      onOpenChange={setOpen}
      button={<Button size="small" icon={<HistoryIcon />} aria-label={t('History')} title={t('History')} />}
    >
      {list}
    </Popover>
  )
}

/** Where statements run, and whether a transaction is open. */
function StateOf({
  answers,
  started,
  isLocked,
}: {
  answers: Answers
  started: Started | undefined
  isLocked: boolean
}) {
  const { database, transaction } = answers
  const since = runningSince(answers)
  return (
    <span className="tool-pane-state">
      {since !== undefined && <Elapsed since={since} words={t('Running')} />}
      {isLocked && <LockIcon aria-label={t('The input of this session is locked.')} />}
      {transaction === 'open' && <span className="wb-open">{t('Transaction open')}</span>}
      {transaction === 'failed' && <span className="wb-broken">{t('Transaction failed: roll it back')}</span>}
      {database && <strong>{database}</strong>}
      {started && <span className="wb-version">{started.version}</span>}
    </span>
  )
}
