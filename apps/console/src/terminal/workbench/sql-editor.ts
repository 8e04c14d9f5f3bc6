/** The editor of statements: CodeMirror, with the SQL of the database. Knows no sessions. */
import {
  autocompletion,
  type CompletionContext,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { MSSQL, MySQL, PLSQL, PostgreSQL, sql } from '@codemirror/lang-sql'
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { Compartment, EditorState, Prec } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
  placeholder,
} from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { t } from '../../lib/i18n.ts'
import { addedStatement } from './added-statement.ts'
import type { SqlDialect } from './sql-dialect.ts'

export interface SqlEditor {
  text: () => string
  /** The selection, and the place of the cursor. */
  selection: () => { text: string; at: number }
  /** Puts a text where the cursor is, in place of what is selected. */
  insert: (text: string) => void
  /** Puts a statement in place of what is selected, or behind all that is there, and selects it: it can be run at once. */
  add: (statement: string) => void
  /** Lays out what is selected, or all of it, again; the cursor stays where it stood. False where nothing can be. */
  layOut: (layout: Layout) => boolean
  setDialect: (dialect: SqlDialect) => void
  focus: () => void
  dispose: () => void
}

/** How a text is laid out: undefined where that is not known. */
export interface Layout {
  formatted: (text: string) => string | undefined
  placeAfter: (text: string, at: number, formatted: string) => number
}

export interface SqlEditorEvents {
  onRun: (what: 'current' | 'all') => void
  onFormat: () => void
  onChange: (text: string) => void
  /** Completions of the text: the length of its end that they replace, and the proposals. */
  complete: (before: string) => Promise<{ length: number; candidates: readonly string[] } | undefined>
}

const DIALECTS = { mysql: MySQL, postgresql: PostgreSQL, sqlserver: MSSQL, oracle: PLSQL }
/** The end of a long text decides about completions. */
const LOOKED_AT = 16 * 1024

const colors = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--accent)', fontWeight: '600' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--info)' },
  { tag: tags.comment, color: 'var(--quiet)', fontStyle: 'italic' },
  { tag: tags.typeName, color: 'var(--warning)' },
])

const look = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'transparent', color: 'var(--text)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-code)', fontSize: 'var(--text-label)' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--side)', color: 'var(--quiet)', borderRight: '1px solid var(--line)' },
  // The selection lies below the lines: it shows through.
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--text) 6%, transparent)' },
  '.cm-activeLineGutter': { backgroundColor: 'var(--chosen)', color: 'var(--text)', fontWeight: '600' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 35%, transparent)',
  },
  '.cm-selectionBackground': { backgroundColor: 'color-mix(in srgb, var(--accent) 20%, transparent)' },
  // The text is as wide as its longest line, a phone is not.
  '.cm-placeholder': { color: 'var(--quiet)', whiteSpace: 'normal', maxWidth: 'calc(100vw - 48px)' },
  '.cm-tooltip': { backgroundColor: 'var(--surface)', color: 'var(--text)', border: '1px solid var(--line-strong)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--chosen)', color: 'var(--text)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--chosen)' },
})

/** Opens an editor in `box`. */
export function openSqlEditor(box: HTMLElement, text: string, events: SqlEditorEvents): SqlEditor {
  const language = new Compartment()
  const complete = async (context: CompletionContext) => {
    if (!context.explicit && !context.matchBefore(/[\p{L}\p{N}_$.]+$/u)) return null
    const found = await events.complete(context.state.sliceDoc(Math.max(0, context.pos - LOOKED_AT), context.pos))
    // A person who has gone on, to run it for instance, would be offered it until they come back.
    if (!found || context.aborted || !view.hasFocus) return null
    const options = found.candidates.map((label) => ({ label }))
    return { from: context.pos - found.length, options, validFor: /^[\p{L}\p{N}_$]*$/u }
  }
  const run = (what: 'current' | 'all') => () => {
    events.onRun(what)
    return true
  }
  const format = () => {
    events.onFormat()
    return true
  }
  let dialect: SqlDialect = 'postgresql'
  const view = new EditorView({
    parent: box,
    state: EditorState.create({
      doc: text,
      extensions: [
        Prec.highest(
          keymap.of([
            { key: 'Mod-Enter', run: run('current') },
            { key: 'Mod-Shift-Enter', run: run('all') },
            { key: 'Shift-Alt-f', run: format },
          ]),
        ),
        lineNumbers(),
        history(),
        drawSelection(),
        bracketMatching(),
        closeBrackets(),
        highlightActiveLine(),
        highlightActiveLineGutter(),
        autocompletion({ override: [complete] }),
        keymap.of([...closeBracketsKeymap, ...completionKeymap, ...historyKeymap, ...defaultKeymap]),
        placeholder(t('Write SQL here: Ctrl+Enter runs the statement at the cursor, or what is selected.')),
        EditorView.contentAttributes.of({ 'aria-label': t('Statements') }),
        EditorView.updateListener.of(({ docChanged, state }) => docChanged && events.onChange(state.doc.toString())),
        language.of(sql({ dialect: PostgreSQL })),
        syntaxHighlighting(colors),
        look,
      ],
    }),
  })
  return {
    text: () => view.state.doc.toString(),
    selection() {
      const { from, to, head } = view.state.selection.main
      return { text: view.state.sliceDoc(from, to), at: head }
    },
    insert(inserted) {
      view.dispatch(view.state.replaceSelection(inserted))
      view.focus()
    },
    add(statement) {
      const { main } = view.state.selection
      const whole = view.state.doc.toString()
      const { from, insert, begins } = main.empty
        ? addedStatement(whole, statement, dialect)
        : { from: main.from, insert: statement, begins: main.from }
      view.dispatch({
        changes: { from, to: main.empty ? whole.length : main.to, insert },
        selection: { anchor: begins, head: from + insert.length },
        scrollIntoView: true,
      })
      view.focus()
    },
    layOut({ formatted, placeAfter }) {
      const { from, to, empty, head } = view.state.selection.main
      const [start, end] = empty ? [0, view.state.doc.length] : [from, to]
      const text = view.state.sliceDoc(start, end)
      const insert = formatted(text)
      if (insert === undefined) return false
      const selection = empty
        ? { anchor: placeAfter(text, head, insert) }
        : { anchor: start, head: start + insert.length }
      view.dispatch({ changes: { from: start, to: end, insert }, selection, scrollIntoView: true })
      view.focus()
      return true
    },
    setDialect(next) {
      dialect = next
      view.dispatch({ effects: language.reconfigure(sql({ dialect: DIALECTS[next] })) })
    },
    focus: () => view.focus(),
    dispose: () => view.destroy(),
  }
}
