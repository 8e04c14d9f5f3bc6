import './workbench.css'
import './schema.css'
import { useCallback, useEffect, useRef, useState } from 'react'
import { showError } from '../../design/feedback.tsx'
import { t } from '../../lib/i18n.ts'
import type { SocketTarget } from '../screen/socket.ts'
import { useFadingNotice } from '../session/desktop/use-fading-notice.ts'
import { PaneWords } from '../session/PaneWords.tsx'
import type { TabState } from '../tabs/tabs.ts'
import { heldResult } from './answers.ts'
import { addToHistory, forgetHistory, keepDraft, keptDraft, keptHistory } from './kept-texts.ts'
import { Results } from './Results.tsx'
import { SchemaTree } from './SchemaTree.tsx'
import { openSqlEditor, type SqlEditor } from './sql-editor.ts'
import { type Started, TEXT_MAX, useWorkbench, type WorkbenchOptions } from './use-workbench.ts'
import { isLaidOut, WorkbenchBar } from './WorkbenchBar.tsx'

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
  const format = async () => {
    const layout = await import('./format-sql.ts').catch(() => undefined)
    const { started: now } = latest.current
    if (!layout) return showError(t('This could not be loaded. Try again; if it fails again, load the page again.'))
    if (!editor.current || !now) return
    const { text: selected } = editor.current.selection()
    const text = selected || editor.current.text()
    if (!text.trim()) return
    if (text.length > layout.FORMATTED_MAX)
      return showError(t('This is too long to be formatted at once: select a part of it.'))
    const { formatSql, placeAfter } = layout
    const { dialect } = now
    if (!isLaidOut(dialect) || !editor.current.layOut({ formatted: (one) => formatSql(one, dialect), placeAfter }))
      showError(t('This could not be formatted without changing what it means, so it stays as it is.'))
  }
  const isLive = useRef(false)
  isLive.current = isConnected
  const box = useRef<HTMLDivElement>(null)
  const editor = useSqlEditor(box, {
    draft: () => keptDraft(userId, target.target_id),
    onRun: run,
    onFormat: () => void format(),
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
  const moveOn = useCallback(() => latest.current.more(true), [])
  const again = useCallback<(typeof bench)['again']>((...wanted) => latest.current.again(...wanted), [])

  return (
    <section className="wt-pane wb" hidden={!active} aria-label={t('Workbench')}>
      <WorkbenchBar
        {...{ started, answers, isTreeShown, setTreeShown, history }}
        isLocked={status.isLocked}
        mayRun={isConnected && !isBusy}
        mayStop={isConnected && answers.isRunning}
        onRun={run}
        onFormat={() => void format()}
        onStop={bench.cancel}
        onWrite={() => editor.current?.focus()}
        onAdd={(statement) => editor.current?.add(statement.replaceAll('\r\n', '\n'))}
        onForget={() => {
          forgetHistory(userId, target.target_id)
          setHistory([])
        }}
        saving={
          userId === undefined
            ? undefined
            : {
                application: target.target_id,
                text: () => editor.current?.selection().text.trim() || editor.current?.text() || '',
              }
        }
      />
      <div className="wb-body">
        {isTreeShown &&
          (state === 'connected' && started ? (
            <SchemaTree
              key={props.attempt}
              ask={bench.ask}
              onInsert={(name) => editor.current?.insert(name)}
              quoted={(name) => quotedName(name, started.dialect)}
            />
          ) : (
            <div className="wb-schema" />
          ))}
        <div className="wb-work">
          <div className="wb-editor" ref={box} data-empty={answers.run === 0} />
          <Results
            answers={answers}
            onMore={more}
            onMoveOn={isConnected ? moveOn : undefined}
            onAgain={again}
            onMoveTo={bench.moveTo}
            mayExport={isConnected && !isBusy}
            isExporting={bench.isExporting}
            onExport={started?.mayExport ? bench.export : undefined}
            onEdit={
              started?.mayEdit
                ? (place) => ({
                    plan: (value) => latest.current.planEdit(place, value),
                    run: (planned) => latest.current.edit(planned),
                    stop: () => latest.current.cancel(),
                  })
                : undefined
            }
          />
        </div>
      </div>
      <PaneWords {...{ status, state, watermark, onReconnect }} onAnswer={bench.answer} />
      {bench.isAway && (
        <p className="wt-lost" role="status">
          {t('Connection lost, trying again…')}
        </p>
      )}
    </section>
  )
}

/** A name as it stands in a statement. */
function quotedName(name: string, dialect: Started['dialect']): string {
  // Written without quotes it is kept in capitals.
  if (dialect === 'oracle' ? /^[A-Z][A-Z0-9_]*$/.test(name) : /^[a-z_][a-z0-9_]*$/.test(name)) return name.toLowerCase()
  if (dialect === 'mysql') return `\`${name.replaceAll('`', '``')}\``
  if (dialect === 'sqlserver') return `[${name.replaceAll(']', ']]')}]`
  return `"${name.replaceAll('"', '""')}"`
}

interface EditorUse {
  draft: () => string
  onRun: (what: 'current' | 'all') => void
  onFormat: () => void
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
      onFormat: () => latest.current.onFormat(),
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
