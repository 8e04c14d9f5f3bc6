import type { ExportFormat } from '@sallyport/contract/socket/workbench.ts'
import { useCallback, useEffect, useState } from 'react'
import { t } from '../../lib/i18n.ts'
import { ResultGrid } from '../grid/ResultGrid.tsx'
import { type ResultView, shownOf } from '../grid/result-view.ts'
import type { RowsWanted } from '../grid/use-row-window.ts'
import type { ValueEdit } from '../grid/value-edit.ts'
import { Elapsed } from '../pane/Elapsed.tsx'
import { type Answers, type ResultPlace, type StatementView, statementSince } from './answers.ts'
import { PlanTree } from './PlanTree.tsx'
import { readPlan } from './plan.ts'
import { ViewTabs } from './ViewTabs.tsx'
import type { CellPlace } from './workbench-store.ts'

interface ResultsProps {
  answers: Answers
  onMore: () => void
  /** Rows behind those that are loaded are wanted in their place; undefined where no more can come. */
  onMoveOn: (() => void) | undefined
  /** Rows that came before are wanted. */
  onAgain: (place: ResultPlace, wanted: RowsWanted) => void
  /** Rows from one on are wanted in place of those that are loaded. */
  onMoveTo: (place: ResultPlace, from: number) => void
  /** Whether nothing else runs. */
  mayExport: boolean
  /** A file is on its way. */
  isExporting?: boolean
  /** Runs the statement again, into a file; undefined for who may not. */
  onExport: ((statement: StatementView, format: ExportFormat) => void) | undefined
  /** What changes a value; undefined for who may not. */
  onEdit: ((place: CellPlace) => ValueEdit) | undefined
}

/** The tables that statements brought, each in a tab, and in a last one what became of each statement. */
export function Results(props: ResultsProps) {
  const { answers, onMore, onMoveOn, onAgain, onMoveTo, mayExport, isExporting = false, onExport, onEdit } = props
  const { run, statements } = answers
  const tables = statements.flatMap(({ results }, statement) => results.map((result) => ({ statement, result })))
  const [chosen, setChosen] = useState<number | 'messages'>()
  // The server may say why, and be gone before the statement is over.
  const hasFailed = statements.some(
    ({ isFailed, messages }) => isFailed || messages.some(({ kind }) => kind === 'error'),
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: each run begins with what it brings
  useEffect(() => setChosen(undefined), [run])
  const at = typeof chosen === 'number' && chosen < tables.length ? chosen : 0
  const table = chosen === 'messages' || (chosen === undefined && hasFailed) ? undefined : tables[at]
  const statement = table?.statement ?? 0
  const result = table?.result.result ?? 0
  // A grid asks again whenever that changes.
  const again = useCallback(
    (wanted: RowsWanted) => onAgain({ statement, result }, wanted),
    [onAgain, statement, result],
  )
  if (run === 0) return null
  const plan = table && statements[table.statement]?.isPlanned ? planIn(table.result) : undefined
  return (
    <div className="wb-results">
      <ViewTabs
        label={t('Results')}
        tabs={[
          ...tables.map(({ statement }, index) => ({
            name: index,
            title: t('Result {{number}}', { number: index + 1 }),
            tip: statements[statement]?.text,
          })),
          { name: 'messages' as const, title: t('Messages') },
        ]}
        active={table ? at : 'messages'}
        onChoose={setChosen}
      />
      {plan ? (
        <PlanTree key={`${run} ${at}`} {...plan} />
      ) : table ? (
        <ResultGrid
          key={`${run} ${at}`}
          result={table.result}
          {...{ onMore, mayExport, isExporting }}
          {...(onMoveOn ? { onMoveOn } : {})}
          {...(answers.keepsRows
            ? { onAgain: again, onMoveTo: (from: number) => onMoveTo({ statement, result }, from) }
            : {})}
          onExport={
            onExport &&
            ((format) => {
              const statement = statements[table.statement]
              if (statement) onExport(statement, format)
            })
          }
          onEdit={onEdit && ((cell) => onEdit({ ...cell, statement: table.statement, result: table.result.result }))}
        />
      ) : (
        <ol className="wb-messages">
          {statements.map((one, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: statements never change their places
            <Message key={index} statement={one} since={statementSince(answers)} awaits={answers.awaits} />
          ))}
        </ol>
      )}
    </div>
  )
}

/** The plan in a result; undefined where it is none, or is not all here. */
function planIn({ rows: [row, ...others] }: ResultView) {
  const [text] = row ?? []
  const plan = typeof text === 'string' && !others.length ? readPlan(text) : undefined
  return plan && typeof text === 'string' ? { plan, text } : undefined
}

interface MessageProps {
  statement: StatementView
  /** See `statementSince`; like `awaits` it is that of the last one. */
  since: number | undefined
  awaits: string | undefined
}

function Message({ statement, ...now }: MessageProps) {
  const { text, messages, isFailed, milliseconds } = statement
  return (
    <li className={isFailed ? 'wb-failed' : undefined}>
      <code>{text}</code>
      {messages.map((one, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: what was said stays where it is
        <pre key={at} className={one.kind === 'error' ? 'tool-pane-error' : undefined}>
          {one.text}
        </pre>
      ))}
      <span className="tool-pane-count">
        {milliseconds === undefined ? <Unfinished {...{ statement, ...now }} /> : outcomeOf(statement, milliseconds)}
      </span>
    </li>
  )
}

/** Rows of one that waits for its reader; unknown for one that was given up. */
function Unfinished({ statement: { results }, since, awaits }: MessageProps) {
  if (results.length)
    return t('{{count|row|rows}} so far', { count: results.reduce((sum, one) => sum + shownOf(one), 0) })
  if (since === undefined) return t('Not finished')
  return (
    <>
      {awaits ? <WithAddress text={awaits} /> : t('Running')} <Elapsed since={since} />
    </>
  )
}

/** A text whose last word may be an address. */
function WithAddress({ text }: { text: string }) {
  const [, words = text, address] = /^(.* )(https?:\/\/\S+)$/.exec(text) ?? []
  return (
    <>
      {words}
      {address && (
        <a href={address} target="_blank" rel="noopener">
          {address}
        </a>
      )}
    </>
  )
}

function outcomeOf({ results, outcome }: StatementView, milliseconds: number): string {
  const rows = results.reduce((sum, { done, rows }) => sum + (done?.rows ?? rows.length), 0)
  const brought = results.length
    ? t('{{count|row|rows}}', { count: rows })
    : outcome && t('Answer: {{outcome}}', { outcome })
  return [brought, t('{{count}} ms', { count: milliseconds })].filter(Boolean).join(' · ')
}
