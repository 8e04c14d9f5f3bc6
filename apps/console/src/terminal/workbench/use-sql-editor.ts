import { type RefObject, useEffect, useRef } from 'react'
import { openSqlEditor, type SqlEditor } from './sql-editor.ts'

interface EditorUse {
  draft: () => string
  onRun: (what: 'current' | 'all') => void
  onFormat: () => void
  onChange: (text: string) => void
  complete: (before: string) => Promise<{ length: number; candidates: readonly string[] } | undefined>
}

/** An editor in a box, as long as the box is mounted. */
export function useSqlEditor(box: RefObject<HTMLDivElement | null>, use: EditorUse) {
  const editor = useRef<SqlEditor>(undefined)
  const latest = useRef(use)
  latest.current = use
  useEffect(() => {
    if (!box.current) return
    const opened = openSqlEditor(box.current, latest.current.draft(), {
      onRun: (what) => latest.current.onRun(what),
      onFormat: () => latest.current.onFormat(),
      onChange: (text) => latest.current.onChange(text),
      // Writing goes on without suggestions.
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
