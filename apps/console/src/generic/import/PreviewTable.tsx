import { CircleCheckIcon, CircleXIcon, ClockIcon } from 'lucide-react'
import { type ChangeEvent, type FocusEvent, Fragment, type KeyboardEvent, type ReactNode, useState } from 'react'
import { isEnter } from '../../design/inputs/enter.ts'
import { t } from '../../lib/i18n.ts'
import { textOf, typedValue } from '../cells/cell-text.ts'
import type { ImportRow, RowStatus } from './import-task.ts'

export interface PreviewColumn {
  field: string
  label: string
  /** Pixels. */
  width: number
  /** Passwords and keys, shown only while they are edited. */
  secret: boolean
}

const MIN_WIDTH = 100
const MAX_WIDTH = 180
/** Rows that decide how wide a column is. */
const MEASURED_ROWS = 50

/**
 * Columns with a value in any row, as wide as their content asks for
 * (docs/rules/import-export.md#import).
 */
export function previewColumns(
  title: readonly (readonly [string, string])[],
  data: readonly ImportRow['values'][],
  isSecret: (field: string) => boolean,
): PreviewColumn[] {
  return title
    .filter(([, field]) => data.some((values) => textOf(values[field]) !== ''))
    .map(([label, field]) => {
      const longest = Math.max(
        label.length,
        ...data.slice(0, MEASURED_ROWS).map((values) => textOf(values[field]).length),
      )
      return {
        field,
        label,
        width: Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, 28 + longest * 8)),
        secret: isSecret(field),
      }
    })
}

interface PreviewTableProps {
  columns: readonly PreviewColumn[]
  /** Those of one page. */
  rows: readonly ImportRow[]
  canEdit: (row: ImportRow) => boolean
  onEdit: (index: number, field: string, value: unknown) => void
}

/** The rows of one page with their status; a click or Enter edits a cell (A3.10 A4.21). */
export function PreviewTable({ columns, rows, canEdit, onEdit }: PreviewTableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <section className="table-box import-table" tabIndex={0} aria-label={t('Rows of the file')}>
      <table className="table">
        <colgroup>
          <col style={{ width: 80 }} />
          {columns.map(({ field, width }) => (
            <col key={field} style={{ width }} />
          ))}
        </colgroup>
        <thead>
          <tr>
            <th scope="col">{t('Status')}</th>
            {columns.map(({ field, label }) => (
              <th key={field} scope="col" title={label}>
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const elsewhere = Object.entries(row.errors).filter(
              ([field]) => !columns.some((column) => column.field === field),
            )
            return (
              <Fragment key={row.index}>
                <tr>
                  <td title={Object.values(row.errors).join('\n')}>
                    <StatusMark status={row.status} />
                  </td>
                  {columns.map(({ field, label, secret }) => (
                    <PreviewCell
                      key={field}
                      secret={secret}
                      label={t('{{field}}, row {{row}}', { field: label, row: row.index + 1 })}
                      value={row.values[field]}
                      error={row.errors[field]}
                      locked={!canEdit(row)}
                      onEdit={(value) => onEdit(row.index, field, value)}
                    />
                  ))}
                </tr>
                {elsewhere.length > 0 && (
                  <tr className="row-errors">
                    <td colSpan={columns.length + 1}>{elsewhere.map(([, text]) => text).join('; ')}</td>
                  </tr>
                )}
              </Fragment>
            )
          })}
          {rows.length === 0 && (
            <tr className="empty">
              <td colSpan={columns.length + 1}>{t('No data')}</td>
            </tr>
          )}
        </tbody>
      </table>
    </section>
  )
}

const MARKS: Readonly<Record<RowStatus, () => ReactNode>> = {
  ok: () => <CircleCheckIcon className="good" aria-label={t('Success')} />,
  error: () => <CircleXIcon className="bad" aria-label={t('Failed')} />,
  pending: () => <ClockIcon aria-label={t('Pending')} />,
}

const StatusMark = ({ status }: { status: RowStatus }) => MARKS[status]()

interface PreviewCellProps {
  label: string
  value: unknown
  secret: boolean
  error: string | undefined
  locked: boolean
  onEdit: (value: unknown) => void
}

function PreviewCell({ label, value, secret, error, locked, onEdit }: PreviewCellProps) {
  const [draft, setDraft] = useState<string>()
  const text = textOf(value)
  const shown = secret && text !== '' ? '••••••' : text
  const commit = () => {
    if (draft !== undefined && draft.trim() !== text) onEdit(typedValue(draft, value))
    setDraft(undefined)
  }
  // A single line would lose the others of a key or a comment.
  const Editor = text.includes('\n') ? 'textarea' : 'input'
  return (
    <td className={error ? 'wrong' : undefined} title={draft === undefined ? shown : undefined}>
      {draft === undefined || locked ? (
        <button
          type="button"
          className="cell"
          aria-label={`${label}: ${shown}`}
          aria-description={error}
          disabled={locked}
          onClick={() => setDraft(text)}
        >
          {shown || '\u00a0'}
        </button>
      ) : (
        <Editor
          aria-label={label}
          autoFocus
          autoComplete="off"
          value={draft}
          onChange={(event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => setDraft(event.target.value)}
          onFocus={({ target }: FocusEvent<HTMLInputElement | HTMLTextAreaElement>) => {
            target.setSelectionRange(target.value.length, target.value.length)
          }}
          onBlur={commit}
          onKeyDown={(event: KeyboardEvent) => {
            // Enter and Escape belong to the input method while it composes.
            if (event.nativeEvent.isComposing) return
            if (isEnter(event) && !event.shiftKey) commit()
            if (event.key !== 'Escape') return
            // The dialog stays.
            event.stopPropagation()
            setDraft(undefined)
          }}
        />
      )}
      {error && <span className="cell-error">{error}</span>}
    </td>
  )
}
