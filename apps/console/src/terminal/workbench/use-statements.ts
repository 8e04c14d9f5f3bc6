import { type RefObject, useEffect, useRef, useState } from 'react'
import { showError } from '../../design/dialogs/feedback.tsx'
import { t } from '../../lib/i18n.ts'
import { heldResult } from './answers.ts'
import { addToHistory, forgetHistory, keepDraft, keptDraft, keptHistory } from './kept-texts.ts'
import type { SqlEditor } from './sql-editor.ts'
import { useSqlEditor } from './use-sql-editor.ts'
import { isLaidOut } from './WorkbenchBar.tsx'
import { TEXT_MAX, type WorkbenchStore } from './workbench-store.ts'

interface StatementsOptions {
  bench: WorkbenchStore
  /** Id of the application. */
  application: string
  /** Unless given, nothing that is written outlasts the page. */
  userId: string | undefined
  isConnected: boolean
}

/** The editor in a box, and what can be done with the statements in it. */
export function useStatements(box: RefObject<HTMLDivElement | null>, options: StatementsOptions) {
  const { bench, application, userId, isConnected } = options
  const [history, setHistory] = useState(() => keptHistory(userId, application))
  // The editor calls handlers of its first render.
  const isLive = useRef(false)
  isLive.current = isConnected

  const run = (what: 'current' | 'all' | 'plan') => {
    const { answers } = bench.read()
    if (!editor.current || !isLive.current || (answers.isRunning && !heldResult(answers))) return
    const { text: selected, at } = editor.current.selection()
    const whole = editor.current.text()
    // A selection is run as it is, also if it is the whole text.
    const isSelected = what !== 'all' && selected.trim() !== ''
    const text = isSelected ? selected : whole
    if (!text.trim()) return
    if (text.length > TEXT_MAX) return showError(t('This is too long to be run at once: select a part of it.'))
    const isPlanned = what === 'plan'
    if (!isPlanned) setHistory(addToHistory(userId, application, text))
    bench.run(text, { at: isSelected || what === 'all' ? undefined : at, isPlanned })
  }
  const format = () => void formatIn(editor, bench)
  const editor = useSqlEditor(box, {
    draft: () => keptDraft(userId, application),
    onRun: run,
    onFormat: format,
    onChange: (text) => keepDraft(userId, application, text),
    async complete(before) {
      if (!isLive.current) return undefined
      const { rows } = await bench.ask({ about: 'completion', before, database: bench.read().answers.database })
      const [head, ...found] = rows
      return head && { length: Number(head[0]), candidates: found.map(([one = '']) => one) }
    },
  })
  const { started } = bench.read()
  useEffect(() => {
    if (started) editor.current?.setDialect(started.dialect)
  }, [started, editor])
  return {
    editor,
    history,
    run,
    format,
    forgetHistory() {
      forgetHistory(userId, application)
      setHistory([])
    },
  }
}

/** Formats the selection, or all that is written. */
async function formatIn(editor: RefObject<SqlEditor | undefined>, bench: WorkbenchStore): Promise<void> {
  const layout = await import('./format-sql.ts').catch(() => undefined)
  const { started } = bench.read()
  if (!layout) return showError(t('This could not be loaded. Try again; if it fails again, load the page again.'))
  if (!editor.current || !started) return
  const text = editor.current.selection().text || editor.current.text()
  if (!text.trim()) return
  const { dialect } = started
  const { FORMATTED_MAX, formatSql, placeAfter } = layout
  if (text.length > FORMATTED_MAX) return showError(t('This is too long to be formatted at once: select a part of it.'))
  if (!isLaidOut(dialect) || !editor.current.layOut({ formatted: (one) => formatSql(one, dialect), placeAfter }))
    showError(t('This could not be formatted without changing what it means, so it stays as it is.'))
}
