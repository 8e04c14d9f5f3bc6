import './workbench.css'
import { Popover } from 'antd'
import { HistoryIcon, LockIcon, NetworkIcon, PanelLeftIcon, PlayIcon, SquareIcon } from 'lucide-react'
import { useCallback, useEffect, useRef, useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { showError } from '../../design/feedback.tsx'
import { t } from '../../lib/i18n.ts'
import type { SocketTarget } from '../screen/socket.ts'
import { DesktopQuestion } from '../session/desktop/DesktopQuestion.tsx'
import { useFadingNotice } from '../session/desktop/use-fading-notice.ts'
import { NotConnected } from '../session/NotConnected.tsx'
import { Watermark } from '../session/Watermark.tsx'
import type { TabState } from '../tabs/tabs.ts'
import { type Answers, heldResult } from './answers.ts'
import { addToHistory, forgetHistory, keepDraft, keptDraft, keptHistory } from './kept-texts.ts'
import { Results } from './Results.tsx'
import { SavedStatements } from './SavedStatements.tsx'
import { SchemaTree } from './SchemaTree.tsx'
import { openSqlEditor, type SqlEditor } from './sql-editor.ts'
import { type Started, TEXT_MAX, useWorkbench, type WorkbenchOptions } from './use-workbench.ts'

export interface WorkbenchPaneProps extends WorkbenchOptions {
  target: SocketTarget
  state: TabState
  active: boolean
  watermark: string | undefined
  /** Unless given, what is written here goes with the page. */
  userId: string | undefined
  onReconnect: () => void
}

const isNarrow = () => matchMedia('(max-width: 700px)').matches

/** A workbench on one database, and its session. Hidden ones stay connected. */
export function WorkbenchPane(props: WorkbenchPaneProps) {
  const { target, state, active, watermark, userId, onReconnect } = props
  const bench = useWorkbench(props)
  const { status, started, answers } = bench
  const [isTreeShown, setTreeShown] = useState(() => !isNarrow())
  const [history, setHistory] = useState(() => keptHistory(userId, target.target_id))
  // What was asked of an earlier drawing must see today's session.
  const latest = useRef(bench)
  latest.current = bench
  useFadingNotice(status, bench.setStatus)
  const isConnected = state === 'connected' && started !== undefined && !bench.isAway
  const isBusy = answers.isRunning && !heldResult(answers)

  const run = (what: 'current' | 'all' | 'plan') => {
    const { answers: now } = latest.current
    if (!editor.current || !isLive.current || (now.isRunning && !heldResult(now))) return
    const { text: selected, at } = editor.current.selection()
    const whole = editor.current.text()
    const text = what !== 'all' && selected.trim() ? selected : whole
    if (!text.trim()) return
    if (text.length > TEXT_MAX) return showError(t('This is too long to be run at once: select a part of it.'))
    const isPlanned = what === 'plan'
    if (!isPlanned) setHistory(addToHistory(userId, target.target_id, text))
    latest.current.run(text, { at: text === whole && what !== 'all' ? at : undefined, isPlanned })
  }
  const isLive = useRef(false)
  isLive.current = isConnected
  const box = useRef<HTMLDivElement>(null)
  const editor = useSqlEditor(box, {
    draft: () => keptDraft(userId, target.target_id),
    onRun: run,
    onChange: (text) => keepDraft(userId, target.target_id, text),
    async complete(before) {
      if (!isLive.current) return undefined
      const { ask, answers: now } = latest.current
      const { rows } = await ask({ about: 'completion', before, database: now.database })
      const [head, ...found] = rows
      return head && { length: Number(head[0]), candidates: found.map(([one = '']) => one) }
    },
  })
  useEffect(() => {
    if (started) editor.current?.setDialect(started.dialect)
  }, [started, editor])
  useEffect(() => {
    if (active && isConnected) editor.current?.focus()
  }, [active, isConnected, editor])
  const more = useCallback(() => latest.current.more(), [])

  return (
    <section className="wt-pane wb" hidden={!active} aria-label={t('Workbench')}>
      <div className="wb-bar">
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
          disabled={!isConnected || isBusy}
          onClick={() => run('current')}
        >
          {t('Run@@action')}
        </Button>
        <Button size="small" disabled={!isConnected || isBusy} onClick={() => run('all')}>
          {t('Run all')}
        </Button>
        <Button size="small" icon={<NetworkIcon />} disabled={!isConnected || isBusy} onClick={() => run('plan')}>
          {t('Explain')}
        </Button>
        <Button size="small" icon={<SquareIcon />} disabled={!isConnected || !answers.isRunning} onClick={bench.cancel}>
          {t('Stop')}
        </Button>
        <History
          {...{ history }}
          onChoose={(text) => editor.current?.insert(text)}
          onForget={() => {
            forgetHistory(userId, target.target_id)
            setHistory([])
          }}
        />
        {userId !== undefined && (
          <SavedStatements
            application={target.target_id}
            text={() => editor.current?.selection().text.trim() || editor.current?.text() || ''}
            onChoose={(statement) => editor.current?.insert(statement)}
          />
        )}
        <StateOf {...{ answers, started }} isLocked={status.isLocked} />
      </div>
      <div className="wb-body">
        {isTreeShown && state === 'connected' && started && (
          <SchemaTree
            key={props.attempt}
            ask={bench.ask}
            onInsert={(name) => editor.current?.insert(name)}
            quoted={(name) => quotedName(name, started.dialect)}
          />
        )}
        <div className="wb-work">
          <div className="wb-editor" ref={box} data-empty={answers.run === 0} />
          <Results answers={answers} onMore={more} mayExport={isConnected && !isBusy} onExport={bench.export} />
        </div>
      </div>
      {watermark && <Watermark text={watermark} />}
      <DesktopQuestion status={status} onAnswer={bench.answer} />
      {status.notice && (
        <p className="wt-desktop-notice" role={status.isLast ? 'alert' : 'status'}>
          {status.notice}
        </p>
      )}
      {bench.isAway && (
        <p className="wt-lost" role="status">
          {t('Connection lost, trying again…')}
        </p>
      )}
      {state === 'disconnected' && <NotConnected onReconnect={onReconnect} />}
    </section>
  )
}

/** A name as it stands in a statement. */
function quotedName(name: string, dialect: Started['dialect']): string {
  if (/^[a-z_][a-z0-9_]*$/.test(name)) return name
  return dialect === 'mysql' ? `\`${name.replaceAll('`', '``')}\`` : `"${name.replaceAll('"', '""')}"`
}

interface EditorUse {
  draft: () => string
  onRun: (what: 'current' | 'all') => void
  onChange: (text: string) => void
  complete: (before: string) => Promise<{ length: number; candidates: readonly string[] } | undefined>
}

/** An editor in a box, for as long as that is there. */
function useSqlEditor(box: React.RefObject<HTMLDivElement | null>, use: EditorUse) {
  const editor = useRef<SqlEditor>(undefined)
  const latest = useRef(use)
  latest.current = use
  useEffect(() => {
    if (!box.current) return
    const opened = openSqlEditor(box.current, latest.current.draft(), {
      onRun: (what) => latest.current.onRun(what),
      onChange: (text) => latest.current.onChange(text),
      // Without names one goes on writing.
      complete: (before) => latest.current.complete(before).catch(() => undefined),
    })
    editor.current = opened
    return () => {
      editor.current = undefined
      opened.dispose()
    }
  }, [box])
  return editor
}

interface HistoryProps {
  history: readonly string[]
  onChoose: (text: string) => void
  onForget: () => void
}

/** What was run here, the newest first. */
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
    <p>{t('What you run is kept here, in this browser; not what names a password.')}</p>
  )
  return (
    <Popover
      title={t('History')}
      content={list}
      trigger="click"
      placement="bottomLeft"
      open={isOpen}
      onOpenChange={setOpen}
    >
      <Button size="small" icon={<HistoryIcon />} aria-label={t('History')} />
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
  return (
    <span className="wb-state">
      {isLocked && <LockIcon aria-label={t('The input of this session is locked.')} />}
      {transaction === 'open' && <span className="wb-open">{t('Transaction open')}</span>}
      {transaction === 'failed' && <span className="wb-broken">{t('Transaction failed: roll it back')}</span>}
      {database && <strong>{database}</strong>}
      {started && <span className="wb-version">{started.version}</span>}
    </span>
  )
}
